#include "reports/stat_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
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

constexpr std::size_t kMostLines = 12;  // of steps, on the first screen
constexpr std::size_t kMostOfName = 40;

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

std::vector<std::string> titles_of(const std::vector<Column>& columns, bool by_time_only) {
  std::vector<std::string> titles;
  for (const Column& c : columns)
    if (c.by_time || !by_time_only) titles.emplace_back(c.title);
  return titles;
}

// Where there is no room: from the end, all but the waits and the time in them.
std::vector<std::size_t> to_drop(const std::vector<Column>& columns, std::size_t first) {
  std::vector<std::size_t> drops;
  for (std::size_t i = columns.size(); i-- > 0;)
    if (columns[i].counter != Counter::waits && columns[i].counter != Counter::blocked_ns) drops.push_back(first + i);
  return drops;
}

// `figures` are Counters or their spreads over steps.
template <class Figures>
void add_figures(const Figures& figures, const std::vector<Column>& columns, std::vector<std::string>& row) {
  for (const Column& c : columns) row.push_back(show_counter(c.counter, figures));
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

Tone tone_of(const Counters& counters) { return tone_of_waits(counters[Counter::waits], counters[Counter::drains]); }

// Steps that a line of the overview stands for.
struct Line {
  std::size_t first = 0, end = 0;
};

std::vector<Line> lines_of(const std::vector<StepRow>& steps) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < steps.size(); i = lines.back().end) lines.push_back({i, end_of_line(steps, i)});
  return lines;
}

// What is beside the steps, where there is anything.
void add_others(const RunSummary& run, const std::vector<Column>& columns, std::size_t empty_cells, Table& table) {
  const std::string outside = run.steps.empty() && run.unclosed == Counters{} ? "whole trace" : "outside steps";
  for (const auto& [name, counters] :
       {std::pair(std::string("background"), &run.background), std::pair(std::string("unclosed step"), &run.unclosed),
        std::pair(outside, &run.outside)}) {
    if (*counters == Counters{} && !(table.rows.empty() && counters == &run.outside)) continue;
    table.rows.push_back({name});
    table.rows.back().resize(1 + empty_cells);
    add_figures(*counters, columns, table.rows.back());
  }
}

// Per judged step; not where a line of the table says it already.
void add_per_step(const RunSummary& run, const std::vector<Column>& columns, bool is_said, Table& table) {
  if (run.judged() == 0) return;
  const auto add = [&](std::string name, const CounterSpreads& per_step) {
    const auto& drains = per_step[Counter::drains];
    table.tones[{table.rows.size(), 1}] =
        tone_of_waits(per_step[Counter::waits], drains ? Count(drains->max) : std::nullopt);
    table.rows.push_back({std::move(name)});
    add_figures(per_step, columns, table.rows.back());
  };
  const bool has_regions = run.region.empty() && !run.regions.empty();
  if (!is_said || has_regions) add("per judged step", run.per_step);
  if (!has_regions) return;
  for (const RegionSummary& region : run.regions) add("  in " + shortened(region.name, kMostOfName), region.per_step);
}

// Whether some judged step took or freed memory for more than a hundredth of its time.
bool is_noticeable(const std::vector<Count>& implicit, const std::vector<Count>& step) {
  const auto taken = spread_of(implicit), whole = spread_of(step);
  return taken && whole && taken->median > 0 && taken->median >= whole->median / 100;
}

std::string implicit_words(const RunSummary& run) {
  std::string text = "implicit " + show(run.totals[Counter::implicit]);
  std::vector<Count> implicit, step;
  for (const StepRow& row : run.steps)
    if (row.judged) implicit.emplace_back(row.implicit_ns), step.emplace_back(row.end_ns - row.begin_ns);
  if (!is_noticeable(implicit, step)) return text;
  return text + fmt::format(" (allocating and freeing memory: {} per judged step{})",
                            show_time(spread_of(implicit)->median), time_mark(run.meta));
}

