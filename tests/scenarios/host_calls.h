// Counts the CUDA calls of this test program that matter for waits, by standing in front of the (simulated) runtime:
// its own definitions of the functions count and pass on. Link host_calls.cpp into the program.
#pragma once

namespace zerostall::testing {

struct HostCalls {
  int stream_syncs = 0, event_syncs = 0, device_syncs = 0;
  int uploads = 0, downloads = 0;  // cudaMemcpyAsync by kind
  int stream_waits = 0;            // cudaStreamWaitEvent
  int waits() const { return stream_syncs + event_syncs + device_syncs; }
};
HostCalls host_calls();  // since the start of the process, all threads

// What `work` adds.
template <class Work>
HostCalls calls_of(const Work& work) {
  const HostCalls before = host_calls();
  work();
  const HostCalls after = host_calls();
  return {.stream_syncs = after.stream_syncs - before.stream_syncs,
          .event_syncs = after.event_syncs - before.event_syncs,
          .device_syncs = after.device_syncs - before.device_syncs,
          .uploads = after.uploads - before.uploads,
          .downloads = after.downloads - before.downloads,
          .stream_waits = after.stream_waits - before.stream_waits};
}

}  // namespace zerostall::testing
