// The simulator's own book: how often each API function was called, what it could not do, which read-backs had no real
// value. Independent of CUPTI, so that a tracer's counts can be checked against it. Thread-safe.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zerostall::simgpu {

// A counter of calls: one per entry point, a constant-initialised static there, so that no guard is taken on its first
// call (a process forked in the middle of that would wait for ever). Several may count one function.
struct Counter {
  const char* function;  // a static string
  std::atomic<std::uint64_t> calls{0};
  Counter* next = nullptr;  // in the book's list
};
void enter_in_book(Counter* counter);  // on its first call
inline void count(Counter* counter) {
  if (counter->calls.fetch_add(1, std::memory_order_relaxed) == 0) enter_in_book(counter);
}

// For core/fork.cpp. True if a function was called that needs a device; the caller holds the lock.
void lock_journal();
void unlock_journal();
bool used_device();

// Names an unsupported function once on stderr, counts it, and passes it on to the listener.
void report_unsupported(const char* function);

// The program asked for a device behind the last: said once on stderr; the highest is kept for the log.
void report_missing_device(int device, int devices);

struct CallSite;
struct UnrealReadback {
  const char* api;  // "cudaMemcpyAsync"
  std::size_t bytes;
  bool stored;  // an earlier copy's bytes were returned; false: zeros
  const CallSite* site;
  const char* range;  // the innermost NVTX range; "": none
};

// Bytes handed to the program that a kernel may have written, or that nobody wrote.
void report_unreal_readback(const UnrealReadback& readback);
// A read-back got a value of --sim-values.
void note_supplied();

// A tracer may ask to be told at once (exported to it as zerostall_sim_set_listener). kind: format.h NoteKind.
using Listener = void (*)(std::uint32_t kind, const char* text, std::uint64_t value);
void set_listener(Listener listener);

// Writes the book as JSON to $ZEROSTALL_SIM_LOG, if set: a file, or a folder that gets one file per process, PID.json;
// several places are parted by ':'. Called at exit. Keys: README-values.md.
void write_log();

}  // namespace zerostall::simgpu
