// A chart of one figure by step, as positions in a drawing: what draws it is a template.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/html_report.h"

namespace zerostall::report {

// One mark: a step, or several where there are many.
struct ChartMark {
  double x = 0, y = 0;
  bool after = true;     // of the second side
  bool warmup = false;   // not judged
  std::size_t slot = 0;  // counts from the left; marks of both sides share one
  std::string label;     // "step 7, after: 3 host waits"
};
struct ChartTick {
  double at = 0;
  std::string label;
};
struct Chart {
  std::string id, title;  // "waits", "Host waits per step"
  std::vector<ChartMark> marks;
  std::vector<ChartTick> x, y;
  double warmup_end = 0;  // greyed up to here; left edge: nothing is
  std::optional<double> budget;
  std::string budget_label, note;  // note: what a mark stands for where it is not one step
};

// Of all charts.
struct ChartFrame {
  static constexpr double kWidth = 720, kHeight = 220, kLeft = 64, kRight = 708, kTop = 14, kBottom = 186;
};

// Empty where no side has steps. `times` of a simulated run are for the folded part.
std::optional<Chart> waits_chart(const ReportInput& input);
std::optional<Chart> times_chart(const ReportInput& input);

}  // namespace zerostall::report
