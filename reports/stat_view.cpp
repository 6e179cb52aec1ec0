#include "reports/stat_view.h"

#include <fmt/format.h>

#include "profiler/base/strings.h"
#include "reports/words.h"

namespace zerostall {

std::size_t rows_shown(std::size_t all, const StatView& view, std::size_t fit) {
  if (view.top) return *view.top == 0 ? all : std::min(all, *view.top);
  const bool is_whole = view.verbose || !view.by.empty() || all <= fit + 1;
  return is_whole ? all : fit;
}

std::string rows_left_out(std::size_t all, std::size_t shown, std::string_view what) {
  return shown < all ? fmt::format("... and {} more {}: --top 0 shows all\n", all - shown, what) : "";
}

std::string modelled_columns(const RunSummary& run, const std::vector<std::string>& names) {
  if (run.meta.clock != Clock::modelled || names.empty()) return {};
  return fmt::format("modelled, not measured: {}\n", join(names, ", "));
}

Tone tone_of_waits(const Count& waits, const Count& drains) {
  if (!waits) return Tone::plain;
  if (*waits == 0) return Tone::good;
  return drains.value_or(1) > 0 ? Tone::bad : Tone::notable;
}

Tone tone_of_waits(const std::optional<Spread>& waits, const Count& drains) {
  return tone_of_waits(waits ? Count(waits->max) : std::nullopt, drains);
}

std::string show_rate(const std::optional<Spread>& per_step, std::int64_t in_all) {
  return per_step ? show_range(per_step) : fmt::format("{}", in_all);
}

std::string show_short(const std::optional<std::int64_t>& count) { return count ? fmt::format("{}", *count) : "?"; }

std::string show_short_time(const std::optional<Nanos>& nanos) { return nanos ? show_time(*nanos) : "?"; }

}  // namespace zerostall
