#include "reports/places_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/table.h"
#include "reports/words.h"

namespace zerostall {

std::string render_implicit_sites(const RunSummary& run, const TextStyle& style, bool all) {
  constexpr std::size_t kMost = 4;
  std::vector<const Site*> sites;
  for (const Site& site : run.implicit_sites)
    if (site.judged > 0) sites.push_back(&site);
  if (sites.empty()) return "";
  const std::size_t shown = all || sites.size() <= kMost + 1 ? sites.size() : kMost;
  Table table{{"takes or gives back memory", "calls/step", "in all", "time" + time_mark(run.meta), "call"}, {}, 1};
  for (std::size_t i = 0; i < shown; ++i)
    table.rows.push_back({shown_place(*sites[i]), show_range(sites[i]->per_step), fmt::format("{}", sites[i]->count),
                          show_time(sites[i]->blocked_ns), sites[i]->what});
  table.least_first = 32;
  std::string text = "\n" + render_table(table, style);
  if (shown < sites.size()) text += fmt::format("... and {} more places: --verbose shows all\n", sites.size() - shown);
  const CauseInfo& info = info_of(CauseKind::allocator);
  return text + wrapped(fmt::format("{}: such calls may wait for the GPU; {}\n", info.slug, info.advice), style);
}

std::string how_to_get_lines(const RunSummary& run) {
  const auto is_line = [](const Site& s) { return s.from == SiteFrom::own_line || s.from == SiteFrom::library_line; };
  if (run.sites.empty() || std::any_of(run.sites.begin(), run.sites.end(), is_line)) return "";
  if (run.meta.format == "kineto")
    return "note: no Python in this trace: torch.profiler.profile(with_stack=True) records the functions that wait\n";
  if (run.meta.format == "nsys")
    return "note: call stacks of Nsight Systems are not read: ranges around parts of the step (torch.cuda.nvtx.range) "
           "name its places, zerostall record tells lines\n";
  if (run.stacks.empty())
    return "note: recorded without call stacks: zerostall record tells lines unless --stacks none\n";
  return "";
}

}  // namespace zerostall
