// What a native call stack costs a wait, against its limit (15 us with native and Python frames), by our walk and by
// others: ratios, printed, never judged by a unit test. With Python frames: python_stacks.py.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <string>

#include "figure.h"
#include "profiler/tracer/stacks/native_stack.h"
#include "profiler/tracer/stacks/python_stack.h"
#include "profiler/tracer/stacks/stack_table.h"

namespace zerostall::tracer {
namespace {

volatile int g_sink = 0;

template <class F>
__attribute__((noinline)) void at_depth(int depth, F& f) {
  if (depth == 0)
    f();
  else
    at_depth(depth - 1, f);
  g_sink = g_sink + 1;
}

template <class F>
void measure(benchmark::State& state, F body) {
  auto loop = [&] {
    for (auto _ : state) body();
  };
  at_depth(static_cast<int>(state.range(0)), loop);
}

void own_unwinder(benchmark::State& state) {
  measure(state, [] {
    NativeStack stack;
    walk_native_stack(stack);
    benchmark::DoNotOptimize(stack.count);
  });
}
BENCHMARK(own_unwinder)->Arg(20)->Arg(60)->Arg(120);

void unwinder_of_gcc(benchmark::State& state) {
  measure(state, [] {
    NativeStack stack;
    walk_native_stack_slowly(stack);
    benchmark::DoNotOptimize(stack.count);
  });
}
BENCHMARK(unwinder_of_gcc)->Arg(20)->Arg(60)->Arg(120);

void libunwind(benchmark::State& state) {
  void* library = dlopen("libunwind.so.8", RTLD_NOW);
  const auto walk = library ? reinterpret_cast<int (*)(void**, int)>(dlsym(library, "unw_backtrace")) : nullptr;
  if (!walk) return state.SkipWithError("libunwind is not installed");
  measure(state, [walk] {
    void* frames[192];
    benchmark::DoNotOptimize(walk(frames, 192));
  });
}
BENCHMARK(libunwind)->Arg(20)->Arg(60)->Arg(120);

void whole_stack_id(benchmark::State& state) {
  start_stacks(
      {[](std::string_view) { return std::uint32_t{1}; }, [](StackDefinition, std::uint32_t, std::string_view) {}});
  measure(state, [] { benchmark::DoNotOptimize(stack_id()); });
}
BENCHMARK(whole_stack_id)->Arg(20)->Arg(60)->Arg(120);

}  // namespace
}  // namespace zerostall::tracer

int main(int argc, char** argv) {
  std::vector<zerostall::FigureRun> all;
  for (const std::string depth : {"20", "60", "120"}) {
    const auto add = [&](const std::string& run, const std::string& name, const std::string& what) {
      all.push_back(
          {run + "/" + depth, {"stacks." + name + "." + depth, "stack of " + depth + " frames: " + what, "us"}, 1e6});
    };
    add("whole_stack_id", "whole", "what a wait pays");
    add("own_unwinder", "walk", "our walk alone");
    add("unwinder_of_gcc", "libgcc", "libgcc's unwinder");
  }
  return zerostall::run_benchmarks(argc, argv, all);
}
