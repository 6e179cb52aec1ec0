// From what a command read to the page: timelines as large as there is room for.
#pragma once
#include <string>
#include <vector>

#include "profiler/analyze/analyzed.h"
#include "profiler/cli/options.h"
#include "reports/html_report.h"

namespace zerostall::cli {

// A process that is shown in full, with the trace its timeline is made of; null = it has none.
struct ShownProcess {
  const Analyzed* whole = nullptr;
  std::size_t side = 0;  // 0 before, 1 after
};

// `input` with timelines of `shown`, so that the page stays below `max_bytes`. Where there is no room the page says so.
std::string page_with_timelines(ReportInput input, const std::vector<ShownProcess>& shown, std::int64_t max_bytes);

}  // namespace zerostall::cli
