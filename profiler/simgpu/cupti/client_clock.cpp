#include "profiler/simgpu/cupti/client_clock.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace zerostall::simgpu::cupti {
namespace {

constexpr std::size_t kManyHeldBack = 4096;  // then what has ended is written even without a wait
constexpr std::int64_t kCalibrationNs = 1'000'000;

struct Held {
  GpuItem item;
  double offset;  // client ticks to add to virtual time, as of the launch
  std::int64_t launch_ns;
  std::uint64_t launch_ticks;
};

struct Anchor {
  std::int64_t ns;
  std::uint64_t ticks;
};

struct Conversion {
  std::mutex lock;
  double ticks_per_ns = 0;  // 0: not calibrated yet
  std::int64_t real_ns = 0;
  std::uint64_t real_ticks = 0;  // where calibration started
  Anchor last{0, 0};             // the last wait: all work written so far ends before it
  double offset = 0;             // never falls, except when squeezing has moved work together
  std::vector<Held> held;
  std::size_t look_at = kManyHeldBack;
};

alignas(Conversion) unsigned char g_storage[sizeof(Conversion)];
Conversion& conversion() {
  static Conversion* instance = new (g_storage) Conversion;
  return *instance;
}
std::atomic<CUpti_TimestampCallbackFunc> g_clock{nullptr};
thread_local std::uint64_t t_enter_ticks = 0;
thread_local std::int64_t t_enter_ns = 0;

std::int64_t now_ns() { return simulator().clock.now(); }

std::int64_t real_time_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

// The client's clock may count anything (Kineto's counts cycles). Once measured, the rate stays.
void calibrate(Conversion& c) {
  if (c.ticks_per_ns > 0 || !g_clock.load()) return;
  while (real_time_ns() - c.real_ns < kCalibrationNs) {
  }
  const std::uint64_t ticks = g_clock.load()();
  const auto elapsed_ns = static_cast<double>(real_time_ns() - c.real_ns);
  c.ticks_per_ns = std::max(1e-3, static_cast<double>(ticks - c.real_ticks) / elapsed_ns);
  c.last = {now_ns(), ticks};
  c.offset = static_cast<double>(ticks) - c.ticks_per_ns * static_cast<double>(c.last.ns);
}

double ticks_of(const Conversion& c, std::int64_t ns, double offset) {
  return c.ticks_per_ns * static_cast<double>(ns) + offset;
}
std::uint64_t whole(double ticks) { return static_cast<std::uint64_t>(std::llround(std::max(0.0, ticks))); }

// Host time as a function of virtual time through the launches and the wait that ends them; flat before the first.
std::uint64_t through(const std::vector<Anchor>& anchors, std::int64_t ns) {
  const auto after =
      std::upper_bound(anchors.begin(), anchors.end(), ns, [](std::int64_t t, const Anchor& a) { return t < a.ns; });
  if (after == anchors.begin()) return anchors.front().ticks;
  const Anchor& a = *(after - 1);
  if (after == anchors.end() || after->ns == a.ns) return a.ticks;
  const double part = static_cast<double>(ns - a.ns) / static_cast<double>(after->ns - a.ns);
  return a.ticks + whole(part * static_cast<double>(after->ticks - a.ticks));
}

std::vector<Anchor> anchors_of(const Conversion& c, Anchor wait) {
  std::vector<Anchor> anchors{c.last};
  for (const Held& h : c.held)
    if (h.launch_ns <= wait.ns) anchors.push_back({h.launch_ns, h.launch_ticks});
  anchors.push_back(wait);
  std::stable_sort(anchors.begin() + 1, anchors.end() - 1,
                   [](const Anchor& a, const Anchor& b) { return a.ns < b.ns; });
  for (std::size_t i = 1; i < anchors.size(); ++i) {
    anchors[i].ns = std::max(anchors[i].ns, anchors[i - 1].ns);
    anchors[i].ticks = std::min(std::max(anchors[i].ticks, anchors[i - 1].ticks), wait.ticks);
  }
  return anchors;
}

struct Times {
  std::uint64_t begin, end;
};

Times natural(const Conversion& c, const Held& h) {
  const double end = ticks_of(c, h.item.work.end_ns, h.offset);
  double begin = ticks_of(c, h.item.work.begin_ns, h.offset);
  // Launched before the last wait and still running then: what was moved together there must stay before it.
  if (h.launch_ticks < c.last.ticks) begin = std::min(end, std::max(begin, static_cast<double>(c.last.ticks)));
  return {whole(begin), whole(end)};
}

// Takes out and converts all held work that ends at or before wait.ns. Caller holds the lock, and writes the records
// after releasing it: writing runs the client's code.
std::vector<std::pair<GpuItem, Times>> settle(Conversion& c, Anchor wait) {
  wait.ticks = std::max(wait.ticks, c.last.ticks);
  const auto due_end =
      std::stable_partition(c.held.begin(), c.held.end(), [&](const Held& h) { return h.item.work.end_ns <= wait.ns; });
  std::vector<std::pair<GpuItem, Times>> out;
  if (due_end == c.held.begin()) return out;
  const bool fits = std::all_of(c.held.begin(), due_end, [&](const Held& h) {
    return ticks_of(c, h.item.work.end_ns, h.offset) <= static_cast<double>(wait.ticks);
  });
  const std::vector<Anchor> anchors = fits ? std::vector<Anchor>{} : anchors_of(c, wait);
  for (auto h = c.held.begin(); h != due_end; ++h) {
    const Work& w = h->item.work;
    out.push_back({h->item, fits ? natural(c, *h) : Times{through(anchors, w.begin_ns), through(anchors, w.end_ns)}});
  }
  c.held.erase(c.held.begin(), due_end);
  if (!fits) {
    c.offset = static_cast<double>(wait.ticks) - c.ticks_per_ns * static_cast<double>(wait.ns);
    for (Held& h : c.held) h.offset = c.offset;
  }
  c.last = wait;
  return out;
}

void write(const std::vector<std::pair<GpuItem, Times>>& settled) {
  for (const auto& [item, times] : settled) write_gpu_record(item, times.begin, times.end);
}

}  // namespace

