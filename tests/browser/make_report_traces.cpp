// Traces of the reports that are looked at in a browser: make_report_traces FOLDER.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/flux2_traces.h"
#include "tests/reports/hostile_names.h"
#include "tests/trace/trace_builder.h"

namespace zerostall::testing {
namespace {

const std::string kMeasured =
    R"({"tool": "test", "clock": "measured", "gpu_records": true, "device": {"name": "NVIDIA H200"}, "script": "train.py"})";

struct Shape {
  bool scalars_off = false, batch_pinned = false;  // two fixes
  bool measured = false;
  int steps = 12;
  std::uint32_t shift = 0;  // makes times of steps vary otherwise
};

void forward_and_backward(TraceBuilder& t) {
  t.at("model.py", "forward", 88);
  for (int n = 0; n < 6; ++n) t.launch(7, n % 2 ? "void gemm<float>(float*, int)" : "layer_norm_kernel");
  t.at("model.py", "attention", 120);
  t.launch(9, "flash_attention_kernel");
  t.copy("cudaMemcpyAsync_v3020", kDeviceToDevice, 1 << 20, kDevice, 9);
}

void read_loss(TraceBuilder& t) {
  t.at("train.py", "log_metrics", 41);
  t.item();
  t.now_ns += 60'000;  // Python; the GPU has nothing to do
  t.at("train.py", "clip_gradients", 57);
  t.item(8);
}

void one_step(TraceBuilder& t, const Shape& shape, int n) {
  t.kernel_ns = 40'000 + 1'000 * ((static_cast<std::uint32_t>(n) * 7 + shape.shift) % 5);
  t.range("load", [&] {
    t.at("data.py", "next_batch", 19);
    if (shape.batch_pinned)
      t.copy("cudaMemcpyAsync_v3020", kHostToDevice, 8192, kPinned);
    else
      t.upload(8192);
  });
  t.range("train", [&] {
    forward_and_backward(t);
    if (!shape.scalars_off) read_loss(t);
    forward_and_backward(t);
  });
  if (n % 4 == 3) {
    t.at("train.py", "save_preview", 70);
    t.sync("cudaDeviceSynchronize_v3020", 0);
  }
  t.on_thread(200).at("log.py", "flush", 5);
  if (n % 3 == 0) t.sync("cudaEventSynchronize_v3020", 0);
  t.on_thread(100).at("");
}

TraceBuilder training(const Shape& shape) {
  TraceBuilder t;
  t.cost_ns = 4'000;
  if (shape.measured) t.meta = kMeasured;
  for (int n = 0; n < shape.steps; ++n) t.step(n, [&] { one_step(t, shape, n); });
  t.at("train.py", "main", 99);
  t.item(16);
  return t;
}

// Nothing marks steps and nothing repeats.
TraceBuilder without_steps() {
  TraceBuilder t;
  t.meta = kMeasured;
  t.at("evaluate.py", "main", 12);
  for (int n = 0; n < 5; ++n) {
    for (int k = 0; k <= n * n; ++k) t.launch(7, "kernel_" + std::to_string(n * 31 + k * k));
    if (n != 2) t.item(static_cast<std::uint64_t>(4) << n);
  }
  return t;
}

TraceBuilder without_waits() {
  TraceBuilder t;
  t.meta = kMeasured;
  for (int n = 0; n < 12; ++n) t.step(n, [&] { forward_and_backward(t); });
  return t;
}

// Records were lost, and the program was killed.
TraceBuilder with_losses() {
  TraceBuilder t = training({.measured = true});
  t.note(format::NoteKind::lost_records, "the buffers of CUPTI were full", 1234);
  t.closed = false;
  return t;
}

TraceBuilder with_hostile_names() {
  TraceBuilder t;
  t.meta = R"({"tool": "<b>test</b>", "clock": "modelled", "script": "</script><script>alert(1)</script>.py",
               "device": {"name": "<img src=x onerror=alert(1)>", "simulated_model": "h200"}})";
  const auto& names = hostile_names();
  for (int n = 0; n < 6; ++n)
    t.step(n, [&] {
      for (const std::string& name : names) {
        t.at(name, name, 7);
        t.range(
            name, [&] { t.launch(7, name); }, "user");
        t.range(
            "in " + name, [&] { t.item(); }, name);
      }
      t.at("data.py", names[n], 3).upload(64);
    });
  return t;
}

void write_all(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / "ranks");
  training({.measured = true}).write(folder / "before.zstall");
  training({.scalars_off = true, .batch_pinned = true, .measured = true, .shift = 1}).write(folder / "after.zstall");
  training({}).write(folder / "simulated.zstall");
  without_steps().write(folder / "no_steps.zstall");
  without_waits().write(folder / "no_waits.zstall");
  with_losses().write(folder / "lost.zstall");
  with_hostile_names().write(folder / "hostile.zstall");
  std::filesystem::create_directories(folder / "verify");
  for (const auto& [setting, bytes] : good_traces())
    std::ofstream(folder / "verify" / (setting + ".zstall"), std::ios::binary) << bytes;
  for (int rank = 0; rank < 2; ++rank) {
    TraceBuilder t = training({.scalars_off = rank == 1});
    t.meta = R"({"tool": "test", "clock": "modelled", "simulated_model": "h200", "world_size": 2, "rank": )" +
             std::to_string(rank) + "}";
    t.write(folder / "ranks" / ("rank" + std::to_string(rank) + ".zstall"));
  }
}

}  // namespace
}  // namespace zerostall::testing

int main(int, char** argv) { zerostall::testing::write_all(argv[1]); }
