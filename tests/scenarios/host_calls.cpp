#include "tests/scenarios/host_calls.h"

#include <dlfcn.h>

#include <atomic>
#include <cstddef>

namespace {

std::atomic<int> stream_syncs{0}, event_syncs{0}, device_syncs{0}, uploads{0}, downloads{0}, stream_waits{0};

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

constexpr int kUpload = 1, kDownload = 2;  // cudaMemcpyKind

}  // namespace

// Seen by the libraries, though this program hides its symbols otherwise.
#define STANDS_IN_FRONT extern "C" __attribute__((visibility("default")))

STANDS_IN_FRONT int cudaStreamSynchronize(void* stream) {
  ++stream_syncs;
  return next<int(void*)>("cudaStreamSynchronize")(stream);
}
STANDS_IN_FRONT int cudaEventSynchronize(void* event) {
  ++event_syncs;
  return next<int(void*)>("cudaEventSynchronize")(event);
}
STANDS_IN_FRONT int cudaDeviceSynchronize() {
  ++device_syncs;
  return next<int()>("cudaDeviceSynchronize")();
}
STANDS_IN_FRONT int cudaStreamWaitEvent(void* stream, void* event, unsigned flags) {
  ++stream_waits;
  return next<int(void*, void*, unsigned)>("cudaStreamWaitEvent")(stream, event, flags);
}
STANDS_IN_FRONT int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
  if (kind == kUpload) ++uploads;
  if (kind == kDownload) ++downloads;
  return next<int(void*, const void*, std::size_t, int, void*)>("cudaMemcpyAsync")(to, from, bytes, kind, stream);
}

namespace zerostall::testing {

HostCalls host_calls() {
  return {.stream_syncs = stream_syncs,
          .event_syncs = event_syncs,
          .device_syncs = device_syncs,
          .uploads = uploads,
          .downloads = downloads,
          .stream_waits = stream_waits};
}

}  // namespace zerostall::testing
