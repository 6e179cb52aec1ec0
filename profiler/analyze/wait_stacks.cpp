#include "profiler/analyze/wait_stacks.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "profiler/analyze/wait_texts.h"

namespace zerostall {
namespace {

struct Counts {
  std::int64_t total = 0;
  std::vector<Count> judged;  // by judged step
};
using CountsByWhat = std::map<std::uint32_t, Counts>;  // by WaitTexts

std::map<std::uint32_t, CountsByWhat> count(const Trace& trace, const std::vector<Wait>& waits,
                                            const Measured& measured, std::size_t warmup, WaitTexts& texts) {
  std::map<std::uint32_t, CountsByWhat> stacks;
  const std::size_t judged = measured.steps.size() - std::min(warmup, measured.steps.size());
  const auto counts_of = [&](const Wait& wait) -> Counts& {
    const std::uint32_t id = blocking_call(trace, wait).stack;
    Counts& counts = stacks[trace.stacks.stacks.contains(id) ? id : 0][texts.id_of(wait)];
    counts.judged.resize(judged, 0);
    return counts;
  };
  for (const Wait& wait : waits)
    if (is_host_wait(wait.kind)) ++counts_of(wait).total;
  for (std::size_t i = 0; i < judged; ++i)
    for (const std::uint32_t wait : measured.steps[warmup + i].waits)
      if (is_host_wait(waits[wait].kind)) ++*counts_of(waits[wait]).judged[i];
  return stacks;
}

void add_frames(const Trace& trace, const Stack& stack, WaitStack& to) {
  to.python_frames = stack.python_frames;
  to.python_cut = stack.python_cut;
  to.native_cut = stack.native_cut;
  for (const PythonFrame& frame : stack.python) {
    const std::string file(trace.text(frame.file));
    to.python.push_back(
        {std::string(trace.text(frame.function)), file, frame.line, file.empty() || is_library_path(file)});
  }
  for (const NativeFrame& frame : stack.native) {
    const auto module = trace.stacks.modules.find(frame.module);
    if (module == trace.stacks.modules.end())
      to.native.push_back({});
    else
      to.native.push_back({module->second.path, module->second.build_id, frame.offset, {}, {}});
  }
}

std::int64_t sum(const WaitStack& stack, std::int64_t WaitsThere::*field) {
  std::int64_t total = 0;
  for (const WaitsThere& waits : stack.waits) total += waits.*field;
  return total;
}

}  // namespace

bool is_machinery(std::string_view module) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"libzerostall_", "libcupti.so", "libcudart.so", "libcudart-", "libcuda.so", "libpython3", "python3"});
  const std::string_view name = module.substr(module.rfind('/') + 1);
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view start) { return name.starts_with(start); });
}

bool is_library_path(std::string_view path) {
  // PyTorch's profiler leaves out the folder that a package is installed in: its own name is all there is.
  constexpr auto kStarts = std::to_array<std::string_view>(
      {"site-packages/", "dist-packages/", "lib/python3",      "<frozen ",    "/",           "torch/",
       "torchvision/",   "torchaudio/",    "transformers/",    "diffusers/",  "accelerate/", "numpy/",
       "PIL/",           "tqdm/",          "multiprocessing/", "concurrent/", "asyncio/",    "importlib/",
       "threading.py",   "contextlib.py",  "functools.py",     "runpy.py",    "enum.py",     "queue.py"});
  for (const std::string_view start : kStarts)
    if (path.starts_with(start)) return true;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libpython3") || name.starts_with("python3");  // "lib/libpython3.11.so.1.0", "bin/python3.11"
}

std::vector<WaitStack> find_wait_stacks(const Trace& trace, const std::vector<Wait>& waits, const Measured& measured,
                                        std::size_t warmup) {
  std::vector<WaitStack> stacks;
  if (trace.stacks.stacks.empty()) return stacks;
  WaitTexts texts(trace);
  for (auto& [id, by_what] : count(trace, waits, measured, warmup, texts)) {
    WaitStack stack;
    if (const auto known = trace.stacks.stacks.find(id); known != trace.stacks.stacks.end()) {
      stack.id = id;
      add_frames(trace, known->second, stack);
    }
    for (auto& [what, counts] : by_what) {
      WaitsThere there{texts.text(what), counts.total, 0, spread_of(counts.judged)};
      for (const Count& one : counts.judged) there.judged += *one;
      stack.waits.push_back(std::move(there));
    }
    std::sort(stack.waits.begin(), stack.waits.end(),
              [](const WaitsThere& a, const WaitsThere& b) { return a.what < b.what; });
    stacks.push_back(std::move(stack));
  }
  std::stable_sort(stacks.begin(), stacks.end(), [](const WaitStack& a, const WaitStack& b) {
    const auto order = [](const WaitStack& s) {
      return std::tuple(-sum(s, &WaitsThere::judged), -sum(s, &WaitsThere::count));
    };
    return order(a) < order(b);
  });
  return stacks;
}

}  // namespace zerostall
