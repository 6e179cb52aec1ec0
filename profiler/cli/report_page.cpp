#include "profiler/cli/report_page.h"

#include <algorithm>

namespace zerostall::cli {

std::string page_with_timelines(ReportInput input, const std::vector<ShownProcess>& shown, std::int64_t max_bytes) {
  const std::int64_t rest = static_cast<std::int64_t>(render_html_report(input).size());
  const std::int64_t each = (max_bytes - rest) / static_cast<std::int64_t>(std::max<std::size_t>(shown.size(), 1));
  for (const ShownProcess& process : shown) {
    auto& runs = process.side == 0 ? input.before : input.after;
    if (runs.empty() || process.whole == nullptr) continue;
    TimelineBlob& blob = runs.front().timeline;
    const Analyzed& whole = *process.whole;
    if (each > 0)
      blob = make_timeline_blob({&whole.trace, &whole.steps, &whole.waits, &whole.run}, static_cast<Bytes>(each));
    if (static_cast<std::int64_t>(blob.base64.size()) <= std::max<std::int64_t>(each, 0)) continue;
    blob = {};
    blob.why = "the timeline is left out: it does not fit below --max-size";
  }
  return render_html_report(input);
}

}  // namespace zerostall::cli
