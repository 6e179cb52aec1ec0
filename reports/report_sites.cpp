// Places that wait, of both sides beside each other.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profiler/base/strings.h"
#include "reports/check_words.h"
#include "reports/report_model.h"
#include "reports/stat_sites.h"

namespace zerostall::report {
namespace {

constexpr std::size_t kMostSites = 300, kMostFrames = 24;

SiteSide side_of(const Site& site) { return {site.count, site.per_step, site.blocked_ns, site.avoidable_ns}; }

std::string file_of(const SourceLine& line) {
  if (line.file.empty()) return {};
  const std::string file = shown(name_without_folders(line.file));
  return line.line > 0 ? fmt::format("{}:{}", file, line.line) : file;
}

std::string frame_text(const SourceLine& line) {
  const std::string file = file_of(line), function = shown(line.function, 120);
  const std::string text = file.empty() ? function : function.empty() ? file : file + " in " + function;
  return text + (line.library && !line.file.empty() ? " (library)" : "");
}

// Whether a wait of this place can have come by this stack: its kind waits there, and a frame names the place.
bool fits(const WaitStack& stack, const Site& site) {
  if (stack.id == 0 || stack.python.empty()) return false;
  if (std::none_of(stack.waits.begin(), stack.waits.end(), [&](const WaitsThere& w) { return w.what == site.what; }))
    return false;
  const bool by_line = site.from == SiteFrom::own_line || site.from == SiteFrom::library_line;
  if (!by_line && site.from != SiteFrom::op) return false;
  return std::any_of(stack.python.begin(), stack.python.end(), [&](const SourceLine& line) {
    if (by_line) return line.file == site.file && line.line == site.line && line.function == site.function;
    return line.function == site.place || line.function == site.function;
  });
}

// Of each site the innermost region of its waits in steps, where that is the same of all; else "".
std::vector<std::string> regions_of(const RunSummary& run) {
  std::vector<std::string> regions(run.sites.size());
  std::vector<bool> seen(run.sites.size());
  for (const StepRow& step : run.steps)
    for (const WaitSeen& wait : step.waits) {
      if (wait.site >= regions.size()) continue;
      const std::string here = wait.regions.empty() ? "" : wait.regions.back();
      if (!seen[wait.site]) regions[wait.site] = here;
      if (regions[wait.site] != here) regions[wait.site].clear();
      seen[wait.site] = true;
    }
  return regions;
}

void add_stack(const RunSummary& run, const Site& site, SiteRow& row) {
  const auto stack =
      std::find_if(run.stacks.begin(), run.stacks.end(), [&](const WaitStack& s) { return fits(s, site); });
  if (stack == run.stacks.end()) {
    row.stack_note = "no call stack of Python was recorded for this place";
    return;
  }
  for (const SourceLine& line : stack->python)
    if (row.stack.size() < kMostFrames) row.stack.push_back(frame_text(line));
  if (row.stack.size() < stack->python.size())
    row.stack_note = fmt::format("{} more frames outside of these", stack->python.size() - row.stack.size());
  else if (stack->python_cut)
    row.stack_note = "outer frames were not recorded";
}

SiteRow row_of(const RunSummary& run, const Site& site, const std::string& region) {
  SiteRow row;
  row.id = shown(site.id);
  row.place = shown(shown_place(site));
  const CauseInfo& cause = info_of(site.cause.kind);
  row.cause = site.of_the_tool ? "profiler" : cause.slug;
  row.cause_title = site.of_the_tool ? "what recorded the trace waits here, not the program" : cause.title;
  row.confidence = site.of_the_tool || site.cause.kind == CauseKind::unknown ? "" : name_of(site.cause.confidence);
  row.advice = site.of_the_tool ? "" : advice_for(run, site.cause.kind);
  row.what = shown(site.what);
  row.evidence = shown(site.cause.evidence);
  row.via = site.via.empty() ? "" : shown(name_without_folders(site.via));
  row.kinds = site.kinds;
  if (site.from == SiteFrom::native) row.region = shown(region, 120);
  add_stack(run, site, row);
  return row;
}

// Waits of a side, per judged step where both have some.
double weight(const std::optional<SiteSide>& side) {
  if (!side) return 0;
  return side->per_step ? static_cast<double>(side->per_step->median) + static_cast<double>(side->per_step->max) / 1e3
                        : static_cast<double>(side->waits);
}

bool is_idle(const std::optional<SiteSide>& side) {
  return !side || (side->per_step ? side->per_step->max == 0 : side->waits == 0);
}

std::string state_of(const SiteRow& row) {
  const double before = weight(row.before), after = weight(row.after);
  if (!row.after || (is_idle(row.after) && !is_idle(row.before))) return "gone";
  if (!row.before || (is_idle(row.before) && !is_idle(row.after))) return "new";
  if (before == after) return "same";
  return after < before ? "fewer" : "more";
}

// Without the text of their lines, lines of one function that wait for the same reason have one id: then their order
// tells them apart. One key per site.
std::vector<std::string> keys_of(const std::vector<Site>& sites) {
  std::map<std::string, std::vector<std::uint32_t>> lines;
  for (const Site& site : sites) lines[site.id].push_back(site.line);
  std::map<std::string, std::size_t> seen;  // of those in one line
  std::vector<std::string> keys;
  for (const Site& site : sites) {
    const auto& all = lines[site.id];
    const auto above = std::count_if(all.begin(), all.end(), [&](std::uint32_t line) { return line < site.line; });
    std::string key = fmt::format("{}#{}", site.id, above);
    const std::size_t twin = seen[key]++;
    keys.push_back(key + "#" + std::to_string(twin));
  }
  return keys;
}

}  // namespace

SiteRows sites_of(const ReportInput& input) {
  SiteRows all;
  if (input.after.empty()) return all;
  const RunSummary& after = *input.after.front().summary;
  std::map<std::string, std::size_t> by_key;
  const auto keys = keys_of(after.sites), regions = regions_of(after);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    by_key.emplace(keys[i], i);
    all.rows.push_back(row_of(after, after.sites[i], regions[i]));
    all.rows.back().after = side_of(after.sites[i]);
  }
  if (!input.before.empty()) {
    const RunSummary& before = *input.before.front().summary;
    const auto keys_before = keys_of(before.sites), regions_before = regions_of(before);
    for (std::size_t i = 0; i < keys_before.size(); ++i) {
      const auto known = by_key.find(keys_before[i]);
      if (known == by_key.end()) all.rows.push_back(row_of(before, before.sites[i], regions_before[i]));
      (known == by_key.end() ? all.rows.back() : all.rows[known->second]).before = side_of(before.sites[i]);
    }
    for (SiteRow& row : all.rows) row.state = state_of(row);
    // What changed most is what a reader came for.
    const auto change = [](const SiteRow& row) { return std::abs(weight(row.before) - weight(row.after)); };
    std::stable_sort(all.rows.begin(), all.rows.end(),
                     [&](const SiteRow& a, const SiteRow& b) { return change(a) > change(b); });
  }
  if (all.rows.size() > kMostSites) {
    all.left_out = std::ssize(all.rows) - static_cast<std::int64_t>(kMostSites);
    all.rows.resize(kMostSites);
  }
  return all;
}

}  // namespace zerostall::report
