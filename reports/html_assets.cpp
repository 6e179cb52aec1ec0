#include "reports/html_assets.h"

#include <array>
#include <cstdint>

#include "reports/html_asset_texts.h"

namespace zerostall::assets {
namespace {

std::uint32_t digit(char c) { return static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10); }

// A digest as CMake writes it (64 hex digits) as a policy wants it.
std::string policy_hash(std::string_view hex) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text = "sha256-";
  for (std::size_t at = 0; at < hex.size(); at += 6) {  // three bytes, four digits
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 6; ++i) bits = bits << 4 | (at + i < hex.size() ? digit(hex[at + i]) : 0);
    const std::size_t bytes = (hex.size() - at) / 2;
    for (std::size_t i = 0; i < 4; ++i) text += i <= bytes ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

}  // namespace

std::string_view page_mustache() { return texts::kPage; }
std::string_view figures_table_mustache() { return texts::kFiguresTable; }
std::string_view chart_mustache() { return texts::kChart; }
std::string_view prose_mustache() { return texts::kProse; }
std::string_view style_css() { return texts::kStyle; }
std::string_view page_js() { return texts::kScript; }
std::string_view timeline_js() { return texts::kTimeline; }

std::string style_hash() { return policy_hash(texts::kStyleHash); }
std::string page_hash() { return policy_hash(texts::kScriptHash); }
std::string timeline_hash() { return policy_hash(texts::kTimelineHash); }

}  // namespace zerostall::assets
