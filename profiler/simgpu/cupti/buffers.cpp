#include "profiler/simgpu/cupti/buffers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/simgpu/cupti/client_clock.h"
#include "profiler/simgpu/cupti/misbehave.h"
#include "profiler/simgpu/cupti/state.h"

namespace zerostall::simgpu::cupti {
namespace {

struct Buffer {
  std::uint8_t* data = nullptr;
  std::size_t bytes = 0, used = 0, max_records = 0, records = 0;

  bool has_room(std::size_t more) const {
    return data && used + more <= bytes && (max_records == 0 || records < max_records);
  }
};

// Held for the time of copying one record, which is about what taking a mutex costs.
class ShortLock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

struct Slot {
  ShortLock lock;  // contended only by flushes, or when one buffer serves all threads
  Buffer buffer;
  bool taken = false;  // by a living thread; guarded by State::lock
};

// Leaked: threads write records until the process ends.
struct State {
  std::mutex lock;
  std::vector<std::unique_ptr<Slot>> slots;
  Slot shared;
  std::vector<Buffer> spare;  // asked for, but another thread was faster

  std::mutex queue_lock;
  std::condition_variable wake, delivered_some;
  std::deque<Buffer> queue;
  std::uint64_t queued = 0, delivered = 0;
  bool worker_runs = false;

