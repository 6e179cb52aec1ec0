#include "reports/export_json.h"

#include <limits>

#include "reports/json_parts.h"
#include "reports/json_stream.h"

namespace zerostall {
namespace {

std::string one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string_view name_of_frames(PythonFrames frames) {
  return frames == PythonFrames::none ? "none" : frames == PythonFrames::known ? "known" : "unknown";
}

class JsonExporter : public Exporter {
 public:
  explicit JsonExporter(ChunkedOutput& output) : output_(output), json_(output) {
    json_.begin_object();
    json_.key("schema").value("zerostall/export/1");
    json_.key("exporter").value("zerostall " ZEROSTALL_VERSION);
    json_.key("processes").begin_array();
    json_.end_line();
  }

  void add(const ExportProcess& process) override {
    json_.begin_object();
    add_source(process);
    add_ends(process);
    json_.key("steps_from").value(name_of(process.steps.from));
    json_.key("warmup").value(process.run.warmup);
    add_threads(process.trace);
    add_steps(process);
    add_waits(process);
    add_stacks(process.run);
    add_calls(process.run);
    add_copies(process.run);
    add_gpu(process);
    add_counters(process.run);
    add_oddities(process.run);
    json_.end_object();
    json_.end_line();
  }

  void finish(const std::vector<UnreadableTrace>& unreadable) override {
    json_.end_array();
    json_.key("unreadable").begin_array();
    for (const UnreadableTrace& file : unreadable) {
      json_.begin_object();
      json_.key("file").value(file.name);
      json_.key("why").value(file.why);
      json_.end_object();
    }
    json_.end_array();
    json_.end_object();
    output_.text() += '\n';
    output_.flush();
  }

 private:
  void add_source(const ExportProcess& process) {
    const TraceMeta& meta = process.trace.meta;
    json_.key("name").value(process.name);
    json_.key("file").value(process.file);
    json_.key("format").value(meta.format);
    json_.key("tool").text_or_null(meta.tool);
    const bool says_clock = !(process.run.truncated && meta.tool.empty());  // cut before its description: unknown
    json_.key("clock").text_or_null(!says_clock ? "" : meta.clock == Clock::modelled ? "modelled" : "measured");
    const Json device = Json::parse(meta.device, nullptr, false);
    json_.key("device").json(device.is_object() ? one_line(device) : "null");
    json_.key("device_name").text_or_null(meta.device_name);
    json_.key("pid").value(meta.pid);
    json_.key("rank").value(meta.rank);
    json_.key("local_rank").value(meta.local_rank);
    json_.key("world_size").value(meta.world_size);
    json_.key("host_number").value(meta.host_number);
    json_.key("host").text_or_null(meta.host);
    json_.key("program").text_or_null(meta.program);
    json_.key("script").text_or_null(meta.script);
    json_.key("arguments").value(meta.arguments);
    json_.end_line();
  }

  void add_ends(const ExportProcess& process) {
    const RunSummary& run = process.run;
    const TimeRange range = time_range(process.trace);
    json_.key("begin_ns").value(range.begin_ns);
    json_.key("end_ns").value(range.end_ns);
    json_.key("complete").value(run.complete());
    json_.key("truncated").value(run.truncated);
    json_.key("why_truncated").text_or_null(run.truncated ? describe(run.end) : "");
    json_.key("lost").value(run.lost);
    json_.key("times_repeatable").value(run.times_repeatable);
    json_.key("windows");
    if (!run.windows) return json_.null();
    json_.begin_array();
    for (const RecordingWindow& window : *run.windows) {
      json_.begin_object();
      json_.key("begin_ns");
      window.begin_ns == std::numeric_limits<Nanos>::min() ? json_.null() : json_.value(window.begin_ns);
      json_.key("end_ns");
      window.end_ns == std::numeric_limits<Nanos>::max() ? json_.null() : json_.value(window.end_ns);
      json_.end_object();
    }
    json_.end_array();
  }

  void add_threads(const Trace& trace) {
    json_.end_line();
    json_.key("threads").begin_array();
    for (const Thread& thread : trace.threads) {
      json_.begin_object();
      json_.key("id").value(thread.id);
      json_.key("calls").value(thread.count);
      json_.end_object();
    }
    json_.end_array();
    json_.end_line();
  }

