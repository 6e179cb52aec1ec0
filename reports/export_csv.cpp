#include "reports/export_csv.h"

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "reports/csv_row.h"

namespace zerostall {
namespace {

// Empty where it is not known.
std::string_view cell(CopyDirection direction) {
  return direction == CopyDirection::unknown ? std::string_view() : name_of(direction);
}
std::string_view cell(MemoryKind kind) { return kind == MemoryKind::unknown ? std::string_view() : name_of(kind); }

// Of the host's side; empty too for copies without one.
std::string_view host_memory(const Call& copy) {
  return crosses_host(copy.direction) ? cell(copy.host_memory) : std::string_view();
}

constexpr std::string_view kWaitColumns =
    "thread,step,place,region,kind,host_wait,calls,begin_ns,end_ns,duration_ns,drains,idle,host_to_device,failed,"
    "copy_direction,copy_bytes,copy_host_memory,python_file,python_line,python_function,native_frame";
constexpr std::string_view kCallColumns =
    "thread,step,call,kind,nested,begin_ns,end_ns,duration_ns,stream_handle,bytes,direction,host_memory,result";
constexpr std::string_view kCopyColumns =
    "thread,step,call,direction,host_memory,bytes,blocking,begin_ns,end_ns,duration_ns,device,stream,gpu_begin_ns,"
    "gpu_end_ns,result";

std::string header(CsvTable table) {
  std::string names = "process,clock,";
  if (table == CsvTable::waits) return names.append(kWaitColumns);
  if (table == CsvTable::calls) return names.append(kCallColumns);
  if (table == CsvTable::copies) return names.append(kCopyColumns);
  names += "step,begin_ns,end_ns,duration_ns,judged,unsteady";
  for (const CounterInfo& info : all_counters()) names.append(",").append(info.key);
  return names;
}

class CsvExporter : public Exporter {
 public:
  CsvExporter(ChunkedOutput& output, CsvTable table) : output_(output), table_(table) {
    output_.text() += header(table) + "\r\n";
  }

  void add(const ExportProcess& process) override {
    if (table_ == CsvTable::steps) return add_steps(process);
    if (table_ == CsvTable::waits) return add_waits(process);
    const bool copies = table_ == CsvTable::copies;
    for (const Call& call : process.trace.calls) {
      if (copies && (!call.outermost || call.kind != ApiKind::copy)) continue;
      CsvRow row = begin(process);
      copies ? add_copy(process, call, row) : add_call(process, call, row);
      end(row);
    }
  }

  void finish(const std::vector<UnreadableTrace>&) override { output_.flush(); }

 private:
  CsvRow begin(const ExportProcess& process) {
    CsvRow row(output_.text());
    row.text(process.name).text(process.trace.meta.clock == Clock::modelled ? "modelled" : "measured");
    return row;
  }

  void end(CsvRow& row) {
    row.end();
    output_.pass_on();
  }

  static void add_times(CsvRow& row, Nanos begin_ns, Nanos end_ns) {
    row.number(begin_ns).number(end_ns).number(end_ns - begin_ns);
  }

  static void add_step(CsvRow& row, const ExportProcess& process, std::optional<std::size_t> step) {
    step ? row.number(process.steps.steps[*step].number) : row.empty();
  }

  static std::optional<std::size_t> step_of(const ExportProcess& process, const Call& call) {
    return step_at(process.steps.steps, call.begin_ns);
  }

  void add_steps(const ExportProcess& process) {
    for (const StepRow& step : process.run.steps) {
      CsvRow row = begin(process);
      row.number(step.number);
      add_times(row, step.begin_ns, step.end_ns);
      row.truth(step.judged).truth(step.unsteady);
      for (const CounterInfo& info : all_counters()) row.number(step.counters[info.counter]);
      end(row);
    }
  }

  void add_waits(const ExportProcess& process) {
    const Trace& trace = process.trace;
    for (std::size_t i = 0; i < process.waits.size(); ++i) {
      const Wait& wait = process.waits[i];
      const StepPlace& place = process.places[i];
      CsvRow row = begin(process);
      row.number(trace.threads[wait.thread].id);
      add_step(row, process, place.step);
      row.text(name_of(place.where));
      row.text(place.step ? join(regions_at(process.steps.steps[*place.step], wait.blocks_ns), " > ") : std::string());
      row.text(name_of(wait.kind)).truth(is_host_wait(wait.kind)).text(describe(trace, wait));
      add_times(row, wait.begin_ns, wait.end_ns);
      row.truth(wait.drains).truth(wait.idle).truth(wait.host_to_device).truth(wait.failed);
      add_copy_of_wait(trace, wait, row);
      add_frames(trace, wait, row);
      end(row);
    }
  }

  static void add_copy_of_wait(const Trace& trace, const Wait& wait, CsvRow& row) {
    if (wait.copy == kNoIndex) {
      row.empty().empty().empty();
      return;
    }
    const Call& copy = trace.calls[wait.copy];
    row.text(cell(copy.direction)).number(copy.bytes).text(host_memory(copy));
  }

  static void add_frames(const Trace& trace, const Wait& wait, CsvRow& row) {
    const std::uint32_t stack = stack_of(trace, wait);
    if (const PythonFrame* frame = telling_python_frame(trace, stack)) {
      row.text(trace.text(frame->file));
      frame->line > 0 ? row.number(frame->line) : row.empty();
      row.text(trace.text(frame->function));
    } else {
      row.empty().empty().empty();
    }
    row.text(telling_native_frame(trace, stack));
  }

  void add_call(const ExportProcess& process, const Call& call, CsvRow& row) {
    const Trace& trace = process.trace;
    row.number(trace.threads[call.thread].id);
    add_step(row, process, step_of(process, call));
    row.text(trace.text(call.name)).text(name_of(call.kind)).truth(call.parent != kNoIndex);
    add_times(row, call.begin_ns, call.end_ns);
    row.number(call.stream).number(call.bytes);
    if (call.kind == ApiKind::copy)
      row.text(cell(call.direction)).text(host_memory(call));
    else
      row.empty().empty();
    row.number(call.result);
  }

  void add_copy(const ExportProcess& process, const Call& call, CsvRow& row) {
    const Trace& trace = process.trace;
    row.number(trace.threads[call.thread].id);
    add_step(row, process, step_of(process, call));
    row.text(trace.text(call.name)).text(cell(call.direction)).text(host_memory(call)).number(call.bytes);
    row.truth(is_unknown_copy(call) ? std::nullopt : std::optional(is_blocking_copy(call)));
    add_times(row, call.begin_ns, call.end_ns);
    if (call.op == kNoIndex) {
      row.empty().empty().empty().empty();
    } else {
      const GpuOp& op = trace.gpu_ops[call.op];
      row.number(op.device).number(op.stream);
      op.bad_time ? row.empty().empty() : row.number(op.begin_ns).number(op.end_ns);
    }
    row.number(call.result);
  }

  ChunkedOutput& output_;
  CsvTable table_;
};

}  // namespace

std::unique_ptr<Exporter> make_csv_exporter(ChunkedOutput& output, CsvTable table) {
  return std::make_unique<CsvExporter>(output, table);
}

}  // namespace zerostall