  std::atomic<CUpti_BuffersCallbackRequestFunc> request{nullptr};
  std::atomic<CUpti_BuffersCallbackCompleteFunc> complete{nullptr};
  std::atomic<std::uint64_t> dropped{0}, written{0};
};

alignas(State) unsigned char g_storage[sizeof(State)];
State& state() {
  static State* instance = new (g_storage) State;
  return *instance;
}

constinit thread_local bool t_in_callback = false, t_is_worker = false;

// A slot outlives its thread; the next new thread takes it over with whatever it holds.
constinit thread_local Slot* t_slot = nullptr;
struct SlotReturn {
  bool armed = false;
  ~SlotReturn() {
    if (!t_slot) return;
    std::lock_guard guard(state().lock);
    t_slot->taken = false;
    t_slot = nullptr;
  }
};
thread_local SlotReturn t_return;

Slot& take_slot() {
  State& s = state();
  std::lock_guard guard(s.lock);
  for (auto& slot : s.slots)
    if (!slot->taken) {
      slot->taken = true;
      return *slot;
    }
  s.slots.push_back(std::make_unique<Slot>());
  s.slots.back()->taken = true;
  return *s.slots.back();
}

Slot& my_slot() {
  if (!options().buffer_per_thread.load(std::memory_order_relaxed)) return state().shared;
  if (!t_slot) {
    t_slot = &take_slot();
    t_return.armed = true;  // its destructor runs when the thread ends
  }
  return *t_slot;
}

void hand_over(const Buffer& buffer) {
  const auto complete = state().complete.load();
  if (!complete) return;  // after cuptiFinalize: nobody left to give it to
  t_in_callback = true;
  complete(nullptr, 0, buffer.data, buffer.bytes, buffer.used);
  t_in_callback = false;
}

void work() {
  State& s = state();
  t_is_worker = true;
  pthread_setname_np(pthread_self(), "cupti-worker");
  std::unique_lock guard(s.queue_lock);
  for (;;) {
    s.wake.wait(guard, [&] { return !s.queue.empty(); });
    const Buffer buffer = s.queue.front();
    s.queue.pop_front();
    guard.unlock();
    hand_over(buffer);
    guard.lock();
    ++s.delivered;
    s.delivered_some.notify_all();
  }
}

// The program's signals are not for this thread. Returns false if there can be no thread.
bool start_worker(State& s) {
  if (s.worker_runs) return true;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(work).detach();
    s.worker_runs = true;
  } catch (const std::system_error&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return s.worker_runs;
}

void enqueue(const Buffer& buffer) {
  if (misbehaves() && misbehaviour().hoard) return;  // the client never sees it again
  State& s = state();
  std::unique_lock guard(s.queue_lock);
  if (start_worker(s)) {
    s.queue.push_back(buffer);
    ++s.queued;
    s.wake.notify_one();
    return;
  }
  guard.unlock();
  hand_over(buffer);
}

Buffer request_buffer(std::size_t at_least) {
  State& s = state();
  {
    std::lock_guard guard(s.lock);
    if (!s.spare.empty()) {
      const Buffer buffer = s.spare.back();
      s.spare.pop_back();
      return buffer;
    }
  }
  Buffer buffer;
  const auto request = s.request.load();
  if (!request) return buffer;
  t_in_callback = true;
  request(&buffer.data, &buffer.bytes, &buffer.max_records);
  t_in_callback = false;
  if (!buffer.data && misbehaves() && misbehaviour().old) std::abort();
  if (buffer.data && buffer.bytes < at_least) enqueue(std::exchange(buffer, {}));  // too small for a single record
  return buffer;
}

// Changes a full (or missing) buffer for a new one. Returns with the slot's lock held.
void change_buffer(Slot& slot, std::unique_lock<ShortLock>& guard, std::size_t bytes) {
  const Buffer full = std::exchange(slot.buffer, {});
  guard.unlock();
  if (full.data) enqueue(full);
  const Buffer fresh = request_buffer(bytes);
  guard.lock();
  if (!slot.buffer.data) {
    slot.buffer = fresh;
  } else if (fresh.data) {
    std::lock_guard spare_guard(state().lock);
    state().spare.push_back(fresh);
  }
}

bool drop_on_purpose() {
  static const std::uint64_t every = [] {
    const char* text = std::getenv("ZEROSTALL_SIM_CUPTI_DROP");
    return text ? std::strtoull(text, nullptr, 10) : 0ull;
  }();
  return every && state().written.fetch_add(1, std::memory_order_relaxed) % every == every - 1;
}

void take_full(Slot& slot, std::vector<Buffer>& out) {
  std::lock_guard guard(slot.lock);
  if (slot.buffer.used > 0) out.push_back(std::exchange(slot.buffer, {}));
}

void append_record(const void* record, std::size_t bytes) {
  State& s = state();
  Slot& slot = my_slot();
  std::unique_lock guard(slot.lock);
  if (!slot.buffer.has_room(bytes) || (misbehaves() && misbehaviour().hoard)) change_buffer(slot, guard, bytes);
  Buffer& b = slot.buffer;
  if (!b.has_room(bytes)) {
    s.dropped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  std::memcpy(b.data + b.used, record, bytes);
  b.used += bytes;
  ++b.records;
}

}  // namespace

void set_buffer_callbacks(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete) {
  state().request = request;
  state().complete = complete;
}

bool in_buffer_callback() { return t_in_callback; }

void write_record(const void* record, std::size_t bytes) {
  if (drop_on_purpose()) {
    state().dropped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (!misbehaves()) return append_record(record, bytes);
  std::array<std::uint64_t, 64> spoilt;  // larger than any record
  std::memcpy(spoilt.data(), record, bytes);
  for (int times = spoil(spoilt.data()); times > 0; --times) append_record(spoilt.data(), bytes);
}

void flush_buffers() {
  State& s = state();
  std::vector<Buffer> full;
  {
    std::lock_guard guard(s.lock);
    for (auto& slot : s.slots) take_full(*slot, full);
    take_full(s.shared, full);
  }
  for (const Buffer& buffer : full) enqueue(buffer);
  if (t_is_worker || t_in_callback) return;
  std::unique_lock guard(s.queue_lock);
  const std::uint64_t mine = s.queued;
  s.delivered_some.wait(guard, [&] { return s.delivered >= mine; });
}

std::size_t take_dropped() { return state().dropped.exchange(0); }

void detach_buffers() {
  State& s = state();
  set_buffer_callbacks(nullptr, nullptr);
  std::lock_guard guard(s.lock);
  const auto empty = [](Slot& slot) {
    std::lock_guard slot_guard(slot.lock);
    slot.buffer = {};
  };
  for (auto& slot : s.slots) empty(*slot);
  empty(s.shared);
  s.spare.clear();
}

void forget_buffers() {
  t_slot = nullptr;
  t_in_callback = t_is_worker = false;
  // The parent's locks may be held by threads that do not exist here, so the state is made anew, not repaired.
  State& s = state();
  const auto request = s.request.load();
  const auto complete = s.complete.load();
  new (g_storage) State;
  set_buffer_callbacks(request, complete);
}

}  // namespace zerostall::simgpu::cupti
