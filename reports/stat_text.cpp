#include "reports/stat_text.h"

#include <fmt/format.h>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "reports/oddities.h"
#include "reports/places_text.h"
#include "reports/stat_notes.h"
#include "reports/stat_sites.h"
#include "reports/stat_steps.h"
#include "reports/stat_threads.h"
#include "reports/table.h"
#include "reports/words.h"

namespace zerostall {
namespace {

constexpr std::size_t kLeastOfName = 32;

std::string waits_table(const RunSummary& run, const TextStyle& style) {
  Table table{{"wait", "count", "per judged step"}, {}};
  table.least_first = kLeastOfName;
  for (const WaitGroup& group : group_waits(run))
    table.rows.push_back(
        {group.what, fmt::format("{}", group.count), group.per_step ? show_range(group.per_step) : "-"});
  return table.rows.empty() ? "" : "\n" + render_table(table, style);
}

std::string calls_table(const RunSummary& run, const TextStyle& style) {
  Table table{{"call", "count", "of them nested", "time"}, {}};
  table.least_first = kLeastOfName;
  for (const CallRow& call : run.calls)
    table.rows.push_back(
        {call.name, fmt::format("{}", call.count), fmt::format("{}", call.nested), show_time(call.time_ns)});
  return table.rows.empty() ? "" : "\n" + modelled_columns(run, {"time"}) + render_table(table, style);
}

std::string copies_table(const RunSummary& run, const TextStyle& style) {
  Table table{{"copy", "host memory", "bytes", "count", "per judged step"}, {}};
  table.least_first = kLeastOfName;
  table.drops = {1, 4};
  for (const CopyRow& copy : run.copies)
    table.rows.push_back({copy.api + " " + copy.direction, copy.host_memory, show_bytes(copy.bytes),
                          fmt::format("{}", copy.count), copy.per_step ? show_range(copy.per_step) : "-"});
  return table.rows.empty() ? "" : "\n" + render_table(table, style);
}

// What the file holds by its own names.
std::string contents_table(const RunSummary& run, const TextStyle& style) {
  Table table{{"records in the file", "count"}, {}};
  for (const auto& [name, count] : run.contents) table.rows.push_back({printable(name), fmt::format("{}", count)});
  return table.rows.empty() ? "" : "\n" + render_table(table, style);
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
  if (!run.region.empty()) text += printable(fmt::format(" · region `{}` only", run.region));
  return text + " · " + steps_words(run) + "\n\n";
}

std::string more_words(const RunSummary& run, const StatView& view) {
  if (view.verbose || !view.by.empty() || !run.has_cuda_calls || !run.region.empty()) return {};
  return "other tables: --by step, site, cause, thread, stream; kinds of waits, calls, copies: --verbose; all: "
         "--json\n";
}

std::string details(const RunSummary& run, const TextStyle& style) {
  return waits_table(run, style) + calls_table(run, style) + copies_table(run, style) + contents_table(run, style);
}

std::string first_screen(const RunSummary& run, const StatView& view) {
  const std::string sites = sites_table(run, view), zero = zero_waits_lines(run);
  std::string idle = gpu_idle_line(run);
  if (idle.empty() && !zero.empty() && run.judged() > 0 && run.region.empty())
    idle = "GPU idle: unknown, for records of GPU work are missing\n";
  return wrapped(zero, view.style) + steps_overview(run, view) + wrapped(idle + apart_line(run), view.style) +
         (sites.empty() ? "" : "\n" + sites) + wrapped(how_to_get_lines(run), view.style) +
         render_implicit_sites(run, view.style, view.verbose) + (view.verbose ? details(run, view.style) : "");
}

std::string table_by(const RunSummary& run, StatBy by, const StatView& view) {
  switch (by) {
    case StatBy::step: {
      const std::string table = steps_table(run, view);
      return table.empty() ? "nothing of the steps was read\n" : table + wrapped(gpu_idle_line(run), view.style);
    }
    case StatBy::site: {
      const std::string table = sites_table(run, view);
      return table.empty() ? "no place waits\n" : table;
    }
    case StatBy::cause: {
      const std::string table = causes_table(run, view);
      return table.empty() ? "no host waits, and so no causes\n" : table;
    }
    case StatBy::thread: {
      const std::string table = threads_table(run, view);
      return table.empty() ? "no thread made CUDA calls\n" : table;
    }
    case StatBy::stream:
      break;
  }
  const std::string table = streams_table(run, view);
  return table.empty() ? "nothing is waited for, and no GPU work is recorded\n" : table;
}

std::string chosen_tables(const RunSummary& run, const StatView& view) {
  std::string text;
  for (const StatBy by : view.by) text += (text.empty() ? "" : "\n") + table_by(run, by, view);
  return text;
}

}  // namespace

std::string render_stat_text(const RunSummary& run, const StatView& view) {
  return wrapped(header(run), view.style) + (view.by.empty() ? first_screen(run, view) : chosen_tables(run, view)) +
         wrapped(notes_of(run) + more_words(run, view), view.style);
}

}  // namespace zerostall
