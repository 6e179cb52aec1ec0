// Counts this process's own calls that make the host wait for a GPU, simulated or real: the test program defines the
// functions itself, in front of the CUDA runtime, and passes the calls on.
#pragma once
#include <cstdint>

namespace zerostall {

struct HostWaits {
  std::int64_t stream_syncs = 0, event_syncs = 0, device_syncs = 0;
  std::int64_t copies = 0;                  // cudaMemcpyAsync, whether it waits or not
  std::int64_t uploads = 0, downloads = 0;  // of them
  std::int64_t stream_waits = 0;            // cudaStreamWaitEvent: no host wait
  std::int64_t all() const { return stream_syncs + event_syncs + device_syncs; }
};

// Since the program started, of all threads.
HostWaits host_waits();

// Of one call.
template <class Function>
HostWaits host_waits_of(Function&& function) {
  const HostWaits before = host_waits();
  function();
  const HostWaits now = host_waits();
  return {.stream_syncs = now.stream_syncs - before.stream_syncs,
          .event_syncs = now.event_syncs - before.event_syncs,
          .device_syncs = now.device_syncs - before.device_syncs,
          .copies = now.copies - before.copies,
          .uploads = now.uploads - before.uploads,
          .downloads = now.downloads - before.downloads,
          .stream_waits = now.stream_waits - before.stream_waits};
}

}  // namespace zerostall
