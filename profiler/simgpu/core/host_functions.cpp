#include "profiler/simgpu/core/host_functions.h"

#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
std::atomic<std::int64_t> g_next_host_function_ns{kNever};

namespace {

constexpr std::chrono::milliseconds kIdle{10};       // real time before a function runs ahead of the clock
constexpr std::chrono::milliseconds kQueryWait{50};  // real time a query gives a function that is due

thread_local bool t_inside = false;

struct Worker {
  std::mutex lock;
  std::condition_variable wake, done;
  std::multimap<std::int64_t, std::function<void()>> waiting;  // by due time; equal times in the order of queueing
  std::int64_t running = kNever;                               // due time of the one that runs
  std::int64_t demanded = 0;                                   // somebody waits for all up to here
  std::int64_t horizon = 0;
  bool started = false;
};

Worker& worker() {
  static Worker* instance = new Worker;  // leaked: the thread outlives main
  return *instance;
}

bool due(const Worker& w) {
  return !w.waiting.empty() && w.waiting.begin()->first <= std::max(w.demanded, simulator().clock.now());
}

bool finished(const Worker& w, std::int64_t time_ns) {
  return w.running > time_ns && (w.waiting.empty() || w.waiting.begin()->first > time_ns);
}

void run_next(Worker& w, std::unique_lock<std::mutex>& guard) {
  auto next = w.waiting.extract(w.waiting.begin());
  w.running = next.key();
  g_next_host_function_ns = w.waiting.empty() ? kNever : w.waiting.begin()->first;
  guard.unlock();
  t_inside = true;
  next.mapped()();
  t_inside = false;
  next.mapped() = nullptr;
  guard.lock();
  w.horizon = std::max(w.horizon, next.key());
  w.running = kNever;
  w.done.notify_all();
}

void work() {
  Worker& w = worker();
  std::unique_lock guard(w.lock);
  for (;;) {
    w.wake.wait(guard, [&] { return !w.waiting.empty(); });
    if (!due(w)) w.wake.wait_for(guard, kIdle, [&] { return due(w); });
    if (!w.waiting.empty()) run_next(w, guard);
  }
}

// The program's signals are not for this thread: Ctrl-C has to interrupt the main thread's sleep.
void start(Worker& w) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(work).detach();
  w.started = true;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void queue_host_function(std::int64_t due_ns, std::function<void()> function) {
  Worker& w = worker();
  std::lock_guard guard(w.lock);
  w.waiting.emplace(due_ns, std::move(function));
  g_next_host_function_ns = w.waiting.begin()->first;
  if (!w.started) start(w);
  w.wake.notify_one();
}

void finish_host_functions(std::int64_t time_ns) {
  Worker& w = worker();
  std::unique_lock guard(w.lock);
  if (finished(w, time_ns)) return;
  w.demanded = std::max(w.demanded, time_ns);
  w.wake.notify_one();
  w.done.wait(guard, [&] { return finished(w, time_ns); });
}

bool host_functions_done(std::int64_t time_ns) {
  Worker& w = worker();
  std::unique_lock guard(w.lock);
  if (finished(w, time_ns)) return true;
  w.demanded = std::max(w.demanded, time_ns);
  w.wake.notify_one();
  return w.done.wait_for(guard, kQueryWait, [&] { return finished(w, time_ns); });
}

std::int64_t host_function_horizon() {
  Worker& w = worker();
  std::lock_guard guard(w.lock);
  return w.horizon;
}

bool in_host_function() { return t_inside; }

void wake_host_functions() {
  if (simulator().clock.now() >= g_next_host_function_ns.load()) worker().wake.notify_one();
}

}  // namespace zerostall::simgpu
