#include "profiler/simgpu/core/device_state.h"

#include <array>
#include <atomic>
#include <mutex>

#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {
namespace {

// Defaults as the CUDA programming guide and the API reference give them.
constexpr std::array<std::size_t, 7> kDefaults = {
    1024,     // stack of a thread
    1 << 20,  // printf buffer
    8 << 20,  // device heap
    2,        // nesting of device-side synchronisation: not on devices of capability 9.0 and later
    2048,     // pending device-side launches
    64,       // L2 fetch granularity
    0,        // persisting L2
};
constexpr int kSyncDepth = 3;

struct Limits {
  std::mutex lock;
  std::array<std::array<std::size_t, kDefaults.size()>, kMostDevices> value;
  Limits() { value.fill(kDefaults); }
};
Limits& limits() {
  static Limits* instance = new Limits;
  return *instance;
}

cudaError_t check_limit(int limit) {
  if (limit < 0 || limit >= static_cast<int>(kDefaults.size())) return cudaErrorInvalidValue;
  if (limit == kSyncDepth && simulator().model.compute_major >= 9) return cudaErrorUnsupportedLimit;
  ensure_context();
  return current_context() ? cudaSuccess : cudaErrorNoDevice;
}

std::size_t& slot(int limit) {
  return limits().value[static_cast<std::size_t>(current_device())][static_cast<std::size_t>(limit)];
}

bool known(int device) { return device >= 0 && device < device_count(); }

std::mutex g_peers;

}  // namespace

cudaError_t get_limit(std::size_t* value, int limit) {
  if (!value) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_limit(limit)) return error;
  std::lock_guard guard(limits().lock);
  *value = slot(limit);
  return cudaSuccess;
}

cudaError_t set_limit(int limit, std::size_t value) {
  if (const cudaError_t error = check_limit(limit)) return error;
  std::lock_guard guard(limits().lock);
  slot(limit) = value;
  return cudaSuccess;
}

cudaError_t can_access_peer(int* can, int device, int peer) {
  if (!can) return cudaErrorInvalidValue;
  if (!known(device) || !known(peer)) return cudaErrorInvalidDevice;
  *can = device != peer;
  return cudaSuccess;
}

cudaError_t enable_peer(int peer) {
  if (!known(peer) || peer == current_device()) return cudaErrorInvalidDevice;
  ensure_context();
  std::lock_guard guard(g_peers);
  const std::uint64_t bit = std::uint64_t{1} << peer;
  if (current_context()->peers & bit) return cudaErrorPeerAccessAlreadyEnabled;
  current_context()->peers |= bit;
  return cudaSuccess;
}

cudaError_t disable_peer(int peer) {
  if (!known(peer)) return cudaErrorInvalidDevice;
  ensure_context();
  std::lock_guard guard(g_peers);
  const std::uint64_t bit = std::uint64_t{1} << peer;
  if (!(current_context()->peers & bit)) return cudaErrorPeerAccessNotEnabled;
  current_context()->peers &= ~bit;
  return cudaSuccess;
}

}  // namespace zerostall::simgpu
