// The simulator's own book: how often each API function was called, what it could not do, which read-backs had no real
// value. Independent of CUPTI, so that a tracer's counts can be checked against it. Thread-safe.
#pragma once
#include <cstdint>

namespace zerostall::simgpu {

// One counter per API function, by its own name (a static string). Created on first use, never freed.
struct Counter;
Counter* counter_for(const char* function);
void count(Counter* counter);

// Names an unsupported function once on stderr, counts it, and passes it on to the listener.
void report_unsupported(const char* function);

// Reports bytes handed to the program that no copy wrote: `where` is the API ("cudaMemcpyAsync").
void report_unreal_readback(const char* where, std::uint64_t bytes);

// A tracer may ask to be told at once (exported to it as zerostall_sim_set_listener). kind: format.h NoteKind.
using Listener = void (*)(std::uint32_t kind, const char* text, std::uint64_t value);
void set_listener(Listener listener);

// Writes the book as JSON to $ZEROSTALL_SIM_LOG, if set: a file, or a folder that gets one file per process, PID.json.
// Called at exit.
void write_log();

}  // namespace zerostall::simgpu
