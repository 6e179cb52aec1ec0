#include "profiler/simgpu/core/journal.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>

#include "profiler/simgpu/core/call_site.h"
#include "profiler/simgpu/core/fork.h"
#include "profiler/simgpu/core/model.h"
#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {

namespace {

std::atomic<Counter*> g_counters{nullptr};  // all that were called

constexpr std::size_t kMostSites = 1000;  // a program with more of them is not helped by a longer list

struct Site {
  CallSite site;
  std::uint64_t count = 0, stored = 0;
};
using SiteKey = std::tuple<std::string, std::string, std::uint64_t, std::string>;  // place, API, bytes, range

// Leaked on purpose: the program may call CUDA from its own exit handlers.
struct Journal {
  std::mutex lock;
  std::map<std::string, std::uint64_t> unsupported;
  std::string last_unsupported;
  std::uint64_t unreal_readbacks = 0, supplied_readbacks = 0;
  std::map<SiteKey, Site> sites;
  std::atomic<Listener> listener{nullptr};
  std::atomic<int> missing_device{-1};
  pid_t owner = getpid();
};

Journal& journal() {
  static Journal* instance = new Journal;
  return *instance;
}

}  // namespace

void enter_in_book(Counter* counter) {
  counter->next = g_counters.load(std::memory_order_relaxed);
  while (!g_counters.compare_exchange_weak(counter->next, counter, std::memory_order_release)) {
  }
}

void lock_journal() { journal().lock.lock(); }
void unlock_journal() { journal().lock.unlock(); }

bool used_device() {
  for (const Counter* c = g_counters.load(std::memory_order_acquire); c; c = c->next)
    if (!needs_no_device(c->function)) return true;
  return false;
}

void report_unsupported(const char* function) {
  Journal& j = journal();
  bool first = false;
  {
    std::lock_guard guard(j.lock);
    first = j.unsupported[function]++ == 0;
    j.last_unsupported = function;
  }
  if (first)
    std::fprintf(stderr, "[zerostall] simulated GPU: %s is not supported; it returns an error to the program\n",
                 function);
  if (Listener l = j.listener.load()) l(2, function, 1);
}

void report_unreal_readback(const UnrealReadback& r) {
  Journal& j = journal();
  const std::string place = describe(*r.site);
  {
    std::lock_guard guard(j.lock);
    ++j.unreal_readbacks;
    const SiteKey key{place, r.api, r.bytes, r.range};
    if (j.sites.size() < kMostSites || j.sites.contains(key)) {
      Site& site = j.sites[key];
      if (site.count++ == 0) site.site = *r.site;
      site.stored += r.stored;
    }
  }
  if (Listener l = j.listener.load()) l(3, (std::string(r.api) + " at " + place).c_str(), r.bytes);
}

void note_supplied() {
  Journal& j = journal();
  std::lock_guard guard(j.lock);
  ++j.supplied_readbacks;
}

void report_missing_device(int device, int devices) {
  std::atomic<int>& highest = journal().missing_device;
  int before = highest.load();
  const bool first = before == -1;
  while (device > before && !highest.compare_exchange_weak(before, device)) {
  }
  if (first)
    std::fprintf(stderr, "[zerostall] simulated GPU: the program asked for device %d of %d; the first is 0\n", device,
                 devices);
}

void set_listener(Listener listener) { journal().listener.store(listener); }

namespace {

nlohmann::ordered_json site_json(const SiteKey& key, const Site& s) {
  const auto& [place, api, bytes, range] = key;
  nlohmann::ordered_json entry = {
      {"where", place}, {"api", api}, {"bytes", bytes}, {"count", s.count}, {"stored", s.stored}};
  if (!range.empty()) entry["range"] = range;
  if (s.site.file.empty()) return entry;
  entry["file"] = s.site.file;
  entry["line"] = s.site.line;
  entry["function"] = s.site.function;
  if (!s.site.library.empty()) entry["library"] = s.site.library;
  return entry;
}

nlohmann::ordered_json log_json(const Journal& j) {
  nlohmann::ordered_json log;
  std::map<std::string, std::uint64_t> calls;
  for (const Counter* c = g_counters.load(std::memory_order_acquire); c; c = c->next) calls[c->function] += c->calls;
  log["schema"] = "zerostall/simlog/1";
  log["model"] = simulator().model.id;
  log["calls"] = calls;
  log["unsupported"] = j.unsupported;
  log["last_unsupported"] = j.last_unsupported.empty() ? nullptr : nlohmann::ordered_json(j.last_unsupported);
  if (const int device = j.missing_device.load(); device >= 0) log["missing_device"] = device;
  log["unreal_readbacks"] = j.unreal_readbacks;
  log["supplied_readbacks"] = j.supplied_readbacks;
  log["unreal_sites"] = nlohmann::ordered_json::array();
  for (const auto& [key, site] : j.sites) log["unreal_sites"].push_back(site_json(key, site));
  log["end_ns"] = simulator().clock.now();
  log["device_bytes_peak"] = simulator().memory.peak_device_bytes();
  return log;
}

void write_to(const std::string& place, const std::string& text) {
  struct stat there {};
  const bool folder = stat(place.c_str(), &there) == 0 && S_ISDIR(there.st_mode);
  const std::string path = folder ? place + "/" + std::to_string(getpid()) + ".json" : place;
  FILE* out = std::fopen(path.c_str(), "w");
  const bool written = out && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (!out || std::fclose(out) != 0 || !written)
    std::fprintf(stderr, "[zerostall] simulated GPU: could not write %s\n", path.c_str());
}

}  // namespace

void write_log() {
  const char* wanted = std::getenv("ZEROSTALL_SIM_LOG");
  Journal& j = journal();
  if (!wanted || !*wanted || getpid() != j.owner) return;  // a forked child keeps no book
  std::lock_guard guard(j.lock);
  // Names of the program need not be UTF-8: that must not end it.
  const std::string text = log_json(j).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  std::istringstream places(wanted);
  for (std::string place; std::getline(places, place, ':');)
    if (!place.empty()) write_to(place, text);
}

}  // namespace zerostall::simgpu