std::string others_words(const RunSummary& run) {
  std::int64_t warm_up = 0;
  for (const StepRow& step : run.steps)
    if (!step.judged) warm_up += step.counters[Counter::waits].value_or(0);
  std::string text;
  for (const auto& [count, where] :
       {std::pair(run.background[Counter::waits].value_or(0), "on other threads (background)"),
        std::pair(run.unclosed[Counter::waits].value_or(0), "in an unclosed step"),
        std::pair(run.outside[Counter::waits].value_or(0), "outside the steps"),
        std::pair(warm_up, "in warm-up steps")})
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, where);
  return text;
}

constexpr auto kIdleParts = std::to_array<std::pair<Nanos IdleTime::*, std::string_view>>({
    {&IdleTime::bubbles_ns, "idle after waits"},
    {&IdleTime::avoidable_ns, "avoidable"},
    {&IdleTime::host_bound_ns, "host-bound"},
    {&IdleTime::dependency_ns, "dependency"},
    {&IdleTime::unknown_ns, "cause unknown"},
});

// Parts of idle time that some step has; the first four wherever any is known.
std::vector<std::pair<Nanos IdleTime::*, std::string_view>> idle_columns(const RunSummary& run) {
  const auto has = [&](Nanos IdleTime::*part) {
    return std::any_of(run.steps.begin(), run.steps.end(),
                       [&](const StepRow& s) { return s.gpu_idle && (*s.gpu_idle).*part > 0; });
  };
  std::vector<std::pair<Nanos IdleTime::*, std::string_view>> columns;
  const bool known = std::any_of(run.steps.begin(), run.steps.end(), [](const StepRow& s) { return s.gpu_idle; });
  for (const auto& part : kIdleParts)
    if (known && (part.first != &IdleTime::unknown_ns || has(part.first))) columns.push_back(part);
  return columns;
}

}  // namespace

std::string steps_overview(const RunSummary& run, const StatView& view) {
  if (run.truncated && !run.has_cuda_calls) return {};  // nothing was read: zeros would say that nothing happened
  const auto columns = columns_of(run);
  Table table{{run.steps.empty() && run.unclosed == Counters{} ? "" : "step"}, {}};
  for (std::string& title : titles_of(columns, false)) table.header.push_back(std::move(title));
  table.drops = to_drop(columns, 1);
  const auto lines = lines_of(run.steps);
  const std::size_t shown = rows_shown(lines.size(), view, kMostLines);
  std::size_t judged_lines = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [first, end] = lines[i];
    judged_lines += run.steps[first].judged;
    if (i >= shown) continue;
    std::vector<Counters> alike;
    for (std::size_t s = first; s < end; ++s) alike.push_back(run.steps[s].counters);
    if (run.steps[first].judged) table.tones[{table.rows.size(), 1}] = tone_of(run.steps[first].counters);
    table.rows.push_back({step_label(run.steps[first], run.steps[end - 1], end - first)});
    add_figures(spreads_of(alike), columns, table.rows.back());
  }
  if (shown < lines.size()) table.rows.push_back({fmt::format("... {} more lines", lines.size() - shown)});
  add_others(run, columns, 0, table);
  add_per_step(run, columns, judged_lines == 1 && shown == lines.size(), table);
  const std::string idle =
      idle_sentence(run.totals, run.region.empty() ? " in all" : " in this region", time_mark(run.meta));
  return wrapped(modelled_columns(run, titles_of(columns, true)), view.style) + render_table(table, view.style) +
         (shown < lines.size() ? wrapped("every step: --by step\n", view.style) : "") +
         wrapped(idle.empty() ? "" : "note: " + idle + "\n", view.style);
}

