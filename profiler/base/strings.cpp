#include "profiler/base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace zerostall {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

template <class Parts>
std::string join_parts(const Parts& parts, std::string_view separator) {
  std::string out;
  for (const auto& part : parts) {
    if (&part != &parts.front()) out += separator;
    out += part;
  }
  return out;
}

}  // namespace

StringId StringTable::intern(std::string_view text) {
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  const auto id = static_cast<StringId>(texts_.size());
  texts_.emplace_back(text);
  ids_.emplace(texts_.back(), id);
  return id;
}

std::optional<StringId> StringTable::find(std::string_view text) const {
  const auto known = ids_.find(text);
  if (known == ids_.end()) return std::nullopt;
  return known->second;
}

std::optional<std::string_view> closest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    // A name that was only typed in part is as good as one typo.
    const bool is_start = name.size() >= 2 && candidate.starts_with(name);
    const std::size_t distance = is_start ? 1 : edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  return join_parts(parts, separator);
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return join_parts(parts, separator);
}

std::uint64_t stable_hash(std::initializer_list<std::string_view> parts) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](unsigned char c) { hash = (hash ^ c) * 0x100000001b3u; };
  for (const std::string_view part : parts) {
    for (const char c : part) add(static_cast<unsigned char>(c));
    add(0);
  }
  return hash;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::size_t characters(std::string_view text) {
  // Every byte but the continuation bytes of UTF-8 starts a character.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string shortened(std::string_view text, std::size_t most, CutAt cut) {
  constexpr std::string_view kLeftOut = "...";
  const std::size_t all = characters(text);
  if (all <= most) return std::string(text);
  const std::size_t kept = std::max(most, kLeftOut.size() + 1) - kLeftOut.size();
  // Where the first character begins that is kept, or that is not.
  const std::size_t skipped = cut == CutAt::front ? all - kept : kept;
  std::size_t at = 0, seen = 0;
  for (; at < text.size(); ++at)
    if ((text[at] & 0xc0) != 0x80 && seen++ == skipped) break;
  if (cut == CutAt::front) return std::string(kLeftOut).append(text.substr(at));
  return std::string(text.substr(0, at)).append(kLeftOut);
}

std::string last_lines(std::string_view text, std::size_t lines) {
  std::vector<std::string> kept;
  while (!text.empty() && kept.size() < lines) {
    const std::size_t cut = text.find_last_of('\n');
    std::string line(cut == std::string_view::npos ? text : text.substr(cut + 1));
    text = cut == std::string_view::npos ? std::string_view{} : text.substr(0, cut);
    for (char& c : line)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    kept.push_back(line.substr(first, line.find_last_not_of(' ') - first + 1));
  }
  std::reverse(kept.begin(), kept.end());
  return join(kept, " | ");
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

}  // namespace zerostall