void set_client_clock(CUpti_TimestampCallbackFunc clock) {
  release_held_back();
  Conversion& c = conversion();
  std::lock_guard guard(c.lock);
  if (clock == g_clock.load()) return;
  g_clock = clock;
  c.ticks_per_ns = 0;
  if (!clock) return;
  c.real_ns = real_time_ns();
  c.real_ticks = clock();
}

bool has_client_clock() { return g_clock.load(std::memory_order_relaxed) != nullptr; }

std::uint64_t host_time() {
  if (const auto clock = g_clock.load(std::memory_order_acquire)) return clock();
  return static_cast<std::uint64_t>(simulator().clock.stamp());
}

void clock_enter(std::uint64_t host_time) {
  t_enter_ticks = host_time;
  t_enter_ns = now_ns();
}

std::uint64_t clock_entered() { return t_enter_ticks; }

void clock_exit(std::uint64_t host_time, bool waited) {
  if (!waited) return;
  Conversion& c = conversion();
  std::unique_lock guard(c.lock);
  if (c.held.empty()) return;
  const auto settled = settle(c, {now_ns(), host_time});
  guard.unlock();
  write(settled);
}

void hold_back(const GpuItem& item) {
  Conversion& c = conversion();
  std::unique_lock guard(c.lock);
  if (!has_client_clock()) return;  // just detached
  calibrate(c);
  const double here = static_cast<double>(t_enter_ticks) - c.ticks_per_ns * static_cast<double>(t_enter_ns);
  c.offset = std::max(c.offset, here);
  c.held.push_back({item, c.offset, t_enter_ns, t_enter_ticks});
  if (c.held.size() < c.look_at) return;
  const auto settled = settle(c, {now_ns(), g_clock.load()()});
  c.look_at = std::max(kManyHeldBack, 2 * c.held.size());
  guard.unlock();
  write(settled);
}

void release_held_back() {
  if (!has_client_clock()) return;
  Conversion& c = conversion();
  std::unique_lock guard(c.lock);
  if (c.held.empty() || !has_client_clock()) return;
  std::int64_t end = now_ns();
  for (const Held& h : c.held) end = std::max(end, h.item.work.end_ns);
  const auto settled = settle(c, {end, g_clock.load()()});
  c.last.ns = now_ns();  // the host is not that far yet
  guard.unlock();
  write(settled);
}

std::uint64_t to_client(std::int64_t virtual_ns) {
  if (!has_client_clock()) return static_cast<std::uint64_t>(virtual_ns);
  Conversion& c = conversion();
  std::lock_guard guard(c.lock);
  calibrate(c);
  return std::max(t_enter_ticks, whole(ticks_of(c, virtual_ns, c.offset)));
}

void detach_client_clock() {
  Conversion& c = conversion();
  std::lock_guard guard(c.lock);
  c.held.clear();
  g_clock = nullptr;
}

void forget_client_clock() {
  conversion();
  new (g_storage) Conversion;
  g_clock = nullptr;
}

}  // namespace zerostall::simgpu::cupti
