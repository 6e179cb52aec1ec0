// The calls that let the host wait, or ask whether it would have to. Shared by the runtime and the driver API.
#pragma once

namespace zerostall::simgpu {

bool wait_stream(const void* handle);  // false: unknown stream
bool wait_event(const void* handle);   // false: unknown event; an event never recorded is complete
void wait_device();

// A program that polls would spin for ever on a clock that only calls advance: after a few not-ready answers in a row
// on one thread the clock jumps to the completion asked for.
enum class QueryResult { ready, not_ready, unknown };
QueryResult query_stream(const void* handle);
QueryResult query_event(const void* handle);

}  // namespace zerostall::simgpu