std::string steps_table(const RunSummary& run, const StatView& view) {
  if (run.truncated && !run.has_cuda_calls) return {};
  const auto columns = columns_of(run);
  const auto idle = idle_columns(run);
  Table table{{"step", "step time"}, {}};
  for (std::string& title : titles_of(columns, false)) table.header.push_back(std::move(title));
  for (const auto& [part, title] : idle) table.header.emplace_back(title);
  table.drops = to_drop(columns, 2);
  for (std::size_t i = idle.size(); i-- > 0;) table.drops.push_back(2 + columns.size() + i);
  const std::size_t shown = rows_shown(run.steps.size(), view, kMostLines);
  for (std::size_t i = 0; i < shown; ++i) {
    const StepRow& step = run.steps[i];
    if (step.judged) table.tones[{i, 2}] = tone_of(step.counters);
    table.rows.push_back({step_label(step, step, 1), show_time(step.end_ns - step.begin_ns)});
    auto& row = table.rows.back();
    add_figures(step.counters, columns, row);
    for (const auto& [part, title] : idle) row.push_back(step.gpu_idle ? show_time((*step.gpu_idle).*part) : "unknown");
  }
  std::vector<std::string> modelled = titles_of(columns, true);
  modelled.insert(modelled.begin(), "step time");
  for (const auto& [part, title] : idle) modelled.emplace_back(title);
  if (shown == run.steps.size()) add_others(run, columns, 1, table);
  return wrapped(modelled_columns(run, modelled), view.style) + render_table(table, view.style) +
         rows_left_out(run.steps.size(), shown, "steps");
}

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

std::string zero_waits_lines(const RunSummary& run) {
  const auto& waits = run.per_step[Counter::waits];
  const bool none = run.judged() > 0 ? waits && waits->max == 0 : run.steps.empty() && run.totals[Counter::waits] == 0;
  if (!none || !run.has_cuda_calls) return {};
  std::string text = run.judged() > 0 ? fmt::format("0 host waits in {}", counted(run.judged(), "judged step"))
                                      : "0 host waits in the whole trace";
  if (!run.region.empty())
    text = fmt::format("0 host waits in `{}` of {}", printable(run.region), counted(run.judged(), "judged step"));
  std::int64_t calls = 0;
  for (const CallRow& call : run.calls) calls += call.count;
  if (run.region.empty())
    text += fmt::format("; watched: {} of {} on {}", counted(calls, "CUDA call"),
                        counted(static_cast<std::int64_t>(run.calls.size()), "function"),
                        counted(static_cast<std::int64_t>(run.threads.size()), "thread"));
  if (run.region.empty() && run.gpu_work.kernels)
    text += fmt::format(", {} on the GPU", counted(*run.gpu_work.kernels, "kernel"));
  text += "\n";
  const auto& unknown = run.per_step[Counter::unknown_waits];
  const std::int64_t may_wait =
      run.judged() > 0 ? (unknown ? unknown->max : 0) : run.totals[Counter::unknown_waits].value_or(0);
  if (may_wait > 0)
    text += fmt::format("not certain: {} of unknown kind{} may wait\n",
                        may_wait == 1 ? "1 copy" : fmt::format("{} copies", may_wait),
                        run.judged() > 0 ? " in a step" : "");
  if (const std::string others = others_words(run); !others.empty()) text += "waits elsewhere: " + others + "\n";
  return text + "\n";
}

std::string apart_line(const RunSummary& run) {
  std::string line;
  constexpr std::array<std::pair<Counter, std::string_view>, 5> kApart = {
      {{Counter::implicit, "implicit"},
       {Counter::spins, "polling loops"},
       {Counter::queue_full, "launch queue full"},
       {Counter::unknown_copies, "copies of unknown kind"},
       {Counter::failed, "failed waits"}}};
  for (const auto& [counter, words] : kApart) {
    if (run.totals[counter] == 0) continue;
    line += (line.empty() ? "" : ", ");
    line += counter == Counter::implicit ? implicit_words(run) : fmt::format("{} {}", words, show(run.totals[counter]));
  }
  return line.empty() ? "" : fmt::format("not in the totals: {}\n", line);
}

}  // namespace zerostall
