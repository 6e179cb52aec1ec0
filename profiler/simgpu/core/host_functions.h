// Functions of the program that run in stream order (cudaLaunchHostFunc, cudaStreamAddCallback, host nodes of graphs):
// one worker thread runs them one at a time, in the order of their virtual times. A function runs once the clock has
// reached its time or some thread waits for work behind it. Since a program may also wait for the effect without
// calling CUDA (a flag, a condition variable), the worker runs the next function anyway after a few idle milliseconds
// of real time; the clock does not move then, but queries of work before that function answer "ready" from there on.
// Thread-safe.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>

namespace zerostall::simgpu {

// How long a stream is held up by a function: assumption, the wake-up of the thread that runs it. What the function
// itself takes is host time, which only the program knows.
inline constexpr std::int64_t kHostFunctionNs = 5'000;

void queue_host_function(std::int64_t due_ns, std::function<void()> function);

// Blocks until every function due up to `time_ns` has returned.
void finish_host_functions(std::int64_t time_ns);

// The same, but gives up after a short real time: false when one is still running.
bool host_functions_done(std::int64_t time_ns);

// The latest virtual time of a function that has run, ahead of the clock or not.
std::int64_t host_function_horizon();

bool in_host_function();  // on the worker: CUDA calls are not permitted there

// Virtual time of the next function, INT64_MAX if none waits. Entry points look at it when they end.
extern std::atomic<std::int64_t> g_next_host_function_ns;
void wake_host_functions();

}  // namespace zerostall::simgpu
