#include "profiler/tracer/housekeeper.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "profiler/tracer/activity.h"
#include "profiler/tracer/collector.h"
#include "profiler/tracer/own_cost.h"
#include "profiler/tracer/settings.h"
#include "profiler/tracer/subscription.h"
#include "profiler/tracer/window.h"

namespace zerostall::tracer {
namespace {

// A tick costs the program some hundred microseconds.
constexpr long kTick_ns = 250'000'000;
constexpr int kTicksPerCost = 20;
constexpr int kTicksPerLook = 4;  // asking /proc is the dearest part of a tick
constexpr long kShortTick_ns = 50'000'000;

// More often where something waits for it: windows that open by the clock or by signal, files that cannot be mapped.
long tick_ns() {
  const Window::Kind window = settings().window.kind;
  const bool watches = window == Window::Kind::seconds || window == Window::Kind::signal;
  return watches || collector().copies_to_file() ? kShortTick_ns : kTick_ns;
}

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_wake;
std::atomic<bool> g_can_wake{false};  // recording begins before there is somebody to wake

void wait_for_tick() {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += tick_ns();
  if (until.tv_nsec >= 1'000'000'000) {
    until.tv_nsec -= 1'000'000'000;
    ++until.tv_sec;
  }
  pthread_mutex_lock(&g_lock);
  if (!collector().is_writing() || !collector().needs_housekeeping()) pthread_cond_timedwait(&g_wake, &g_lock, &until);
  pthread_mutex_unlock(&g_lock);
}

// The first bytes of a small file; "" = it cannot be read.
std::string read_start(const std::string& path) {
  char text[512];
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t n = file < 0 ? 0 : ::read(file, text, sizeof text);
  if (file >= 0) ::close(file);
  return std::string(text, n > 0 ? static_cast<std::size_t>(n) : 0);
}

bool has_ended(const std::string& task) {
  const std::string text = read_start(task + "/stat");
  const auto behind_name = text.rfind(") ");  // the name may hold anything
  return behind_name != std::string::npos && text.substr(behind_name + 2, 1) == "Z";
}

// The main thread is gone (pthread_exit), and so are all others but ours and the simulated CUPTI's: without a tracer
// the process would have ended.
bool alone() {
  if (!has_ended("/proc/self")) return false;
  DIR* tasks = ::opendir("/proc/self/task");
  if (!tasks) return false;
  bool others = false;
  while (const dirent* entry = ::readdir(tasks)) {
    if (entry->d_name[0] == '.') continue;
    const std::string task = std::string("/proc/self/task/") + entry->d_name, name = read_start(task + "/comm");
    others = others || (name != "zerostall\n" && name != "cupti-worker\n" && !has_ended(task));
  }
  ::closedir(tasks);
  return !others;
}

bool found_alone_at_times() {
  static int ticks = 0;
  return ++ticks % kTicksPerLook == 0 && alone();
}

// For programs that end without exit handlers: every few seconds.
void tell_own_cost_at_times() {
  static int ticks = 0;
  if (ticks++ % kTicksPerCost == 0) tell_own_cost();
}

void* keep_house(void*) {
  pthread_setname_np(pthread_self(), "zerostall");
  while (!collector().is_over()) {
    wait_for_tick();
    if (found_alone_at_times()) std::exit(0);  // as the C library does when the last thread ends
    if (!collector().is_writing()) continue;
    collector().keep_house();
    watch_windows();
    if (collector().is_exiting()) continue;
    check_surroundings(false);
    flush_activity();
    tell_own_cost_at_times();
  }
  return nullptr;
}

}  // namespace

void start_housekeeper() {
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&g_wake, &clock);
  g_can_wake.store(true, std::memory_order_release);
  // The program's signals are for its own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  pthread_create(&thread, &detached, keep_house, nullptr);
  pthread_attr_destroy(&detached);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void wake_housekeeper() {
  if (g_can_wake.load(std::memory_order_acquire)) pthread_cond_signal(&g_wake);
}

}  // namespace zerostall::tracer
