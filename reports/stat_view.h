// What of a run `zerostall stat` shows, and how.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analyze/summary.h"
#include "reports/table.h"

namespace zerostall {

// A table: a row for each.
enum class StatBy : std::uint8_t { step, site, cause, thread, stream };

struct StatView {
  std::vector<StatBy> by{};          // these tables; empty = the first screen
  std::optional<std::size_t> top{};  // rows of a table, 0 = all; nullopt: of the first screen what fits it, else all
  bool verbose = false;              // of the first screen: all rows, and the kinds of waits, calls and copies
  TextStyle style{};
};

// How many of `all` rows are shown, where a screen has room for `fit`. A table that is one row longer is shown whole.
std::size_t rows_shown(std::size_t all, const StatView& view, std::size_t fit);

// "... 12 more places: --top 0 shows all\n"; "" where none is left out. `what`: plural.
std::string rows_left_out(std::size_t all, std::size_t shown, std::string_view what);

// A line above a table whose columns of these names hold modelled figures; "" where they are measured.
std::string modelled_columns(const RunSummary& run, const std::vector<std::string>& names);

// Of waits per judged step: none is good; bad are those of which some let the GPU run dry.
Tone tone_of_waits(const Count& waits, const Count& drains);
Tone tone_of_waits(const std::optional<Spread>& waits, const Count& drains);

// "1", "1..3" per step; of the whole trace where no step is judged.
std::string show_rate(const std::optional<Spread>& per_step, std::int64_t in_all);

// "3", "?": beside figures, in place of "unknown".
std::string show_short(const std::optional<std::int64_t>& count);
std::string show_short_time(const std::optional<Nanos>& nanos);

}  // namespace zerostall
