// Counts by commit, for a terminal.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "profiler/gate/history.h"

namespace zerostall {

struct HistoryView {
  std::string metric = "waits";  // Metric::key
  std::size_t last = 40;         // commits of each series; rises are looked for in all of them
};

// "3f2a9c1 on main: 3 waits per step (simulated H200, python3.11 train.py)".
std::string history_line(const HistoryConfiguration& configuration, const HistoryCommit& commit);

// A table for each series, and under it where the count rose and stayed.
std::string render_history_text(std::span<const HistorySeries> series, const HistoryView& view);

// The same as columns: the most that a step of each commit has.
std::string render_history_plot(std::span<const HistorySeries> series, const HistoryView& view);

}  // namespace zerostall
