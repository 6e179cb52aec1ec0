#include "reports/words.h"

#include <fmt/format.h>

namespace zerostall {
namespace {

// Milliseconds with three significant figures below 100, so that small waits do not vanish.
std::string millis(std::int64_t nanos) {
  const double ms = static_cast<double>(nanos) / 1e6;
  if (nanos == 0) return "0";
  if (ms >= 100) return fmt::format("{:.0f}", ms);
  if (ms >= 10) return fmt::format("{:.1f}", ms);
  return ms >= 1 ? fmt::format("{:.2f}", ms) : fmt::format("{:.3f}", ms);
}

}  // namespace

std::string show(const Count& count) { return count ? fmt::format("{}", *count) : "unknown"; }

std::string show_time(const Count& nanos) { return nanos ? millis(*nanos) + " ms" : "unknown"; }

std::string show_bytes(Bytes bytes) {
  std::string digits = fmt::format("{}", bytes);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits + " B";
}

std::string show_range(const std::optional<Spread>& spread) {
  if (!spread) return "-";
  return spread->min == spread->max ? fmt::format("{}", spread->min) : fmt::format("{}..{}", spread->min, spread->max);
}

std::string show_time_range(const std::optional<Spread>& spread) {
  if (!spread) return "-";
  const std::string low = millis(spread->min), high = millis(spread->max);
  return low == high ? low + " ms" : fmt::format("{}..{} ms", low, high);
}

std::string show_device(const TraceMeta& meta) {
  if (meta.device_name.empty()) return meta.clock == Clock::modelled ? "simulated GPU" : "unknown device";
  return meta.device_name;
}

std::string time_mark(const TraceMeta& meta) { return meta.clock == Clock::modelled ? " (modelled)" : ""; }

}  // namespace zerostall
