// Runs in one line of text: a word a step, a letter for each thing that happens.
//
//   const RunSummary run = run_of("w w - wu");     // 4 steps: a wait, a wait, nothing, a wait and an upload
//
//   -  nothing but kernels, as in every step        U W  the same, in region `train`
//   w  .item() in train.py:31, log_loss             b    a wait of a thread that does no work for the step, log.py:5
//   u  a blocking upload in train.py:12, load       o    a wait after the step, outside of all
//   s  a stream sync in train.py:50, flush          a    cudaMalloc
//   d  a device sync in train.py:60, barrier        !    a call that the simulated GPU does not support
//   e  an event sync in train.py:70, wait           ?    a copy with host memory of unknown kind
//   v  a wait in other.py:9, evaluate               x    a read-back without a real value
//   y  .item() in train.py:35, log_loss              A  a wait as `w`, in region `allow waits: shown`
//   E  a wait as `w`, in region `allow waits: `, without a reason
#pragma once
#include <sstream>
#include <string>

#include "profiler/analyze/summary.h"
#include "profiler/trace/read_native.h"
#include "tests/trace/trace_builder.h"

namespace zerostall::testing {

struct TextRun {
  std::int64_t warmup = 0;
  bool measured = false;
  bool marked = true;  // false: nothing says where steps are
  bool idle = false;   // nothing runs on the GPU in the steps
  bool with_stacks = true;
  std::string device = "NVIDIA H200";
  int kernels = 6;                    // in each step
  Nanos step_ns = 0;                  // time that each step takes at least; 0 = as it comes
  std::function<Nanos(int)> times{};  // instead, step by step
  std::optional<std::int64_t> rank{};
  std::function<void(RawTrace&)> change{};  // damage, before it is analysed
};

inline void add_line(RawTrace& raw, std::uint32_t id, const std::string& file, const std::string& function,
                     std::uint32_t line) {
  Stack stack;
  stack.python_frames = PythonFrames::known;
  stack.python = {{raw.strings.intern(file), raw.strings.intern(function), line}};
  raw.stacks.stacks[id] = stack;
}

inline void add_letter(TraceBuilder& t, char letter) {
  switch (letter) {
    case 'w':
    case 'v':
    case 'y':
    case 'o':
      t.copy("cudaMemcpyAsync_v3020", kDeviceToHost, 4, kPinned);
      t.sync().stack = letter == 'v' ? 6 : letter == 'y' ? 8 : 1;
      return;
    case 'u':
      t.copy("cudaMemcpyAsync_v3020", kHostToDevice, 4096, kPageable).stack = 2;
      t.sync().stack = 2;
      return;
    case 's':
      t.sync().stack = 3;
      return;
    case 'd':
      t.sync("cudaDeviceSynchronize_v3020", 0).stack = 4;
      return;
    case 'e':
      t.sync("cudaEventSynchronize_v3020", 0).stack = 5;
      return;
    case 'b':
      t.on_thread(200).sync().stack = 7;
      t.on_thread(100);
      return;
    case 'a':
      t.call("cudaMalloc_v3020");
      return;
    case '!':
      t.note(format::NoteKind::unsupported_call, "cudaFoo");
      return;
    case '?':
      t.copy("cudaMemcpyAsync_v3020", kHostToDevice, 64, kUnknownMemory);
      return;
    case 'x':
      t.note(format::NoteKind::unreal_readback, "4 B to pinned", 4);
      return;
    default:
      return;
  }
}

inline void add_step(TraceBuilder& t, const std::string& letters, int number, const TextRun& shape) {
  const auto begin = t.now_ns;
  if (shape.idle) return;
  for (int k = 0; k < shape.kernels; ++k) t.launch(7, "kernel_" + std::to_string(k));
  for (const char letter : letters) {
    if (letter == 'o') continue;
    if (letter == 'A' || letter == 'E')
      t.range(letter == 'A' ? "allow waits: shown" : "allow waits: ", [&] { add_letter(t, 'w'); });
    else if (letter != 'W' && letter != 'U')
      add_letter(t, letter);
    else
      t.range("train", [&] { add_letter(t, letter == 'W' ? 'w' : 'u'); });
    t.launch(7, "after");
  }
  t.launch(7, "void at::native::multi_tensor_apply_kernel<AdamFunctor<4>>(float*)");
  t.range("train", [&] { t.launch(7, "train"); });
  t.range("load", [&] { t.launch(7, "load"); });
  const Nanos wanted = shape.times ? shape.times(number) : shape.step_ns;
  if (wanted > 0) t.now_ns = std::max(t.now_ns, begin + wanted);
}

inline RunSummary run_of(const std::string& text, const TextRun& shape = {}) {
  TraceBuilder t;
  t.meta = shape.measured ? R"({"tool": "test", "clock": "measured"})"
                          : R"({"tool": "test", "clock": "modelled", "simulated_model": "h200"})";
  std::istringstream words(text);
  int number = 0;
  for (std::string word; words >> word; ++number) {
    const auto body = [&] { add_step(t, word, number, shape); };
    if (shape.marked)
      t.step(number, body);
    else
      body();
    for (const char letter : word)
      if (letter == 'o') add_letter(t, 'o');
    t.launch(7, "between");
  }
  const std::string bytes = t.bytes();
  RawTrace raw = std::move(*parse_native(std::as_bytes(std::span(bytes)), "t"));
  raw.meta.device_name = shape.device;
  raw.meta.rank = shape.rank;
  add_line(raw, 1, "src/train.py", "log_loss", 31);
  add_line(raw, 2, "src/train.py", "load", 12);
  add_line(raw, 3, "src/train.py", "flush", 50);
  add_line(raw, 4, "src/train.py", "barrier", 60);
  add_line(raw, 5, "src/train.py", "wait", 70);
  add_line(raw, 6, "other.py", "evaluate", 9);
  add_line(raw, 7, "log.py", "write", 5);
  add_line(raw, 8, "src/train.py", "log_loss", 35);
  if (!shape.with_stacks) raw.stacks.stacks.clear();
  if (shape.change) shape.change(raw);
  SummaryOptions options{"t.zstall"};
  options.warmup = shape.warmup;
  return analyze(std::move(raw), options);
}

}  // namespace zerostall::testing
