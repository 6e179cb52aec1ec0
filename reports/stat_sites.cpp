#include "reports/stat_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "reports/words.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostRows = 15;  // on the first screen
// Characters of long cells: where no terminal sets a limit, and down to what a place gives way in one.
constexpr std::size_t kMostOfPlace = 56, kLeastOfPlace = 32, kMostOfEvidence = 80;

// Of a path the end tells most, of a kernel's name the beginning.
CutAt cut_of(const Site& site) {
  return site.from == SiteFrom::own_line || site.from == SiteFrom::library_line ? CutAt::front : CutAt::end;
}

std::string cause_words(const Site& site) {
  const Cause& cause = site.cause;
  if (site.of_the_tool) return "the profiler's own";
  if (cause.kind == CauseKind::unknown) return "unknown";
  return fmt::format("{} ({})", info_of(cause.kind).slug, name_of(cause.confidence));
}

bool has_costs(const RunSummary& run) {
  return std::any_of(run.sites.begin(), run.sites.end(), [](const Site& s) { return s.avoidable_ns.has_value(); });
}

// The columns that places and causes share, behind the first one.
std::vector<std::string> figure_titles(const RunSummary& run) {
  std::vector<std::string> titles = {run.judged() > 0 ? "waits/step" : "waits"};
  if (run.judged() > 0) titles.emplace_back("in all");
  titles.insert(titles.end(), {"GPU ran dry", "blocked"});
  if (has_costs(run)) titles.emplace_back("avoidable idle");
  return titles;
}

template <class Row>  // Site, CauseRow
std::vector<std::string> figures_of(const RunSummary& run, const Row& row) {
  std::vector<std::string> cells = {show_rate(row.per_step, row.count)};
  if (run.judged() > 0) cells.push_back(fmt::format("{}", row.count));
  cells.insert(cells.end(), {show_short(row.drains), show_time(row.blocked_ns)});
  if (has_costs(run)) cells.push_back(show_short_time(row.avoidable_ns));
  return cells;
}

std::string modelled_of(const RunSummary& run) {
  std::vector<std::string> names = {"GPU ran dry", "blocked"};
  if (has_costs(run)) names.emplace_back("avoidable idle");
  return modelled_columns(run, names);
}

// Where there is no room: what is counted in all, then whether it drained, then times; waits per step and cause stay.
void set_drops(Table& table) {
  for (const std::string_view title : {"in all", "GPU ran dry", "blocked", "avoidable idle", "places"})
    if (const auto at = std::find(table.header.begin(), table.header.end(), title); at != table.header.end())
      table.drops.push_back(static_cast<std::size_t>(at - table.header.begin()));
}

// What would tell why a wait happens, of what this trace lacks.
std::string how_to_know_more(const RunSummary& run) {
  const bool has_steps = !run.steps.empty() && !is_inferred(run.steps_from);
  const bool has_lines = std::any_of(run.sites.begin(), run.sites.end(), [](const Site& s) {
    return s.from == SiteFrom::own_line || s.from == SiteFrom::library_line;
  });
  constexpr std::string_view kStacks = "record call stacks (zerostall record, torch.profiler with_stack=True)";
  if (has_lines) return has_steps ? "" : "mark your steps";
  return (has_steps ? "" : "mark your steps, and ") + std::string(kStacks);
}

// What to do about the causes of the sites shown, each once; where steps are judged, of those that wait in them.
std::string advice_lines(const RunSummary& run, std::size_t sites) {
  std::string text;
  std::set<CauseKind> told;
  for (const Site& site : std::span(run.sites).first(sites)) {
    if (run.judged() > 0 && site.judged == 0) continue;
    const std::string advice = advice_for(run, site.cause.kind);
    if (advice.empty() || !told.insert(site.cause.kind).second) continue;
    text += fmt::format("{}: {}\n", info_of(site.cause.kind).slug, advice);
  }
  return text;
}

}  // namespace

std::string advice_for(const RunSummary& run, CauseKind kind) {
  const bool has_others = std::any_of(run.sites.begin(), run.sites.end(),
                                      [&](const Site& s) { return s.cause.kind == kind && !s.of_the_tool; });
  if (!has_others) return {};
  return kind == CauseKind::unknown ? how_to_know_more(run) : std::string(info_of(kind).advice);
}

std::string sites_table(const RunSummary& run, const StatView& view) {
  Table table{{"where"}, {}, 2};
  for (std::string& title : figure_titles(run)) table.header.push_back(std::move(title));
  table.header.insert(table.header.end(), {"cause", "seen in"});
  table.least_first = kLeastOfPlace;
  table.last_below = true;
  set_drops(table);
  const bool is_limited = view.style.width > 0;
  const std::size_t shown = rows_shown(run.sites.size(), view, kMostRows);
  for (const Site& site : std::span(run.sites).first(shown)) {
    if (run.judged() > 0) table.tones[{table.rows.size(), 1}] = tone_of_waits(site.per_step, site.drains);
    table.cuts.push_back(cut_of(site));
    const std::string place = printable(shown_place(site));
    table.rows.push_back({is_limited ? place : shortened(place, kMostOfPlace, cut_of(site))});
    auto& row = table.rows.back();
    for (std::string& cell : figures_of(run, site)) row.push_back(std::move(cell));
    row.insert(row.end(), {cause_words(site), shortened(printable(site.cause.evidence), kMostOfEvidence)});
  }
  if (table.rows.empty()) return "";
  const std::string advice = advice_lines(run, shown);
  return wrapped(modelled_of(run), view.style) + render_table(table, view.style) +
         rows_left_out(run.sites.size(), shown, "places") +
         (advice.empty() ? "" : wrapped("\n" + advice + "zerostall explain CAUSE tells more of one\n", view.style));
}

std::string causes_table(const RunSummary& run, const StatView& view) {
  Table table{{"cause"}, {}, 1};
  for (std::string& title : figure_titles(run)) table.header.push_back(std::move(title));
  table.header.insert(table.header.end(), {"places", "what to do"});
  table.last_below = true;
  set_drops(table);
  const std::size_t shown = rows_shown(run.causes.size(), view, kMostRows);
  for (const CauseRow& cause : std::span(run.causes).first(shown)) {
    if (run.judged() > 0) table.tones[{table.rows.size(), 1}] = tone_of_waits(cause.per_step, cause.drains);
    table.rows.push_back({std::string(info_of(cause.kind).slug)});
    auto& row = table.rows.back();
    for (std::string& cell : figures_of(run, cause)) row.push_back(std::move(cell));
    row.insert(row.end(), {fmt::format("{}", cause.places), advice_for(run, cause.kind)});
  }
  if (table.rows.empty()) return "";
  return wrapped(modelled_of(run), view.style) + render_table(table, view.style) +
         rows_left_out(run.causes.size(), shown, "causes");
}

}  // namespace zerostall
