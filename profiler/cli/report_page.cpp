#include "profiler/cli/report_page.h"

#include <algorithm>

#include "profiler/cli/processes.h"

namespace zerostall::cli {
namespace {

constexpr const char* kNoRoom = "the timeline is left out: it does not fit below ";

std::int64_t size_of(const std::vector<ReportRun>& runs) {
  return runs.empty() ? 0 : static_cast<std::int64_t>(runs.front().timeline.base64.size());
}

}  // namespace

TimelineBlob timeline_of(const Analyzed& all, Bytes at_most) {
  return make_timeline_blob({&all.trace, &all.steps, &all.waits, &all.run}, at_most);
}

std::string page_with_timelines(ReportInput input, const std::vector<ShownProcess>& shown, std::int64_t max_bytes) {
  const std::int64_t rest = static_cast<std::int64_t>(render_html_report(input).size());
  const std::int64_t each = (max_bytes - rest) / static_cast<std::int64_t>(std::max<std::size_t>(shown.size(), 1));
  for (const ShownProcess& process : shown) {
    auto& runs = process.side == 0 ? input.before : input.after;
    if (runs.empty() || process.whole == nullptr) continue;
    TimelineBlob& blob = runs.front().timeline;
    if (each > 0) blob = timeline_of(*process.whole, static_cast<Bytes>(each));
    if (static_cast<std::int64_t>(blob.base64.size()) <= std::max<std::int64_t>(each, 0)) continue;
    blob = {};
    blob.why = std::string(kNoRoom) + "--max-size";
  }
  return render_html_report(input);
}

std::string page_of(ReportInput input) {
  std::string page = render_html_report(input);
  if (static_cast<std::int64_t>(page.size()) <= kPageBytes) return page;
  for (auto* runs : {&input.before, &input.after}) {
    if (size_of(*runs) == 0) continue;
    runs->front().timeline = {};
    runs->front().timeline.why = std::string(kNoRoom) + "8 MB, the most that a page may have";
  }
  return render_html_report(input);
}

void add_timelines(const std::vector<NamedRun>& processes, Timelines& timelines) {
  for (const NamedRun& process : processes) timelines[&process.summary] = &process.timeline;
}

void keep_one_timeline(const std::vector<std::vector<NamedRun>*>& earlier, std::vector<NamedRun>& latest) {
  for (NamedRun& run : latest)
    for (std::vector<NamedRun>* repetition : earlier)
      for (NamedRun& other : *repetition) {
        if (other.name != run.name || other.timeline.base64.empty()) continue;
        (waits_more(run.summary, other.summary) ? other : run).timeline = {};
      }
}

}  // namespace zerostall::cli
