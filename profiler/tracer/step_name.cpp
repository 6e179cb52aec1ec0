#include "profiler/tracer/step_name.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace zerostall::tracer {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kLongest = 256;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::optional<std::int64_t> number_of(std::string_view digits) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return number;
}

// "step", "iteration", "train step", "training_batch".
bool is_bare(std::string_view text) {
  for (const std::string_view train : {"training", "train"})
    if (text.starts_with(train)) {
      text.remove_prefix(train.size());
      if (!text.empty() && (text[0] == ' ' || text[0] == '_')) text.remove_prefix(1);
      break;
    }
  return text == "step" || text == "iteration" || text == "batch";
}

// "step 7", "epoch 1/iter_7", "batch#7": a word for a step, alone or behind a separator, and a number at the end, which
// may be too large to be told.
std::optional<StepName> numbered(std::string_view text) {
  const std::size_t first = text.find_last_not_of(kDigits) + 1;
  if (first == text.size() || first == 0) return std::nullopt;
  std::string_view word = text.substr(0, first);
  const std::size_t end = word.find_last_not_of(" \t_#:");
  if (end == std::string_view::npos) return std::nullopt;
  word = word.substr(0, end + 1);
  for (const std::string_view name : {"step", "iteration", "iter", "batch"}) {
    if (!word.ends_with(name)) continue;
    const std::string_view before = word.substr(0, word.size() - name.size());
    if (before.empty() || std::string_view(" \t_/:-").find(before.back()) != std::string_view::npos)
      return StepName{number_of(text.substr(first))};
  }
  return std::nullopt;
}

}  // namespace

std::optional<StepName> step_name(std::string_view text) {
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  const std::string low = lower(text);
  constexpr std::string_view kProfiler = "profilerstep#";
  if (low.starts_with(kProfiler)) {
    const std::string_view rest = std::string_view(low).substr(kProfiler.size());
    const std::string_view digits = rest.substr(0, std::min(rest.find_first_not_of(kDigits), rest.size()));
    if (!digits.empty()) return StepName{number_of(digits)};
  }
  if (const auto name = numbered(low)) return name;
  if (is_bare(low)) return StepName{};
  return std::nullopt;
}

}  // namespace zerostall::tracer
