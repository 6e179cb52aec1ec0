#include "profiler/tracer/activity_buffers.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace zerostall::tracer {
namespace {

// About 1,200 records. Each thread of the program holds one buffer from CUDA 13 on, so that they should not be large.
constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
constexpr std::size_t kMostInUse = 192;  // 48 MiB
constexpr std::size_t kMostSpare = 32;
constexpr std::uint32_t kFirstToBearNull = 27;

// How long a thread of the program waits for a buffer rather than lose records; and for how long nobody waits again
// once that was in vain (whoever should give one back may wait for this very thread).
constexpr auto kMostWait = std::chrono::milliseconds(100);
constexpr auto kPatienceBack = std::chrono::seconds(10);

struct Pool {
  std::mutex lock;
  std::condition_variable given_back;
  std::vector<std::uint8_t*> spare;  // zeroed
  std::size_t in_use = 0;
  std::chrono::steady_clock::time_point no_wait_until{};
};
// Never destroyed: CUPTI asks and gives back until the process ends.
Pool& pool() {
  static Pool* instance = new Pool;
  return *instance;
}

alignas(8) std::array<std::uint8_t, 4096> g_worthless;

// Programs that launch faster than their records can be read are slowed down to that.
bool wait_for_buffer(Pool& p, std::unique_lock<std::mutex>& guard) {
  const auto now = std::chrono::steady_clock::now();
  if (now < p.no_wait_until) return false;
  if (p.given_back.wait_for(guard, kMostWait, [&] { return p.in_use < kMostInUse; })) return true;
  p.no_wait_until = now + kPatienceBack;
  return false;
}

std::uint8_t* find_buffer() {
  Pool& p = pool();
  {
    std::unique_lock guard(p.lock);
    if (p.in_use >= kMostInUse && !wait_for_buffer(p, guard)) return nullptr;
    ++p.in_use;
    if (!p.spare.empty()) {
      std::uint8_t* buffer = p.spare.back();
      p.spare.pop_back();
      return buffer;
    }
  }
  auto* fresh = static_cast<std::uint8_t*>(std::calloc(kBufferBytes, 1));
  if (!fresh) {
    std::lock_guard guard(p.lock);
    --p.in_use;
  }
  return fresh;
}

}  // namespace

std::uint8_t* take_buffer(std::uint32_t cupti_version, std::size_t* bytes) {
  std::uint8_t* buffer = find_buffer();
  *bytes = buffer ? kBufferBytes : 0;
  if (buffer || cupti_version >= kFirstToBearNull) return buffer;
  *bytes = g_worthless.size();
  return g_worthless.data();
}

bool is_worthless(const std::uint8_t* buffer) { return buffer == g_worthless.data(); }

void give_back_buffer(std::uint8_t* buffer, std::size_t bytes) {
  if (!buffer || is_worthless(buffer)) return;
  std::memset(buffer, 0, bytes);
  Pool& p = pool();
  {
    std::lock_guard guard(p.lock);
    --p.in_use;
    if (p.spare.size() < kMostSpare) {
      p.spare.push_back(buffer);
      buffer = nullptr;
    }
  }
  p.given_back.notify_one();
  std::free(buffer);
}

}  // namespace zerostall::tracer
