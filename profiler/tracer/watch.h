// Calls that wait, told to the program while it runs: what `zerostall.no_waits()` of Python asks for. The program finds
// the functions below by dlsym in the library that NVTX_INJECTION64_PATH names.
//
// A call that waits: a synchronisation of stream, device or event, or a copy between host and device by an API without
// `Async`; outermost ones, of every thread. A copy of pageable memory by an `Async` API may wait as well, which its
// records alone tell, later: the analysis of the trace counts it, a watch does not.
#pragma once
#include <cstdint>

#include "profiler/trace/format.h"

namespace zerostall::tracer {

// While somebody watches. Costs one relaxed load.
bool is_watched();

// In the call, on its thread; `name` as CUPTI has it. Takes a lock and some microseconds.
void tell_watch(const char* name);

}  // namespace zerostall::tracer

extern "C" {

// One call. Texts are cut where they do not fit.
struct zerostall_watched_call {
  std::uint32_t thread;        // the system's id
  std::uint32_t python_state;  // of that thread: 0 no Python on it, 1 frames known, 2 not known
  char name[64];               // "cudaStreamSynchronize"
  char frames[4032];           // Python's, innermost first: FILE 0x1f LINE 0x1f FUNCTION 0x1e ...
};

// Begins (1) or ends (0) a watch; they nest, across threads too. Returns whether calls are seen now: 0 = no, since the
// recording is over, or outside its window (`record --steps`). Before the first CUDA call they will be.
int zerostall_watch(int on);

// How many calls were seen in all watches of this process until now.
unsigned long long zerostall_watched(void);

// The call of that number, from 1; returns 0 where there is none, or it is older than the latest 256.
int zerostall_watched_at(unsigned long long number, struct zerostall_watched_call* call);
}
