#include "reports/stat_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "reports/oddities.h"
#include "reports/places_text.h"
#include "profiler/base/printable.h"
#include "reports/table.h"
#include "reports/words.h"

namespace zerostall {
namespace {

struct Column {
  Counter counter;
  std::string_view title;
  bool by_time = false;  // a time, or a count that follows from times
  bool always = false;   // shown where all of it is 0 too
};

constexpr auto kColumns = std::to_array<Column>({
    {Counter::waits, "waits", false, true},
    {Counter::drains, "GPU ran dry", true, true},
    {Counter::stream_syncs, "stream syncs"},
    {Counter::event_syncs, "event syncs"},
    {Counter::device_syncs, "device syncs"},
    {Counter::blocking_copies, "blocking copies"},
    {Counter::blocking_memsets, "blocking memsets"},
    {Counter::h2d_stalls, "H2D stalls"},
    {Counter::blocked_ns, "blocked", true, true},
    {Counter::h2d_stall_ns, "H2D stall", true},
});

// A column that says nothing but 0 would only make the lines longer.
std::vector<Column> columns_of(const RunSummary& run) {
  const auto is_zero = [&](Counter counter) { return run.totals[counter] == 0; };
  std::vector<Column> columns;
  for (const Column& c : kColumns) {
    const bool unknown_copies = c.counter == Counter::blocking_copies && !is_zero(Counter::unknown_copies);
    if (c.always || unknown_copies || !is_zero(c.counter)) columns.push_back(c);
  }
  return columns;
}

std::vector<std::string> titles(std::string first, const RunSummary& run) {
  std::vector<std::string> row = {std::move(first)};
  for (const Column& c : columns_of(run)) row.push_back(std::string(c.title) + (c.by_time ? time_mark(run.meta) : ""));
  return row;
}

// `figures` are Counters or their spreads over steps.
template <class Figures>
std::vector<std::string> figures_row(std::string first, const Figures& figures, const RunSummary& run) {
  std::vector<std::string> row = {std::move(first)};
  for (const Column& c : columns_of(run)) row.push_back(show_counter(c.counter, figures));
  return row;
}

bool same_counts(const StepRow& a, const StepRow& b) {
  if (a.judged != b.judged || a.unsteady != b.unsteady) return false;
  for (const CounterInfo& info : all_counters()) {
    const bool is_shown =
        info.counter == Counter::unknown_copies ||
        std::any_of(kColumns.begin(), kColumns.end(), [&](auto& c) { return c.counter == info.counter; });
    if (is_shown && !info.is_time && a.counters[info.counter] != b.counters[info.counter]) return false;
  }
  return true;
}

// Position behind the last step that shares a line with this one. Only numbers that go up by one, or all are one number
// (marks that do not count), can be told from the label.
std::size_t end_of_line(const std::vector<StepRow>& steps, std::size_t first) {
  std::size_t end = first + 1;
  std::int64_t stride = 0;
  for (; end < steps.size() && same_counts(steps[first], steps[end]); ++end) {
    const std::int64_t gap = steps[end].number - steps[end - 1].number;
    if (end == first + 1) stride = gap;
    if (gap != stride || gap < 0 || gap > 1) break;
  }
  return end;
}

// "7", "2-11", "7 (3 steps)", with what keeps the steps from being judged like the others.
std::string step_label(const StepRow& first, const StepRow& last, std::size_t count) {
  std::string label = fmt::format("{}", first.number);
  if (last.number != first.number) label += fmt::format("-{}", last.number);
  if (last.number == first.number && count > 1) label += fmt::format(" ({} steps)", count);
  if (!first.judged) label += " warm-up";
  if (first.unsteady) label += " unsteady";
  return label;
}

std::string steps_table(const RunSummary& run) {
  if (run.truncated && !run.has_cuda_calls) return {};  // nothing was read: zeros would say that nothing happened
  Table table{titles("step", run), {}};
  for (std::size_t i = 0; i < run.steps.size();) {
    const std::size_t end = end_of_line(run.steps, i);
    std::vector<Counters> alike;
    for (std::size_t s = i; s < end; ++s) alike.push_back(run.steps[s].counters);
    table.rows.push_back(figures_row(step_label(run.steps[i], run.steps[end - 1], end - i), spreads_of(alike), run));
    i = end;
  }
  for (const auto& [name, counters] :
       {std::pair("background", &run.background), std::pair("unclosed step", &run.unclosed),
        std::pair("outside steps", &run.outside)})
    if (*counters != Counters{} || (table.rows.empty() && counters == &run.outside))
      table.rows.push_back(figures_row(name, *counters, run));
  const std::string idle = idle_sentence(run.totals, " in the whole trace", time_mark(run.meta));
  return render_table(table) + (idle.empty() ? "" : "note: " + idle + "\n");
}

// The median of the judged steps, part by part.
std::string gpu_idle_line(const RunSummary& run) {
  const auto median = [&](Nanos IdleTime::*part) -> Count {
    std::vector<Count> samples;
    for (const StepRow& step : run.steps)
      if (step.judged) samples.push_back(step.gpu_idle ? Count((*step.gpu_idle).*part) : std::nullopt);
    const auto spread = spread_of(samples);
    return spread ? Count(spread->median) : std::nullopt;
  };
  const Count bubbles = median(&IdleTime::bubbles_ns), unknown = median(&IdleTime::unknown_ns);
  if (!bubbles) return {};
  return fmt::format("GPU idle per judged step{}: {} after waits ({} avoidable), {} host-bound, {} dependency{}\n",
                     time_mark(run.meta), show_time(bubbles), show_time(median(&IdleTime::avoidable_ns)),
                     show_time(median(&IdleTime::host_bound_ns)), show_time(median(&IdleTime::dependency_ns)),
                     unknown.value_or(0) > 0 ? ", " + show_time(unknown) + " of unknown cause" : "");
}

std::string regions_table(const RunSummary& run) {
  if (run.judged() == 0) return {};
  Table table{titles("per judged step", run), {figures_row("whole step", run.per_step, run)}};
  for (const RegionSummary& region : run.regions) table.rows.push_back(figures_row(region.name, region.per_step, run));
  return "\n" + render_table(table);
}

std::string apart_line(const RunSummary& run) {
  std::string line;
  constexpr std::array<std::pair<Counter, std::string_view>, 5> kApart = {
      {{Counter::implicit, "implicit"},
       {Counter::spins, "polling loops"},
       {Counter::queue_full, "launch queue full"},
       {Counter::unknown_copies, "copies of unknown kind"},
       {Counter::failed, "failed waits"}}};
  for (const auto& [counter, words] : kApart)
    if (run.totals[counter] != 0)
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", words, show(run.totals[counter]));
  return line.empty() ? "" : fmt::format("\nnot in the totals: {}\n", line);
}

// What fits a screen.
constexpr std::size_t kMostRows = 15;

std::string waits_table(const RunSummary& run) {
  Table table{{"wait", "count", "per judged step"}, {}};
  for (const WaitGroup& group : group_waits(run))
    table.rows.push_back(
        {group.what, fmt::format("{}", group.count), group.per_step ? show_range(group.per_step) : "-"});
  return table.rows.empty() ? "" : "\n" + render_table(table);
}

// "1", "1..3"; of the whole trace where no step is judged.
std::string site_rate(const Site& site) {
  return site.per_step ? show_range(site.per_step) : fmt::format("{}", site.count);
}

std::string cause_words(const Cause& cause) {
  if (cause.kind == CauseKind::unknown) return "unknown";
  return fmt::format("{} ({})", info_of(cause.kind).slug, name_of(cause.confidence));
}

// What to do about the causes of the sites shown, each once.
std::string advice_lines(const RunSummary& run, std::size_t sites) {
  std::string text;
  std::set<CauseKind> told;
  for (const Site& site : std::span(run.sites).first(sites)) {
    const CauseInfo& info = info_of(site.cause.kind);
    if (info.advice.empty() || !told.insert(site.cause.kind).second) continue;
    text += fmt::format("{}: {}\n", info.slug, info.advice);
  }
  return text;
}

// Of a path the end tells most, of a kernel's name the beginning.
std::string short_place(const Site& site) {
  constexpr std::size_t kMost = 56;
  const std::string place = printable(shown_place(site));
  if (place.size() <= kMost) return place;
  const bool is_path = site.from == SiteFrom::own_line || site.from == SiteFrom::library_line;
  return is_path ? "..." + place.substr(place.size() - kMost + 3) : place.substr(0, kMost - 3) + "...";
}

// The places that wait, with what is known of why.
std::string sites_table(const RunSummary& run, bool all) {
  const bool costs =
      std::any_of(run.sites.begin(), run.sites.end(), [](const Site& s) { return s.avoidable_ns.has_value(); });
  Table table{
      {"where", run.judged() > 0 ? "waits/step" : "waits", "in all", "GPU ran dry", "blocked" + time_mark(run.meta)},
      {},
      2};
  if (costs) table.header.push_back("avoidable idle" + time_mark(run.meta));
  table.header.insert(table.header.end(), {"cause", "seen in"});
  const std::size_t shown = all || run.sites.size() <= kMostRows + 1 ? run.sites.size() : kMostRows;
  for (const Site& site : std::span(run.sites).first(shown)) {
    table.rows.push_back({short_place(site), site_rate(site), fmt::format("{}", site.count),
                          site.drains ? fmt::format("{}", *site.drains) : "?", show_time(site.blocked_ns)});
    auto& row = table.rows.back();
    if (costs) row.push_back(site.avoidable_ns ? show_time(*site.avoidable_ns) : "?");
    row.insert(row.end(), {cause_words(site.cause), site.cause.evidence});
  }
  if (table.rows.empty()) return "";
  std::string text = "\n" + render_table(table);
  if (shown < run.sites.size())
    text += fmt::format("... and {} more places: --verbose shows all\n", run.sites.size() - shown);
  const std::string advice = advice_lines(run, shown);
  return advice.empty() ? text : text + "\n" + advice + "zerostall explain CAUSE tells more of one\n";
}

std::string calls_table(const RunSummary& run) {
  Table table{{"call", "count", "of them nested", "time" + time_mark(run.meta)}, {}};
  for (const CallRow& call : run.calls)
    table.rows.push_back(
        {call.name, fmt::format("{}", call.count), fmt::format("{}", call.nested), show_time(call.time_ns)});
  return table.rows.empty() ? "" : "\n" + render_table(table);
}

std::string copies_table(const RunSummary& run) {
  Table table{{"copy", "host memory", "bytes", "count", "per judged step"}, {}};
  for (const CopyRow& copy : run.copies)
    table.rows.push_back({copy.api + " " + copy.direction, copy.host_memory, show_bytes(copy.bytes),
                          fmt::format("{}", copy.count), copy.per_step ? show_range(copy.per_step) : "-"});
  return table.rows.empty() ? "" : "\n" + render_table(table);
}

// "launch 90 ns, stream_sync 2.1 us".
std::string costs_by_kind(const RunSummary& run) {
  std::string text;
  for (const auto& [kind, cost] : run.meta.own_cost)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind, show_time(cost.ns / cost.samples));
  return text;
}

// What the tracer's own work took: of the judged steps, where there are any.
std::string own_cost_line(const RunSummary& run) {
  if (run.meta.own_cost.empty()) return {};
  std::vector<Count> taken;
  Nanos own = 0, all = 0;
  for (const StepRow& step : run.steps) {
    if (!step.judged || !step.own_cost_ns) continue;
    taken.push_back(*step.own_cost_ns);
    own = add_up(own, *step.own_cost_ns);
    all += step.end_ns - step.begin_ns;
  }
  const std::string calls = fmt::format("by call: {}; CUPTI's own part is not in it", costs_by_kind(run));
  const auto spread = spread_of(taken);
  if (!spread) return "the tracer's own work, " + calls;
  const std::string share = run.meta.clock == Clock::modelled
                                ? " (real time: modelled times are without it)"
                                : fmt::format(", {:.1f} % of it{}", all > 0 ? 100.0 * double(own) / double(all) : 0.0,
                                              run.corrected ? "; waits are shown without it" : "");
  return fmt::format("the tracer's own work took {} of a judged step{}; {}", show_time(spread->median), share, calls);
}

std::string who_recorded(const TraceMeta& meta) {
  return meta.format == "nsys" ? "Nsight Systems: " : meta.format == "kineto" ? "profiler: " : "tracer: ";
}

std::string oddity_lines(const RunSummary& run) {
  std::string text;
  const auto add = [&](const std::string& line) { text += (text.empty() ? "\n" : "") + printable(line) + "\n"; };
  if (run.truncated)
    add(fmt::format("the trace is {}: figures cover the part before that; whether the GPU ran dry is unknown",
                    describe(run.end)));
  if (run.meta.counts_only) add("recorded with --counts-only: what ran on the GPU, and whether it ran dry, is unknown");
  if (run.lost > 0) add(counted(run.lost, "record") + " of GPU work lost: whether the GPU ran dry is unknown");
  for (const auto& [name, count] : run.unsupported)
    add(fmt::format("not supported by the simulated GPU: {} ({} times)", name, count));
  for (const auto& [name, count] : run.unknown)
    add(fmt::format("this version of zerostall does not know {}: whether its {} waited is unknown", name,
                    counted(count, "call")));
  if (!run.meta.unknown_apis.empty())
    add(fmt::format("this CUPTI has {} that this version of zerostall does not know ({}): a newer one may",
                    counted(static_cast<std::int64_t>(run.meta.unknown_apis.size()), "function"),
                    join(run.meta.unknown_apis, ", ")));
  if (run.gpu_work.graphs > 0)
    add(fmt::format("graph launches recorded as a whole: {}; the kernels, copies and memsets in them are not counted",
                    run.gpu_work.graphs));
  if (run.unreal_readbacks.total > 0)
    add(fmt::format(
        "{} had no real value (simulated GPU), {} of them in judged steps; waits behind branches on them were not seen",
        counted(run.unreal_readbacks.total, "read-back"), run.unreal_readbacks.judged));
  if (run.times_repeatable == false) add(not_repeatable_sentence(run.meta));
  if (!run.other_step_names.empty())
    add(fmt::format("ranges called '{}' may be steps too, and were not taken as such: --step-pattern REGEX takes them",
                    join(run.other_step_names, "', '")));
  for (const std::string& problem : run.tool_problems) add(who_recorded(run.meta) + problem);
  for (const std::string& warning : run.warnings) add(who_recorded(run.meta) + warning);
  if (const std::string line = own_cost_line(run); !line.empty()) add(line);
  for (const auto& [name, count] : run.oddities) add(oddity_sentence(name, count));
  if (run.steps_confidence) add("steps are inferred, not marked; to be certain, " + how_to_mark_steps(run.meta));
  if (run.steps.empty() && run.has_cuda_calls && !run.oddities.contains("unclosed_steps"))
    add("no steps are marked: " + how_to_mark_steps(run.meta) + ", and waits are counted per step");
  return text;
}

// What the file holds by its own names.
std::string contents_table(const RunSummary& run) {
  Table table{{"records in the file", "count"}, {}};
  for (const auto& [name, count] : run.contents) table.rows.push_back({printable(name), fmt::format("{}", count)});
  return table.rows.empty() ? "" : "\n" + render_table(table);
}

std::string inferred_words(const RunSummary& run) {
  return fmt::format("inferred: {}; {} confidence", run.steps_how, name_of(*run.steps_confidence));
}

std::string steps_words(const RunSummary& run) {
  if (run.steps.empty()) return run.oddities.contains("unclosed_steps") ? "no step that ended" : "no steps marked";
  const std::string_view marker = run.meta.format == "kineto" ? "the profiler's annotations" : "NVTX";
  const std::string_view source = run.steps_from == StepsFrom::profiler ? marker : name_of(run.steps_from);
  const std::string steps = fmt::format("{} ({})", counted(static_cast<std::int64_t>(run.steps.size()), "step"),
                                        run.steps_confidence ? inferred_words(run) : fmt::format("from {}", source));
  if (run.warmup == 0) return steps;
  return run.judged() > 0 ? fmt::format("{}, first {} not judged", steps, run.warmup)
                          : fmt::format("{}, none is judged: the first {} are warm-up", steps, run.warmup);
}

std::string header(const RunSummary& run) {
  std::string text = printable(fmt::format("{} · {}", run.path, show_device(run.meta)));
  if (run.meta.clock == Clock::modelled) text += " · times modelled";
  if (run.times_repeatable == false) text += ", not repeatable";
  if (run.windows)
    text += fmt::format(" · recorded in {}", counted(static_cast<std::int64_t>(run.windows->size()), "window"));
  return text + " · " + steps_words(run) + "\n\n";
}

constexpr std::string_view kMoreDetails = "kinds of waits, calls and copies: --verbose; all of it: --json\n";

std::string details(const RunSummary& run) {
  return waits_table(run) + calls_table(run) + copies_table(run) + contents_table(run);
}

}  // namespace

std::string render_stat_text(const RunSummary& run, bool verbose) {
  return header(run) + steps_table(run) + gpu_idle_line(run) + regions_table(run) + apart_line(run) +
         sites_table(run, verbose) + how_to_get_lines(run) + render_implicit_sites(run, verbose) + (verbose ? details(run) : "") + oddity_lines(run) +
         (verbose || !run.has_cuda_calls ? "" : std::string(kMoreDetails));
}

}  // namespace zerostall
