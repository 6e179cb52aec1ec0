// Which API calls this library hears of. A training step makes thousands of calls that no client asks for
// (cudaGetDevice), and those must cost nothing: so it is decided here, whenever a client switches something, and not at
// the call.
#include <string_view>
#include <vector>

#include "profiler/simgpu/core/fork.h"
#include "profiler/simgpu/cupti/client_clock.h"
#include "profiler/simgpu/cupti/state.h"

namespace zerostall::simgpu::cupti {
namespace {

// What a call may lead to beside its own callback, by words in its name: too many are only slow, too few are lost.
enum Trait : unsigned { kEvents = 1, kMemory = 2, kResources = 4, kWaits = 8, kGraphs = 16, kDriverCall = 32 };

unsigned traits_by_name(std::string_view name) {
  const auto has = [name](std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words)
      if (name.find(word) != std::string_view::npos) return true;
    return false;
  };
  unsigned traits = 0;
  if (has({"Event", "Query", "Synchronize"})) traits |= kEvents;
  if (has({"Alloc", "alloc", "Free", "Pool"})) traits |= kMemory;
  if (has({"StreamCreate", "StreamDestroy", "Module", "Reset", "SetDevice", "InitDevice", "CtxSet", "CtxPush",
           "CtxPop"}))
    traits |= kResources;
  if (has({"Synchronize"})) traits |= kWaits;
  if (has({"GraphLaunch"})) traits |= kGraphs;
  return traits;
}

// By domain and id.
const std::array<std::vector<unsigned>, 3>& traits() {
  static const auto* all = [] {
    auto* made = new std::array<std::vector<unsigned>, 3>;
    for (const int domain : {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API}) {
      auto& ids = (*made)[static_cast<std::size_t>(domain)];
      ids.resize(std::min(callback_count(domain), kMostCallbackIds));
      for (std::uint32_t id = 0; id < ids.size(); ++id) {
        if (const char* name = callback_name(domain, id)) ids[id] = traits_by_name(name);
        if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && makes_inner_call(id)) ids[id] |= kDriverCall;
      }
    }
    return made;
  }();
  return *all;
}

// The traits that somebody wants to know of now. `all`: every call.
struct Wanted {
  bool all = false;
  unsigned traits = 0;
};

Wanted wanted_now() {
  Wanted w;
  // The client's clock is read at each call, since each may launch work.
  w.all = has_client_clock() || resources_interest() == Interest::all_calls;
  if (resources_interest() != Interest::none) w.traits |= kResources;
  if (on(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) || on(CUPTI_ACTIVITY_KIND_CUDA_EVENT)) w.traits |= kEvents;
  if (on(CUPTI_ACTIVITY_KIND_MEMORY2) || on(CUPTI_ACTIVITY_KIND_MEMORY_POOL)) w.traits |= kMemory;
  if (on(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) w.traits |= kGraphs;
  if (domain_wanted(CUPTI_CB_DOMAIN_SYNCHRONIZE)) w.traits |= kWaits;
  if (domain_wanted(CUPTI_CB_DOMAIN_DRIVER_API)) w.traits |= kDriverCall;
  return w;
}

void watch(int domain, std::uint32_t id, const Wanted& wanted) {
  const unsigned found = traits()[static_cast<std::size_t>(domain)][id] & wanted.traits;
  unsigned watched = 0;
  if (callback_wanted(domain, id)) watched |= kCallback;
  if (found & kDriverCall) watched |= kInnerCall;
  if (call_records_wanted(domain, id)) watched |= kCallRecord;
  if (found & kGraphs) watched |= kGraphSpan;
  if (wanted.all || (found & (kEvents | kMemory | kResources | kWaits))) watched |= kRest;
  g_watched[static_cast<std::size_t>(domain)][id].store(static_cast<std::uint8_t>(watched), std::memory_order_relaxed);
}

// The driver's first callback concerns the runtime's calls too.
std::atomic<bool> g_driver_wanted{false};

}  // namespace

void install_hooks() {
  const bool wanted = !g_forked && (callbacks_wanted() || activities_wanted());
  g_hooks.store(wanted ? &kHooks : nullptr, std::memory_order_release);
}

void update_hooks() {
  const Wanted wanted = wanted_now();
  g_driver_wanted = domain_wanted(CUPTI_CB_DOMAIN_DRIVER_API);
  for (const int domain : {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API})
    for (std::uint32_t id = 0; id < traits()[static_cast<std::size_t>(domain)].size(); ++id) watch(domain, id, wanted);
  install_hooks();
}

void update_hook_of(int domain, std::uint32_t id) {
  const bool api = domain == CUPTI_CB_DOMAIN_DRIVER_API || domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  if (!api || g_driver_wanted != domain_wanted(CUPTI_CB_DOMAIN_DRIVER_API)) return update_hooks();
  if (id < traits()[static_cast<std::size_t>(domain)].size()) watch(domain, id, wanted_now());
  install_hooks();
}

}  // namespace zerostall::simgpu::cupti
