// The calls that let the host wait, or ask whether it would have to. Shared by the runtime and the driver API, whose
// error numbers are equal. Host functions that lie before the point waited for have returned when these return.
#pragma once
#include <cuda_runtime_api.h>

namespace zerostall::simgpu {

// cudaErrorInvalidResourceHandle: unknown handle; errors of stream capture; cudaErrorNotPermitted in a host function.
cudaError_t wait_stream(const void* handle);
cudaError_t wait_event(const void* handle);  // an event never recorded is complete
cudaError_t wait_device();                   // the current device

// A program that polls would spin for ever on a clock that only calls advance: after a few not-ready answers in a row
// on one thread the clock jumps to the completion asked for. cudaErrorNotReady, or as above.
// A thread that only watches (core/clock.h) asks from time to time by real time, as the watchdog of a communication
// library does: it is answered, but the clock stays. Should it ask for one thing a thousand times while the clock
// stands still, then the feeding threads may be waiting for it, and the clock does jump.
cudaError_t query_stream(const void* handle);
cudaError_t query_event(const void* handle);

}  // namespace zerostall::simgpu