  void add_steps(const ExportProcess& process) {
    json_.key("steps").begin_array();
    for (std::size_t i = 0; i < process.run.steps.size(); ++i) {
      const StepRow& row = process.run.steps[i];
      json_.end_line();
      json_.begin_object();
      json_.key("index").value(row.number);
      json_.key("begin_ns").value(row.begin_ns);
      json_.key("end_ns").value(row.end_ns);
      json_.key("thread").value(process.trace.threads[process.steps.steps[i].thread].id);
      json_.key("judged").value(row.judged);
      json_.key("unsteady").value(row.unsteady);
      for (const CounterInfo& info : all_counters()) json_.key(info.key).value(row.counters[info.counter]);
      json_.key("regions").begin_array();
      for (const Region& region : process.steps.steps[i].regions) {
        json_.begin_object();
        json_.key("name").value(region.name);
        json_.key("begin_ns").value(region.begin_ns);
        json_.key("end_ns").value(region.end_ns);
        json_.end_object();
      }
      json_.end_array();
      json_.end_object();
    }
    json_.end_array();
    json_.end_line();
  }

  void add_waits(const ExportProcess& process) {
    json_.key("waits").begin_array();
    for (std::size_t i = 0; i < process.waits.size(); ++i) {
      json_.end_line();
      add_wait(process, process.waits[i], process.places[i]);
    }
    json_.end_array();
    json_.end_line();
  }

  void add_wait(const ExportProcess& process, const Wait& wait, const StepPlace& place) {
    const Trace& trace = process.trace;
    json_.begin_object();
    json_.key("what").value(describe(trace, wait));
    json_.key("kind").value(name_of(wait.kind));
    json_.key("host_wait").value(is_host_wait(wait.kind));
    json_.key("thread").value(trace.threads[wait.thread].id);
    json_.key("begin_ns").value(wait.begin_ns);
    json_.key("end_ns").value(wait.end_ns);
    json_.key("blocks_ns").value(wait.blocks_ns);
    json_.key("place").value(name_of(place.where));
    json_.key("step");
    place.step ? json_.value(process.steps.steps[*place.step].number) : json_.null();
    json_.key("regions").begin_array();
    if (place.step)
      for (const std::string& name : regions_at(process.steps.steps[*place.step], wait.blocks_ns)) json_.value(name);
    json_.end_array();
    json_.key("drains").value(wait.drains);
    json_.key("idle").value(wait.idle);
    json_.key("host_to_device").value(wait.host_to_device);
    json_.key("failed").value(wait.failed);
    json_.key("calls").begin_array();
    for (const CallIndex call : {wait.copy, wait.sync})
      if (call != kNoIndex) add_call(trace, trace.calls[call]);
    json_.end_array();
    json_.key("copy");
    wait.copy == kNoIndex ? json_.null() : add_copy(trace.calls[wait.copy]);
    const std::uint32_t stack = stack_of(trace, wait);
    json_.key("stack");
    stack == 0 ? json_.null() : json_.value(stack);
    json_.end_object();
  }

  void add_call(const Trace& trace, const Call& call) {
    json_.begin_object();
    json_.key("name").value(trace.text(call.name));
    json_.key("begin_ns").value(call.begin_ns);
    json_.key("end_ns").value(call.end_ns);
    json_.key("stream_handle").value(call.stream);
    json_.key("result").value(call.result);
    json_.end_object();
  }

  void add_copy(const Call& call) {
    json_.begin_object();
    json_.key("direction").value(name_of(call.direction));
    json_.key("bytes").value(call.bytes);
    json_.key("host_memory").value(crosses_host(call.direction) ? name_of(call.host_memory) : "none");
    json_.end_object();
  }

