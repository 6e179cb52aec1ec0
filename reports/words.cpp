#include "reports/words.h"

#include <fmt/format.h>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"

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

bool is_time(Counter counter) { return all_counters()[static_cast<std::size_t>(counter)].is_time; }

std::string with_unknown(const std::string& figure) { return fmt::format(" + {} unknown", figure); }

std::string with_others(const std::string& figure) { return fmt::format(" + {} on other threads", figure); }

}  // namespace

std::string show(const Count& count) { return count ? fmt::format("{}", *count) : "unknown"; }

std::string show_time(const Count& nanos) { return nanos ? millis(*nanos) + " ms" : "unknown"; }

std::string show_bytes(Bytes bytes) {
  std::string digits = fmt::format("{}", bytes);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits + " B";
}

std::string show_range(const std::optional<Spread>& spread) {
  if (!spread) return "unknown";
  return spread->min == spread->max ? fmt::format("{}", spread->min) : fmt::format("{}..{}", spread->min, spread->max);
}

std::string show_time_range(const std::optional<Spread>& spread) {
  if (!spread) return "unknown";
  const std::string low = millis(spread->min), high = millis(spread->max);
  return low == high ? low + " ms" : fmt::format("{}..{} ms", low, high);
}

std::string show_counter(Counter counter, const CounterSpreads& spreads) {
  const auto& spread = spreads[counter];
  std::string text = is_time(counter) ? show_time_range(spread) : show_range(spread);
  const auto& unknown = spreads[Counter::unknown_copies];
  const auto& others = spreads[Counter::blocked_other_threads_ns];
  if (counter == Counter::blocking_copies && unknown && unknown->max > 0) text += with_unknown(show_range(unknown));
  if (counter == Counter::blocked_ns && others && others->max > 0) text += with_others(show_time_range(others));
  return text;
}

std::string show_counter(Counter counter, const Counters& counters) {
  const Count& value = counters[counter];
  std::string text = is_time(counter) ? show_time(value) : show(value);
  const Count &unknown = counters[Counter::unknown_copies], &others = counters[Counter::blocked_other_threads_ns];
  if (counter == Counter::blocking_copies && unknown.value_or(0) > 0) text += with_unknown(show(unknown));
  if (counter == Counter::blocked_ns && others.value_or(0) > 0) text += with_others(show_time(others));
  return text;
}

std::string between_sentence(const RunSummary& run) {
  std::string text;
  for (const RegionRow& region : run.outside_regions)
    if (const std::int64_t waits = region.counters[Counter::waits].value_or(0); waits > 0)
      text += fmt::format(
          "{} in `{}`", text.empty() ? "between the steps: " + counted(waits, "host wait") : fmt::format(", {}", waits),
          region.name);
  return text;
}

std::string idle_sentence(const Counters& counters, const std::string& where, const std::string& mark) {
  const Count &idle = counters[Counter::idle_waits], &waits = counters[Counter::waits];
  if (!waits || idle.value_or(0) == 0) return {};
  return fmt::format("{} of {}{} found nothing queued before{}, and waited at most for a copy of their own", *idle,
                     counted(*waits, "wait"), where, mark);
}

std::string show_device(const TraceMeta& meta) {
  if (meta.device_name.empty()) return meta.clock == Clock::modelled ? "simulated GPU" : "unknown device";
  return meta.device_name;
}

std::string show_command(const TraceMeta& meta) {
  constexpr std::size_t kMostCharacters = 48;
  if (meta.program.empty()) return {};
  std::string text = meta.program + (meta.script.empty() ? "" : " " + meta.script);
  if (meta.arguments.value_or(0) > 0) text += " + " + counted(*meta.arguments, "argument");
  return shortened(printable(text), kMostCharacters);
}

std::string not_repeatable_sentence(const TraceMeta& meta) {
  return meta.host_clock == "cpu"
             ? "times are not repeatable: the CPU time of the host drives the clock; counts hold"
             : "times are not repeatable: several threads made CUDA calls at the same time; counts hold";
}

std::string time_mark(const TraceMeta& meta) { return meta.clock == Clock::modelled ? " (modelled)" : ""; }

}  // namespace zerostall
