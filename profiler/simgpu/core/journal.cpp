#include "profiler/simgpu/core/journal.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "profiler/simgpu/core/model.h"
#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {

struct Counter {
  const char* function;
  std::atomic<std::uint64_t> calls{0};
};

namespace {

// Leaked on purpose: the program may call CUDA from its own exit handlers.
struct Journal {
  std::mutex lock;
  std::deque<Counter> counters;
  std::map<std::string, std::uint64_t> unsupported;
  std::uint64_t unreal_readbacks = 0;
  std::atomic<Listener> listener{nullptr};
  pid_t owner = getpid();
};

Journal& journal() {
  static Journal* instance = new Journal;
  return *instance;
}

}  // namespace

Counter* counter_for(const char* function) {
  Journal& j = journal();
  std::lock_guard guard(j.lock);
  for (Counter& c : j.counters)
    if (std::strcmp(c.function, function) == 0) return &c;
  j.counters.emplace_back().function = function;
  return &j.counters.back();
}

void count(Counter* counter) { counter->calls.fetch_add(1, std::memory_order_relaxed); }

void report_unsupported(const char* function) {
  Journal& j = journal();
  bool first = false;
  {
    std::lock_guard guard(j.lock);
    first = j.unsupported[function]++ == 0;
  }
  if (first)
    std::fprintf(stderr, "[zerostall] simulated GPU: %s is not supported; it returns an error to the program\n",
                 function);
  if (Listener l = j.listener.load()) l(2, function, 1);
}

void report_unreal_readback(const char* where, std::uint64_t bytes) {
  Journal& j = journal();
  {
    std::lock_guard guard(j.lock);
    ++j.unreal_readbacks;
  }
  if (Listener l = j.listener.load()) l(3, where, bytes);
}

void set_listener(Listener listener) { journal().listener.store(listener); }

void write_log() {
  const char* wanted = std::getenv("ZEROSTALL_SIM_LOG");
  Journal& j = journal();
  if (!wanted || !*wanted || getpid() != j.owner) return;  // a forked child keeps no book
  struct stat there {};
  const bool folder = stat(wanted, &there) == 0 && S_ISDIR(there.st_mode);
  const std::string log_path = folder ? std::string(wanted) + "/" + std::to_string(getpid()) + ".json" : wanted;
  const char* path = log_path.c_str();
  nlohmann::ordered_json log;
  std::lock_guard guard(j.lock);
  std::map<std::string, std::uint64_t> calls;
  for (const Counter& c : j.counters)
    if (const auto n = c.calls.load()) calls[c.function] += n;
  log["schema"] = "zerostall/simlog/1";
  log["model"] = simulator().model.id;
  log["calls"] = calls;
  log["unsupported"] = j.unsupported;
  log["unreal_readbacks"] = j.unreal_readbacks;
  log["end_ns"] = simulator().clock.now();
  log["device_bytes_peak"] = simulator().memory.peak_device_bytes();
  if (FILE* out = std::fopen(path, "w")) {
    const std::string text = log.dump(1) + "\n";
    if (std::fwrite(text.data(), 1, text.size(), out) != text.size() || std::fclose(out) != 0)
      std::fprintf(stderr, "[zerostall] simulated GPU: could not write %s\n", path);
  } else {
    std::fprintf(stderr, "[zerostall] simulated GPU: could not write %s\n", path);
  }
}

}  // namespace zerostall::simgpu
