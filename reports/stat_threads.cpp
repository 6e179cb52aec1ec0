#include "reports/stat_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "reports/words.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostRows = 15;

std::string role_words(ThreadRole role) {
  switch (role) {
    case ThreadRole::marks:
      return "the steps are its own";
    case ThreadRole::works:
      return "works for the steps";
    case ThreadRole::background:
      return "background";
    case ThreadRole::outside:
      break;
  }
  return "outside the steps";
}

std::string stream_label(const StreamRow& row) {
  if (row.scope == StreamScope::unknown) return "not told";
  if (row.scope == StreamScope::device) return fmt::format("device {}", row.device);
  return fmt::format("device {}, stream {}", row.device, row.stream);
}

std::vector<std::string> wait_titles(const RunSummary& run) {
  if (run.judged() == 0) return {"waits"};
  return {"waits/step", "in all"};
}

std::vector<std::string> wait_cells(const RunSummary& run, const std::optional<Spread>& per_step, std::int64_t in_all) {
  if (run.judged() == 0) return {fmt::format("{}", in_all)};
  return {show_rate(per_step, in_all), fmt::format("{}", in_all)};
}

bool any_device(const RunSummary& run) {
  return std::any_of(run.streams.begin(), run.streams.end(),
                     [](const StreamRow& row) { return row.scope == StreamScope::device && row.waits > 0; });
}

}  // namespace

std::string threads_table(const RunSummary& run, const StatView& view) {
  const bool costs = !run.threads.empty() && run.threads.front().avoidable_ns.has_value();
  Table table{{"thread"}, {}};
  if (!run.steps.empty()) table.words = 1;
  for (std::string& title : wait_titles(run)) table.header.push_back(std::move(title));
  table.header.insert(table.header.end(), {"GPU ran dry", "blocked"});
  if (costs) table.header.emplace_back("avoidable idle");
  table.header.emplace_back("CUDA calls");
  if (!run.steps.empty()) table.header.emplace_back("what it is");
  table.last_below = !run.steps.empty();
  const std::size_t shown = rows_shown(run.threads.size(), view, kMostRows);
  for (const ThreadRow& thread : std::span(run.threads).first(shown)) {
    const Count &waits = thread.counters[Counter::waits], &drains = thread.counters[Counter::drains];
    if (run.judged() > 0) table.tones[{table.rows.size(), 1}] = tone_of_waits(thread.per_step, drains);
    table.rows.push_back({fmt::format("{}", thread.id)});
    auto& row = table.rows.back();
    for (std::string& cell : wait_cells(run, thread.per_step, waits.value_or(0))) row.push_back(std::move(cell));
    row.insert(row.end(), {show_short(drains), show_time(thread.counters[Counter::blocked_ns])});
    if (costs) row.push_back(show_short_time(thread.avoidable_ns));
    row.push_back(fmt::format("{}", thread.calls));
    if (!run.steps.empty()) row.push_back(role_words(thread.role));
  }
  std::vector<std::string> modelled = {"GPU ran dry", "blocked"};
  if (costs) modelled.emplace_back("avoidable idle");
  if (table.rows.empty()) return "";
  return wrapped(modelled_columns(run, modelled), view.style) + render_table(table, view.style) +
         rows_left_out(run.threads.size(), shown, "threads");
}

std::string streams_table(const RunSummary& run, const StatView& view) {
  Table table{{"waited for"}, {}};
  for (std::string& title : wait_titles(run)) table.header.push_back(std::move(title));
  table.header.insert(table.header.end(), {"GPU ran dry", "blocked", "GPU work", "busy", "idle between"});
  const std::size_t shown = rows_shown(run.streams.size(), view, kMostRows);
  for (const StreamRow& stream : std::span(run.streams).first(shown)) {
    if (run.judged() > 0) table.tones[{table.rows.size(), 1}] = tone_of_waits(stream.per_step, stream.drains);
    table.rows.push_back({stream_label(stream)});
    auto& row = table.rows.back();
    for (std::string& cell : wait_cells(run, stream.per_step, stream.waits)) row.push_back(std::move(cell));
    const bool is_known = stream.scope != StreamScope::unknown;
    row.insert(row.end(), {show_short(stream.drains), show_time(stream.blocked_ns)});
    if (is_known)
      row.insert(row.end(),
                 {show_short(stream.work), show_short_time(stream.busy_ns), show_short_time(stream.idle_ns)});
  }
  if (table.rows.empty()) return "";
  const std::string notes = any_device(run) ? "waits for a device wait for all its streams\n" : "";
  return wrapped(modelled_columns(run, {"GPU ran dry", "blocked", "busy", "idle between"}), view.style) +
         render_table(table, view.style) + rows_left_out(run.streams.size(), shown, "streams") +
         wrapped(notes, view.style);
}

}  // namespace zerostall
