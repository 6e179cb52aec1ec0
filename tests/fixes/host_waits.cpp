#include "tests/fixes/host_waits.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>

namespace {

std::atomic<std::int64_t> stream_syncs, event_syncs, device_syncs, copies, uploads, downloads, stream_waits;
constexpr int kUpload = 1, kDownload = 2;  // cudaMemcpyKind

// The runtime's own function. Not RTLD_NEXT: that one may find the definition below.
void* runtime_function(const char* name) {
  for (const char* library : {"libcudart.so.13", "libcudart.so.12"})
    if (void* handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) return ::dlsym(handle, name);
  std::abort();  // it is loaded: somebody has just called it
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind,
                                                           void* stream) {
  ++copies;
  uploads += kind == kUpload ? 1 : 0;
  downloads += kind == kDownload ? 1 : 0;
  static const auto real =
      reinterpret_cast<int (*)(void*, const void*, std::size_t, int, void*)>(runtime_function("cudaMemcpyAsync"));
  return real(to, from, bytes, kind, stream);
}
__attribute__((visibility("default"))) int cudaStreamWaitEvent(void* stream, void* event, unsigned flags) {
  ++stream_waits;
  static const auto real = reinterpret_cast<int (*)(void*, void*, unsigned)>(runtime_function("cudaStreamWaitEvent"));
  return real(stream, event, flags);
}
__attribute__((visibility("default"))) int cudaStreamSynchronize(void* stream) {
  ++stream_syncs;
  static const auto real = reinterpret_cast<int (*)(void*)>(runtime_function("cudaStreamSynchronize"));
  return real(stream);
}
__attribute__((visibility("default"))) int cudaEventSynchronize(void* event) {
  ++event_syncs;
  static const auto real = reinterpret_cast<int (*)(void*)>(runtime_function("cudaEventSynchronize"));
  return real(event);
}
__attribute__((visibility("default"))) int cudaDeviceSynchronize() {
  ++device_syncs;
  static const auto real = reinterpret_cast<int (*)()>(runtime_function("cudaDeviceSynchronize"));
  return real();
}
}

namespace zerostall {

HostWaits host_waits() {
  return {.stream_syncs = stream_syncs,
          .event_syncs = event_syncs,
          .device_syncs = device_syncs,
          .copies = copies,
          .uploads = uploads,
          .downloads = downloads,
          .stream_waits = stream_waits};
}

}  // namespace zerostall
