// The page of commands that judge: `check` and `verify`.
#include <algorithm>
#include <set>

#include "fixes/catalog.h"
#include "profiler/analyze/compare.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/report.h"

namespace zerostall::cli {
namespace {

// The one that waits most first; of those called `name`, where there is one.
std::vector<ReportRun> worst_first(std::span<const CheckedRun> runs, const Timelines& timelines,
                                   const std::string* name = nullptr) {
  std::vector<ReportRun> all;
  for (const CheckedRun& run : runs) {
    const auto found = timelines.find(run.summary);
    const bool has = found != timelines.end() && found->second != nullptr;
    all.push_back({run.name, run.summary, has ? *found->second : TimelineBlob{}});
  }
  const auto fits = [&](const ReportRun& run) { return name == nullptr || run.name == *name; };
  const auto comes_later = [&](const ReportRun& a, const ReportRun& b) {
    return fits(a) != fits(b) ? fits(b) : waits_more(*b.summary, *a.summary);
  };
  const auto worst = std::max_element(all.begin(), all.end(), comes_later);
  if (worst != all.end()) std::rotate(all.begin(), worst, worst + 1);
  return all;
}

// All that the process shown did: runs of one name are repetitions.
std::vector<RunSummary> repetitions(const std::vector<ReportRun>& runs) {
  std::vector<RunSummary> all;
  for (const ReportRun& run : runs)
    if (run.name == runs.front().name) all.push_back(*run.summary);
  return all;
}

}  // namespace

std::string html_of_check(const CheckReport& report, std::span<const CheckedRun> runs,
                          std::span<const CheckedRun> before, const Timelines& timelines) {
  ReportInput input;
  input.after = worst_first(runs, timelines);
  // Of several processes the same one of both sides.
  if (!input.after.empty()) input.before = worst_first(before, timelines, &input.after.front().name);
  input.check = &report;
  std::optional<Comparison> comparison;
  if (!input.before.empty()) {
    const auto a = repetitions(input.before), b = repetitions(input.after);
    comparison = compare_runs(a, b, kBeforeAndAfter);
    input.comparison = &*comparison;
  }
  return page_of(std::move(input));
}

std::string html_of_verify(const VerifyReport& report, const VerifyTimelines& timelines) {
  ReportInput input;
  input.verify = &report;
  std::optional<Comparison> comparison;
  const bool two = report.runs.size() > 1;
  if (!report.runs.empty())
    input.after.push_back({"", &report.runs.back().summary, two ? timelines.last : timelines.first});
  if (two) {
    const RunSummary &a = report.runs.front().summary, &b = report.runs.back().summary;
    input.before.push_back({"", &a, timelines.first});
    comparison = compare_runs(std::span(&a, 1), std::span(&b, 1), kBeforeAndAfter);
    input.comparison = &*comparison;
  }
  std::set<std::string> toggled;
  for (const VerifyRun& run : report.runs) toggled.insert(run.fixes.begin(), run.fixes.end());
  for (const std::string& name : toggled)
    if (const auto fix = fixes::find(name))
      input.fixes.push_back({fix->name, fix->title, fix->cause, fix->explanation});
  return page_of(std::move(input));
}

}  // namespace zerostall::cli
