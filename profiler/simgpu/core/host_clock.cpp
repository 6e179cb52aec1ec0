#include "profiler/simgpu/core/host_clock.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {
namespace {

bool wanted() {
  const char* text = std::getenv("ZEROSTALL_SIM_HOST_CLOCK");
  const std::string_view value = text ? text : "";
  if (value == "cpu") return true;
  if (!value.empty() && value != "model")
    std::fprintf(stderr, "[zerostall] simulated GPU: ZEROSTALL_SIM_HOST_CLOCK=%s is neither cpu nor model\n", text);
  return false;
}

thread_local int t_depth = 0;
thread_local std::int64_t t_left_ns = -1;  // thread CPU time when the last call ended; -1: no call yet

std::int64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

const bool g_measure_host = wanted();

void enter_measured_call() {
  if (t_depth++ > 0) return;
  if (t_left_ns >= 0) simulator().clock.advance(thread_cpu_ns() - t_left_ns);
}

void leave_measured_call() {
  if (--t_depth == 0) t_left_ns = thread_cpu_ns();
}

std::int64_t framework_ns() { return g_measure_host ? 0 : simulator().model.between_launches_ns; }

}  // namespace zerostall::simgpu
