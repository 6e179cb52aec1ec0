// `zerostall stat --csv`: one table for other programs.
#pragma once
#include <string>

#include "reports/stat_view.h"

namespace zerostall {

// A header and a row for each step, place, cause, thread or stream; of `view` the one table in `by` (else of steps) and
// `top` count. Units stand in the names of columns; an empty cell is unknown.
std::string render_stat_csv(const RunSummary& run, const StatView& view);

// How many rows such a table has without `top`.
std::size_t rows_by(const RunSummary& run, StatBy by);

}  // namespace zerostall
