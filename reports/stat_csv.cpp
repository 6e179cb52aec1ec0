#include "reports/stat_csv.h"

#include <span>

#include "reports/csv_row.h"
#include "reports/stat_sites.h"

namespace zerostall {
namespace {

constexpr std::string_view kPerStep = "waits_per_step_min,waits_per_step_median,waits_per_step_max";

void add_spread(const std::optional<Spread>& spread, CsvRow& row) {
  if (!spread) {
    row.empty().empty().empty();
    return;
  }
  row.number(spread->min).number(spread->median).number(spread->max);
}

// `of_thread`: its own time is all in blocked_ns.
bool is_told(Counter counter, bool of_thread) { return !of_thread || counter != Counter::blocked_other_threads_ns; }

void add_counter_names(bool of_thread, std::string& header) {
  for (const CounterInfo& info : all_counters())
    if (is_told(info.counter, of_thread)) header.append(",").append(info.key);
}

void add_counters(const Counters& counters, bool of_thread, CsvRow& row) {
  for (const CounterInfo& info : all_counters())
    if (is_told(info.counter, of_thread)) row.number(counters[info.counter]);
}

// Cells of what is not known are empty, and so are those of a text that there is not.
CsvRow& add_text(std::string_view text, CsvRow& row) { return text.empty() ? row.empty() : row.text(text); }

std::string header_of(StatBy by) {
  std::string names = "clock,";
  switch (by) {
    case StatBy::step:
      names += "step,begin_ns,end_ns,duration_ns,judged,unsteady";
      add_counter_names(false, names);
      return names +
             ",effective_ns,bubble_ns,avoidable_idle_ns,host_bound_idle_ns,dependency_idle_ns,unknown_idle_ns,"
             "implicit_ns";
    case StatBy::site:
      names += "site,id,from,file,function,line,source,via,what,kinds,cause,confidence,evidence,waits,";
      return names.append(kPerStep) + ",drains,blocked_ns,avoidable_idle_ns,advice";
    case StatBy::cause:
      return names.append("cause,places,waits,").append(kPerStep) + ",drains,blocked_ns,avoidable_idle_ns,advice";
    case StatBy::thread:
      names.append("thread,role,cuda_calls,").append(kPerStep);
      add_counter_names(true, names);
      return names + ",avoidable_idle_ns";
    case StatBy::stream:
      break;
  }
  return names.append("scope,device,stream,waits,").append(kPerStep) + ",drains,blocked_ns,gpu_work,busy_ns,idle_ns";
}

void add(const RunSummary& run, const StepRow& step, CsvRow& row) {
  row.number(step.number).number(step.begin_ns).number(step.end_ns).number(step.end_ns - step.begin_ns);
  row.truth(step.judged).truth(step.unsteady);
  add_counters(step.counters, false, row);
  row.number(step.effective_ns);
  for (Nanos IdleTime::*const part : {&IdleTime::bubbles_ns, &IdleTime::avoidable_ns, &IdleTime::host_bound_ns,
                                      &IdleTime::dependency_ns, &IdleTime::unknown_ns})
    step.gpu_idle ? row.number((*step.gpu_idle).*part) : row.empty();
  run.region.empty() ? row.number(step.implicit_ns) : row.empty();  // of a region alone it is not known
}

void add(const RunSummary& run, const Site& site, CsvRow& row) {
  row.text(site.place).text(site.id).text(name_of(site.from));
  add_text(site.function, add_text(site.file, row));
  site.line > 0 ? row.number(site.line) : row.empty();
  add_text(site.via, add_text(site.source, row));
  row.text(site.what).number(site.kinds).text(info_of(site.cause.kind).slug);
  site.cause.kind == CauseKind::unknown ? row.empty() : row.text(name_of(site.cause.confidence));
  add_text(site.cause.evidence, row).number(site.count);
  add_spread(site.per_step, row);
  row.number(site.drains).number(site.blocked_ns).number(site.avoidable_ns);
  add_text(site.of_the_tool ? std::string() : advice_for(run, site.cause.kind), row);
}

void add(const RunSummary& run, const CauseRow& cause, CsvRow& row) {
  row.text(info_of(cause.kind).slug).number(cause.places).number(cause.count);
  add_spread(cause.per_step, row);
  row.number(cause.drains).number(cause.blocked_ns).number(cause.avoidable_ns);
  add_text(advice_for(run, cause.kind), row);
}

void add(const RunSummary&, const ThreadRow& thread, CsvRow& row) {
  row.number(thread.id).text(name_of(thread.role)).number(thread.calls);
  add_spread(thread.per_step, row);
  add_counters(thread.counters, true, row);
  row.number(thread.avoidable_ns);
}

void add(const RunSummary&, const StreamRow& stream, CsvRow& row) {
  row.text(name_of(stream.scope));
  stream.scope == StreamScope::unknown ? row.empty() : row.number(stream.device);
  stream.scope == StreamScope::stream ? row.number(stream.stream) : row.empty();
  row.number(stream.waits);
  add_spread(stream.per_step, row);
  row.number(stream.drains).number(stream.blocked_ns).number(stream.work).number(stream.busy_ns).number(stream.idle_ns);
}

template <class Rows>
void add_all(const RunSummary& run, const Rows& rows, const StatView& view, std::string& text) {
  for (const auto& one : std::span(rows).first(rows_shown(rows.size(), view, rows.size()))) {
    CsvRow row(text);
    row.text(run.meta.clock == Clock::modelled ? "modelled" : "measured");
    add(run, one, row);
    row.end();
  }
}

}  // namespace

std::string render_stat_csv(const RunSummary& run, const StatView& view) {
  const StatBy by = view.by.empty() ? StatBy::step : view.by.front();
  std::string text = header_of(by) + "\r\n";
  if (by == StatBy::step) add_all(run, run.steps, view, text);
  if (by == StatBy::site) add_all(run, run.sites, view, text);
  if (by == StatBy::cause) add_all(run, run.causes, view, text);
  if (by == StatBy::thread) add_all(run, run.threads, view, text);
  if (by == StatBy::stream) add_all(run, run.streams, view, text);
  return text;
}

std::size_t rows_by(const RunSummary& run, StatBy by) {
  switch (by) {
    case StatBy::step:
      return run.steps.size();
    case StatBy::site:
      return run.sites.size();
    case StatBy::cause:
      return run.causes.size();
    case StatBy::thread:
      return run.threads.size();
    case StatBy::stream:
      break;
  }
  return run.streams.size();
}

}  // namespace zerostall
