#include "reports/diff_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "reports/table.h"
#include "reports/words.h"

namespace zerostall {
namespace {

using Side = std::span<const RunSummary>;

struct Row {
  Counter counter;
  std::string_view title;
  bool always = false;  // shown where it is 0 on both sides too
};

constexpr auto kRows = std::to_array<Row>({
    {Counter::waits, "waits", true},
    {Counter::drains, "GPU ran dry"},
    {Counter::stream_syncs, "stream syncs", true},
    {Counter::event_syncs, "event syncs"},
    {Counter::device_syncs, "device syncs"},
    {Counter::blocking_copies, "blocking copies"},
    {Counter::blocking_memsets, "blocking memsets"},
    {Counter::h2d_stalls, "H2D stalls"},
    {Counter::unknown_copies, "copies of unknown kind"},
    {Counter::failed, "failed waits"},
    {Counter::implicit, "implicit"},
    {Counter::spins, "polling loops"},
    {Counter::queue_full, "launch queue full"},
    {Counter::blocked_ns, "blocked"},
});

bool is_time(Counter counter) { return all_counters()[static_cast<std::size_t>(counter)].is_time; }

// "3", "0..2, median 1", "0..1, mean 0.04".
std::string show_figure(const std::optional<CountFigure>& figure) {
  if (!figure) return "unknown";
  const double average = static_cast<double>(figure->sum) / static_cast<double>(figure->samples);
  if (!figure->spread) return fmt::format("mean {:.3g}", average);
  const Spread& spread = *figure->spread;
  if (spread.min == spread.max) return fmt::format("{}", spread.min);
  return spread.median == spread.min ? fmt::format("{}..{}, mean {:.3g}", spread.min, spread.max, average)
                                     : fmt::format("{}..{}, median {}", spread.min, spread.max, spread.median);
}

std::string show_times(const std::optional<CountFigure>& figure) {
  return figure ? show_time_range(figure->spread) : "unknown";
}

std::string show_change(const CounterChange& row) {
  if (!row.same) return "?";
  if (*row.same) return "=";
  if (!row.a->spread || !row.b->spread) return "differs";
  const std::int64_t difference = row.b->spread->median - row.a->spread->median;
  return difference == 0 ? "differs" : fmt::format("{:+}", difference);
}

bool is_zero(const std::optional<CountFigure>& figure) { return figure && figure->sum == 0; }

bool is_shown(const Row& row, const CounterChange& change, const Comparison& all) {
  if (is_time(row.counter)) return all.basis == Basis::run && !all.simulated_against_measured;
  if (row.counter == Counter::drains && all.simulated_against_measured) return false;
  const bool apart = !is_exact(row.counter) && row.counter != Counter::drains;
  if (apart && change.same.value_or(true)) return false;
  return row.always || !is_zero(change.a) || !is_zero(change.b);
}

std::string show_ratio(const std::optional<double>& ratio) { return ratio ? fmt::format("{:.3g}", *ratio) : "unknown"; }

std::string counts_table(const Comparison& all, const std::string& mark) {
  Table table{{all.basis == Basis::step ? "per judged step" : "whole run", "A", "B", "change"}, {}};
  for (const Row& row : kRows) {
    const CounterChange& change = all.counters[static_cast<std::size_t>(row.counter)];
    if (!is_shown(row, change, all)) continue;
    const bool by_time = row.counter == Counter::drains || is_time(row.counter);
    const auto show = is_time(row.counter) ? show_times : show_figure;
    table.rows.push_back({std::string(row.title) + (by_time ? mark : ""), show(change.a), show(change.b),
                          is_time(row.counter) ? "" : show_change(change)});
  }
  table.rows.push_back(
      {"GPU kernels", show_figure(all.kernels.a), show_figure(all.kernels.b), show_change(all.kernels)});
  if (all.basis == Basis::run)
    table.rows.push_back({"waits per 1000 kernels", show_ratio(all.waits_per_1000_kernels_a),
                          show_ratio(all.waits_per_1000_kernels_b), ""});
  else
    for (const auto& [title, change] : {std::pair("whole run: waits outside steps", &all.outside),
                                        std::pair("whole run: waits of other threads", &all.background)})
      if (!is_zero(change->a) || !is_zero(change->b))
        table.rows.push_back({title, show_figure(change->a), show_figure(change->b), show_change(*change)});
  return render_table(table);
}

constexpr std::size_t kWidth = 110, kMostPlace = 70;

struct KindOfChange {
  std::string_view kind;
  const ItemChange* row;
};

double mean(const CountFigure& figure) { return double(figure.sum) / double(figure.samples); }

// All that changed, whatever way, those that change most first.
std::vector<KindOfChange> rows_of(const Changes& changes) {
  std::vector<KindOfChange> rows;
  for (const auto& [kind, list] : {std::pair("gone", &changes.gone), std::pair("new", &changes.added),
                                   std::pair("changed", &changes.changed), std::pair("resized", &changes.resized)})
    for (const ItemChange& row : *list) rows.push_back({kind, &row});
  const auto distance = [](const KindOfChange& change) { return std::abs(mean(change.row->a) - mean(change.row->b)); };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& x, const auto& y) { return distance(x) > distance(y); });
  return rows;
}