  void add_stacks(const RunSummary& run) {
    json_.key("stacks").begin_array();
    for (const WaitStack& stack : run.stacks) {
      if (stack.id == 0) continue;  // waits without one
      json_.end_line();
      json_.begin_object();
      json_.key("id").value(stack.id);
      json_.key("python_frames").value(name_of_frames(stack.python_frames));
      json_.key("python").begin_array();
      for (const SourceLine& line : stack.python) {
        json_.begin_object();
        json_.key("file").text_or_null(line.file);
        json_.key("line");
        line.line == 0 ? json_.null() : json_.value(line.line);
        json_.key("function").text_or_null(line.function);
        json_.key("library").value(line.library);
        json_.end_object();
      }
      json_.end_array();
      json_.key("python_cut").value(stack.python_cut);
      json_.key("native").begin_array();
      for (const NativeLine& frame : stack.native) {
        json_.begin_object();
        json_.key("module").text_or_null(frame.module);
        json_.key("build_id").text_or_null(frame.build_id);
        json_.key("offset").value(frame.offset);
        json_.end_object();
      }
      json_.end_array();
      json_.key("native_cut").value(stack.native_cut);
      json_.end_object();
    }
    json_.end_array();
    json_.end_line();
  }

  void add_calls(const RunSummary& run) {
    json_.key("calls").begin_object();
    for (const CallRow& row : run.calls) {
      json_.end_line();
      json_.key(row.name).begin_object();
      json_.key("count").value(row.count);
      json_.key("nested").value(row.nested);
      json_.key("failed").value(row.failed);
      json_.key("time_ns").value(row.time_ns);
      json_.end_object();
    }
    json_.end_object();
    json_.end_line();
  }

  void add_copies(const RunSummary& run) {
    json_.key("copies").begin_array();
    for (const Json& copy : to_json(run.copies)) {
      json_.end_line();
      json_.json(one_line(copy));
    }
    json_.end_array();
    json_.end_line();
  }

  void add_gpu(const ExportProcess& process) {
    const GpuWork& work = process.run.gpu_work;
    json_.key("gpu_work").begin_object();
    json_.key("kernels").value(work.kernels);
    json_.key("copies").value(work.copies);
    json_.key("memsets").value(work.memsets);
    json_.key("graphs").value(work.graphs);
    json_.end_object();
    json_.end_line();
    json_.key("gpu_gaps");
    if (!process.gaps) {
      json_.null();
      return json_.end_line();
    }
    json_.begin_array();
    for (const GpuGap& gap : *process.gaps) {
      json_.end_line();
      json_.begin_object();
      json_.key("device").value(gap.device);
      json_.key("begin_ns").value(gap.begin_ns);
      json_.key("end_ns").value(gap.end_ns);
      json_.key("cause").value(name_of(gap.cause));
      json_.key("step");
      gap.step ? json_.value(process.steps.steps[*gap.step].number) : json_.null();
      json_.key("wait").value(gap.wait);
      json_.key("avoidable_ns").value(gap.avoidable_ns);
      json_.end_object();
    }
    json_.end_array();
    json_.end_line();
  }

  void add_counters(const RunSummary& run) {
    const auto add = [&](std::string_view key, const Counters& counters) {
      json_.key(key).json(one_line(to_json(counters)));
      json_.end_line();
    };
    add("background", run.background);
    add("unclosed", run.unclosed);
    add("outside", run.outside);
    add("totals", run.totals);
  }

  void add_oddities(const RunSummary& run) {
    const auto add_map = [&](std::string_view key, const std::map<std::string, std::int64_t>& counts) {
      json_.key(key).begin_object();
      for (const auto& [name, count] : counts) json_.key(name).value(count);
      json_.end_object();
    };
    const auto add_list = [&](std::string_view key, const std::vector<std::string>& texts) {
      json_.key(key).begin_array();
      for (const std::string& text : texts) json_.value(text);
      json_.end_array();
    };
    add_map("oddities", run.oddities);
    add_map("contents", run.contents);
    add_map("unsupported_calls", run.unsupported);
    add_map("unknown_calls", run.unknown);
    json_.key("unreal_readbacks").value(run.unreal_readbacks.total);
    add_list("tool_problems", run.tool_problems);
    add_list("warnings", run.warnings);
    json_.end_line();
  }

  ChunkedOutput& output_;
  JsonStream json_;
};

}  // namespace

std::unique_ptr<Exporter> make_json_exporter(ChunkedOutput& output) { return std::make_unique<JsonExporter>(output); }

}  // namespace zerostall
