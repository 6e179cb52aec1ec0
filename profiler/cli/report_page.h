// From what a command read to the page: timelines as large as there is room for.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "profiler/analyze/analyzed.h"
#include "profiler/cli/options.h"
#include "reports/html_report.h"
#include "reports/named_run.h"

namespace zerostall::cli {

// A process that is shown in full, with the trace its timeline is made of; null = it has none.
struct ShownProcess {
  const Analyzed* whole = nullptr;
  std::size_t side = 0;  // 0 before, 1 after
};

// `input` with timelines of `shown`, so that the page stays below `max_bytes`. Where there is no room the page says so.
std::string page_with_timelines(ReportInput input, const std::vector<ShownProcess>& shown, std::int64_t max_bytes);

// For commands that judge: their traces are gone by the time the page is made, so timelines are made while they are
// read, each of two as large as leaves the figures a tenth of the page.
inline constexpr Bytes kTimelineBytes = 3'600'000;
TimelineBlob timeline_of(const Analyzed& all, Bytes at_most);

// `input` with the timelines that it has; without them, and saying so, where they do not fit.
std::string page_of(ReportInput input);

// Timelines of runs that were judged, by the summary that the page shows; null or missing = it has none.
using Timelines = std::map<const RunSummary*, const TimelineBlob*>;
void add_timelines(const std::vector<NamedRun>& processes, Timelines& timelines);

// Of repetitions of a run: drops the timeline of `latest`'s processes or of those in `earlier` that have their name,
// so that of each process one stays, of the repetition that waits most (the first of equals).
void keep_one_timeline(const std::vector<std::vector<NamedRun>*>& earlier, std::vector<NamedRun>& latest);

}  // namespace zerostall::cli