std::string from_to(const ItemChange& row) { return show_figure(row.a) + " → " + show_figure(row.b); }

std::string item_line(const KindOfChange& change, std::size_t width) {
  const ItemChange& row = *change.row;
  const std::string figures = from_to(row);
  const std::string padding(width - display_width(figures), ' ');
  const std::string line = fmt::format("  {:<8}{}{}  {}", change.kind, padding, figures, printable(row.what));
  const std::string place = shortened(printable(row.place), kMostPlace, CutAt::front) +
                            (row.place.empty() || row.cause.empty() ? "" : " · ") + row.cause;
  if (place.empty()) return line + "\n";
  const bool fits = display_width(line) + display_width(place) + 3 <= kWidth;
  return line + (fits ? " · " : "\n" + std::string(width + 12, ' ')) + place + "\n";
}

std::string change_lines(const Changes& changes, std::size_t most) {
  std::vector<KindOfChange> rows = rows_of(changes);
  const std::size_t left_out = rows.size() <= most + 1 ? 0 : rows.size() - most;
  rows.resize(rows.size() - left_out);
  std::size_t width = 0;
  for (const KindOfChange& change : rows) width = std::max(width, display_width(from_to(*change.row)));
  std::string text;
  for (const KindOfChange& change : rows) text += item_line(change, width);
  return text + (left_out > 0 ? fmt::format("  ... and {} more kinds that changed: --json has all\n", left_out) : "");
}

std::string same_line(const Changes& changes) {
  if (changes.same.empty()) return "";
  std::int64_t in_a = 0;
  for (const ItemChange& row : changes.same) in_a += row.a.sum;
  return fmt::format("  same    {} ({} in all of A)\n", counted(std::ssize(changes.same), "kind"),
                     counted(in_a, "wait"));
}

std::string waits_part(const Comparison& all) {
  const std::string per = all.basis == Basis::step ? "per judged step" : "per run";
  const std::string_view by = all.places == Places::lines       ? ", by line and kind"
                              : all.places == Places::functions ? ", by function and kind"
                              : all.places == Places::operators ? ", by operator and kind"
                                                                : ", by kind";
  const std::string waits = change_lines(all.waits, 12) + same_line(all.waits);
  const std::string copies = change_lines(all.copies, 5);
  return (waits.empty() ? "" : fmt::format("\nwaits {}{}\n{}", per, by, waits)) +
         (copies.empty() ? "" : fmt::format("\ncopies {}, besides those of the waits above\n{}", per, copies));
}

