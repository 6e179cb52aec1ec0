// Writes the seeds of the native target: native_seeds FOLDER. One small trace per trait, as tests/trace builds them.
#include <filesystem>
#include <limits>

#include "profiler/base/files.h"
#include "tests/trace/trace_builder.h"

namespace zerostall::testing {
namespace {

namespace fs = std::filesystem;

void steps(TraceBuilder& t) {
  for (int n = 0; n < 4; ++n)
    t.step(n, [&] {
      t.range("load", [&] { t.upload(2048); });
      t.range("train", [&] {
        t.launch();
        t.item();
      });
    });
}

void profiler_steps(TraceBuilder& t) {
  for (int n = 0; n < 3; ++n) {
    t.mark(format::MarkKind::instant, "iteration " + std::to_string(n));
    t.launch();
    t.sync("cudaDeviceSynchronize_v3020");
  }
}

void threads(TraceBuilder& t) {
  t.step(0, [&] { t.launch(); });
  t.on_thread(200);
  t.range(
      "step 1", [&] { t.launch(9); }, "zerostall");
  t.mark(format::MarkKind::start, "epoch", "user", 5);
  t.call("cudaMalloc_v3020").bytes = 1 << 20;
  t.mark(format::MarkKind::end, "", "user", 5);
  t.on_thread(100);
  t.step(2, [&] { t.sync("cudaEventSynchronize_v3020"); });
}

void nested(TraceBuilder& t) {
  t.step(0, [&] {
    t.call("cudaMemcpy_v3020", [&] { t.call("cuMemcpyHtoD_v2", [&] { t.call("cuStreamSynchronize"); }); });
    for (int i = 0; i < 5; ++i) t.call("cudaEventQuery_v3020").result = 600;
    t.call("cudaFutureCall_v99000");
  });
}

void notes(TraceBuilder& t) {
  t.note(format::NoteKind::window_open, "", 1);
  steps(t);
  t.note(format::NoteKind::window_close, "", 0);
  t.note(format::NoteKind::lost_records, "buffer full", 3);
  t.note(format::NoteKind::unsupported_call, "cudaFutureCall");
  t.note(format::NoteKind::unreal_readback, "cudaMemcpyAsync", 4);
  t.note(format::NoteKind::clock_step, "the clock was set", 1000);
  t.note(format::NoteKind::detached, "another profiler attached");
}

// Times and sizes at the ends of what their fields hold.
void edges(TraceBuilder& t) {
  constexpr auto kFirst = std::numeric_limits<std::int64_t>::min(), kLast = std::numeric_limits<std::int64_t>::max();
  steps(t);
  t.copy("cudaMemcpy_v3020", kDeviceToHost, ~std::uint64_t{0}, kPageable);
  auto& wait = t.sync();
  wait.begin_ns = kFirst, wait.end_ns = kLast;
  auto& again = t.sync("cudaDeviceSynchronize_v3020");
  again.begin_ns = kFirst, again.end_ns = kLast;
  auto& op = t.gpu_ops.back();
  op.begin_ns = kLast - 1, op.end_ns = kLast;
  t.now_ns = kLast - 10'000'000;
  t.step(9, [&] { t.sync(); });
}

void costs(TraceBuilder& t) {
  t.meta =
      R"({"tool":"zerostall","version":"0.1.0","clock":"measured","device":{"name":"NVIDIA H200"},"pid":7,"rank":1,"world_size":2,)"
      R"("gpu_records":true,"tells_queue_full":true,"unknown_apis":["cuX"],"own_cost":{"copy":{"samples":9,"ns":900}}})";
  steps(t);
}

// A stack, its module, and an overhead: what TraceBuilder has no word for.
std::string by_hand() {
  SegmentBuilder s;
  s.define(format::DefinitionKind::meta, 0, R"({"clock":"measured"})");
  s.define(format::DefinitionKind::string, 1, "train.py").define(format::DefinitionKind::string, 2, "main");
  s.define(format::DefinitionKind::api_name, format::api_id(2, 131), "cudaStreamSynchronize_v3020");
  s.define(format::DefinitionKind::module, 1, std::string("\x07libx.so\x02\xab\xcd"));
  s.define(format::DefinitionKind::stack, 1, std::string("\x01\x00\x01\x01\x10\x01\x01\x02\x03", 9));
  format::CallRecord call;
  call.begin_ns = 1000, call.end_ns = 2000, call.callback_id = 131, call.domain = 2, call.correlation = 1;
  call.stack = 1;
  s.add(call);
  s.add(format::OverheadRecord{1100, 1200, 4u << 16, 100, 1});
  s.add(format::OverheadRecord{0, 0, 6u << 16, 100, 1});
  SegmentBuilder other(100, 0, 1);
  call.begin_ns = 1500, call.end_ns = 1400, call.correlation = 2;
  other.add(call);
  format::GpuRecord graph;
  graph.kind = format::GpuKind::graph, graph.begin_ns = 3000, graph.end_ns = 2500, graph.correlation = 2,
  graph.graph = 1;
  other.add(graph);
  return file_of({s, other});
}

}  // namespace

int write_seeds(const fs::path& folder) {
  const std::pair<const char*, void (*)(TraceBuilder&)> all[] = {
      {"steps", steps},     {"profiler_steps", profiler_steps},
      {"threads", threads}, {"nested", nested},
      {"edges", edges},     {"notes", notes},
      {"costs", costs}};
  const auto save = [&](const std::string& name, const std::string& bytes) {
    return static_cast<bool>(write_file(folder / (name + ".zstall"), bytes));
  };
  bool saved = save("by_hand", by_hand());
  for (const auto& [name, make] : all) {
    TraceBuilder t;
    make(t);
    const std::string bytes = t.bytes();
    saved = save(name, bytes) && saved;
    if (name == std::string("steps")) saved = save("steps_cut", bytes.substr(0, bytes.size() * 2 / 3)) && saved;
  }
  TraceBuilder killed;
  killed.closed = false;
  steps(killed);
  return save("killed", killed.bytes()) && saved ? 0 : 1;
}

}  // namespace zerostall::testing

int main(int argc, char** argv) { return argc == 2 ? zerostall::testing::write_seeds(argv[1]) : 2; }