std::string show_p(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", p); }

std::string signed_time(Nanos time) { return (time > 0 ? "+" : time < 0 ? "-" : "") + show_time(std::abs(time)); }

double per_cent(const TimeChange& row) {
  return row.a->median == 0 ? 0 : 100.0 * double(*row.difference) / double(row.a->median);
}

// " (+1.5 %)"; of nothing there is no part.
std::string part_of(const TimeChange& row) {
  return row.a->median == 0 && row.difference != 0 ? "" : fmt::format(" ({:+.1f} %)", per_cent(row));
}

std::string_view title_of(const TimeChange& row) {
  return row.key == "step_ns" ? "step" : row.key == "blocked_ns" ? "blocked in waits" : "avoidable idle";
}

std::string difference_line(const TimeChange& row) {
  if (!row.test || !row.interval) return "";
  const std::string words = row.verdict == TimeVerdict::no_difference ? "no significant difference" : "significant";
  return fmt::format("  {}: B - A {}{}, 95 % interval {} to {}, Mann-Whitney {}: {}\n", title_of(row),
                     signed_time(*row.difference), part_of(row), signed_time(row.interval->low),
                     signed_time(row.interval->high), show_p(row.test->p), words);
}

std::string times_part(const Comparison& all, const std::string& mark) {
  Table table{{"time" + mark, "median", "p95", "MAD", "steady steps"}, {}};
  std::string lines;
  for (const TimeChange& row : all.times.rows) {
    for (const auto& [side, spread] : {std::pair("A", &row.a), std::pair("B", &row.b)})
      if (*spread)
        table.rows.push_back({fmt::format("{}, {}", title_of(row), side), show_time((*spread)->median),
                              show_time((*spread)->p95), show_time((*spread)->mad), show((*spread)->samples)});
    lines += difference_line(row);
  }
  if (table.rows.empty()) return "";
  return "\n" + render_table(table) + lines;
}

std::string side_line(std::string_view name, Side side) {
  std::int64_t steps = 0, judged = 0;
  for (const RunSummary& run : side) {
    steps += static_cast<std::int64_t>(run.steps.size());
    judged += run.judged();
  }
  const RunSummary& first = side.front();
  const std::string runs = side.size() > 1 ? fmt::format(" and {} more", counted(std::ssize(side) - 1, "run")) : "";
  const std::string found = steps == 0 ? "no steps" : fmt::format("{}, {} judged", counted(steps, "step"), judged);
  return printable(fmt::format("{}  {}{} · {} · {}{}", name, first.path, runs, show_device(first.meta), found,
                               first.meta.clock == Clock::modelled ? " · times modelled" : "")) +
         "\n";
}

std::string comparable_part(const Comparison& all) {
  std::string text = all.reasons.empty() ? "comparable: the same work, as far as the traces tell\n" : "";
  for (std::size_t i = 0; i < all.reasons.size(); ++i)
    text += fmt::format("{}{}\n", i == 0 ? "not comparable as they are: " : "                            ",
                        printable(all.reasons[i]));
  for (const std::string& note : all.notes) text += "note: " + printable(note) + "\n";
  return text + "\n";
}

// What a difference in time does not say.
std::string time_notes(Side a, Side b, const Comparison& all) {
  if (all.times.rows.empty() || !all.times.why_not.empty()) return "";
  if (all.times.modelled) return "note: times come from a model: no measurement of what a GPU would do\n";
  const TimeVerdict verdict = all.times.rows.front().verdict;
  const bool claimed = verdict == TimeVerdict::shorter || verdict == TimeVerdict::longer;
  if (!claimed || std::min(a.size(), b.size()) > 1) return "";
  return "note: of these two runs; how much runs vary is not in it: zerostall diff A1 A2 A3 --vs B1 B2 B3\n";
}

std::string time_words(const Comparison& all, const std::string& mark) {
  if (!all.times.why_not.empty()) return fmt::format("times not compared ({})", all.times.why_not);
  const TimeChange& step = all.times.rows.front();
  if (step.verdict == TimeVerdict::cannot_tell) return "times: cannot tell";
  if (step.verdict == TimeVerdict::no_difference) return "no significant difference in step time" + mark;
  return fmt::format("step time {:.1f} % {}{}, {}", std::abs(per_cent(step)), name_of(step.verdict), mark,
                     show_p(step.test->p));
}

std::string kinds(const Changes& changes) {
  std::string text;
  for (const auto& [rows, word] :
       {std::pair(&changes.gone, "gone"), std::pair(&changes.added, "new"), std::pair(&changes.changed, "changed"),
        std::pair(&changes.resized, "of another size")})
    if (!rows->empty())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counted(std::ssize(*rows), "kind"), word);
  return text;
}

std::string answer(const Comparison& all, const std::string& mark) {
  const CounterChange& waits = all.counters[static_cast<std::size_t>(Counter::waits)];
  const std::string_view per = all.basis == Basis::step ? "waits/step" : "waits/run";
  const std::string times = time_words(all, mark) + (all.reasons.empty() ? "" : "; not comparable as they are");
  if (all.verdict == CountsVerdict::equal)
    return fmt::format("COUNTS EQUAL  {} {}, same waits{}{}; {}\n", show_figure(waits.a), per,
                       all.places >= Places::functions ? " at the same places" : "",
                       all.waits.resized.empty() ? "" : " but for their sizes", times);
  if (all.verdict == CountsVerdict::cannot_tell)
    return fmt::format("CANNOT TELL  what is known of the counts is equal, some of it is not known; {}\n", times);
  const std::string what = kinds(all.waits);
  const auto &per_kernel_a = all.waits_per_1000_kernels_a, &per_kernel_b = all.waits_per_1000_kernels_b;
  const std::string per_kernel =
      all.basis == Basis::run && per_kernel_a && per_kernel_b
          ? fmt::format(", per 1000 kernels {} → {}", show_ratio(per_kernel_a), show_ratio(per_kernel_b))
          : "";
  return fmt::format("COUNTS DIFFER  {} {} → {}{}{}; {}\n", per, show_figure(waits.a), show_figure(waits.b), per_kernel,
                     what.empty() ? "" : " (" + what + ")", times);
}

// What fails where this only shows.
std::string where_to_gate(Side a, Side b, const Comparison& comparison) {
  if (comparison.basis != Basis::step || comparison.simulated_against_measured)
    return "diff never fails: it shows, and judges nothing\n";
  if (a.size() > 1 || b.size() > 1) return "diff never fails; gate: zerostall check B --baseline A\n";
  return fmt::format("diff never fails; gate: zerostall check {} --baseline {}\n",
                     printable(shell_word(b.front().path)), printable(shell_word(a.front().path)));
}

}  // namespace

std::string render_diff_text(Side a, Side b, const Comparison& comparison) {
  if (a.empty() || b.empty()) return "";
  const std::string mark = comparison.times.modelled && !comparison.simulated_against_measured ? " (modelled)" : "";
  return side_line("A", a) + side_line("B", b) + comparable_part(comparison) + counts_table(comparison, mark) +
         waits_part(comparison) + times_part(comparison, mark) + time_notes(a, b, comparison) + "\n" +
         answer(comparison, mark) + where_to_gate(a, b, comparison);
}

}  // namespace zerostall
