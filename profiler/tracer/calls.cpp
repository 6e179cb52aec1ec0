#include "profiler/tracer/calls.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "profiler/trace/api_table.h"
#include "profiler/tracer/call_params.h"
#include "profiler/tracer/collector.h"
#include "profiler/tracer/cupti_api.h"
#include "profiler/tracer/own_cost.h"
#include "profiler/tracer/settings.h"
#include "profiler/tracer/stacks/stack_table.h"
#include "profiler/tracer/subscription.h"
#include "profiler/tracer/watch.h"
#include "profiler/tracer/window.h"

namespace zerostall::tracer {
namespace {

using format::CallRecord;

constexpr std::uint8_t kUnknownDirection = 254;

// What is known of an id, by domain; filled before the first callback is enabled, read-only after.
struct Trait {
  ApiKind kind = ApiKind::other;
  bool stack = false;  // its call stack is recorded
  bool async = false;  // of copies: the API has `Async` in its name
  enum class Profiler : std::uint8_t { no, start, stop } profiler = Profiler::no;
};

// Calls that wait, or may.
constexpr bool is_wait(ApiKind kind) {
  switch (kind) {
    case ApiKind::stream_sync:
    case ApiKind::device_sync:
    case ApiKind::event_sync:
    case ApiKind::copy:
    case ApiKind::implicit:
      return true;
    default:
      return false;
  }
}

bool wants_stack(ApiKind kind) {
  return settings().stacks == StacksOf::all || (settings().stacks == StacksOf::waits && is_wait(kind));
}

constexpr std::uint8_t kHostToDevice = 1, kDeviceToHost = 2;
// Within the device: nothing waits. To say so costs less than a stack.
constexpr std::uint8_t kDeviceToDevice = 3;

// Whether a call waits for certain, as far as the call alone tells (watch.h).
bool waits_for_certain(Trait trait, const CallRecord& call) {
  if (trait.kind == ApiKind::copy)
    return !trait.async && (call.copy_kind == kHostToDevice || call.copy_kind == kDeviceToHost);
  return trait.kind == ApiKind::stream_sync || trait.kind == ApiKind::device_sync || trait.kind == ApiKind::event_sync;
}

// Not a vector: other threads may call CUDA while the process destroys its statics.
constexpr std::uint32_t kMostIds = 2048;
constinit std::array<std::array<Trait, kMostIds>, 3> g_traits{};

// What is switched with a window.
struct Switched {
  CUpti_SubscriberHandle subscriber = nullptr;
  std::vector<std::pair<CUpti_CallbackDomain, std::uint32_t>> ids;
  std::atomic<std::uint32_t> windows{0};
};
Switched& switched() {
  static Switched* instance = new Switched;
  return *instance;
}

// The calls that bound windows of the kind profiler_api are seen outside windows too, and never recorded.
bool on_profiler_call(Trait trait, CUpti_ApiCallbackSite site) {
  if (trait.profiler == Trait::Profiler::no) return false;
  if (trait.profiler == Trait::Profiler::start && site == CUPTI_API_EXIT) profiler_started();
  if (trait.profiler == Trait::Profiler::stop && site == CUPTI_API_ENTER) profiler_stopped();
  return true;
}

void on_exit(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (!data.correlationData || *data.correlationData == 0)
    return;  // not recorded, or begun before the tracer was there
  const Trait trait = g_traits[domain][id];
  ThreadLog& thread = collector().thread_log();
  // Begun in an earlier window, and what it called in this one counted instead.
  if (thread.depth == 0) return;
  const bool sampled = thread.entered_ns >= 0 && thread.depth == 1;
  const std::int64_t started_ns = sampled ? real_now_ns() : 0;
  --thread.depth;
  if (trait.kind != ApiKind::other && thread.counted > 0) --thread.counted;
  CallRecord r;
  r.begin_ns = static_cast<std::int64_t>(*data.correlationData);
  r.correlation = data.correlationId;
  r.context = data.contextUid;
  r.callback_id = id;
  r.domain = static_cast<std::uint8_t>(domain);
  r.depth = thread.depth;
  if (trait.kind == ApiKind::copy) r.copy_kind = kUnknownDirection;
  if (data.functionReturnValue) r.result = *static_cast<const int*>(data.functionReturnValue);
  read_params(domain, id, data, r);
  r.end_ns = timestamp_ns();
  if (trait.stack && r.copy_kind != kDeviceToDevice) r.stack = stack_id();
  collector().add(thread, r);
  if (is_watched() && r.depth == 0 && waits_for_certain(trait, r)) [[unlikely]]
    tell_watch(data.functionName);
  if (!sampled) [[likely]]
    return;
  add_own_cost(trait.kind, thread.entered_ns + real_now_ns() - started_ns);
  thread.entered_ns = -1;
}

void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* raw) {
  if (domain == CUPTI_CB_DOMAIN_STATE) return on_cupti_state(id, raw);
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API && domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
  const auto& data = *static_cast<const CUpti_CallbackData*>(raw);
  if (on_profiler_call(g_traits[domain][id], data.callbackSite)) return;
  if (data.callbackSite == CUPTI_API_EXIT) return on_exit(domain, id, data);
  if (!data.correlationData) return;
  // The driver calls that a runtime call makes are part of it: not recorded when it is counted itself, which keeps
  // them from being counted twice and costs nothing.
  *data.correlationData = 0;
  ThreadLog& thread = collector().thread_log();
  if (const auto window = switched().windows.load(std::memory_order_relaxed); thread.window != window) {
    thread.window = window;
    thread.depth = thread.counted = 0;
  }
  if (thread.counted > 0) return;
  const bool sampled = --thread.calls_to_sample == 0;
  const std::int64_t started_ns = sampled ? real_now_ns() : 0;
  if (thread.depth == 0) thread.entered_ns = -1;
  ++thread.depth;
  if (g_traits[domain][id].kind != ApiKind::other) ++thread.counted;
  *data.correlationData = static_cast<std::uint64_t>(timestamp_ns());
  if (!sampled) [[likely]]
    return;
  thread.calls_to_sample = calls_to_next_sample(thread.sampling);
  if (thread.depth == 1) thread.entered_ns = real_now_ns() - started_ns;
}

// Chooses the functions of interest (api_table): a training step makes thousands of cheap calls (cudaGetDevice) that
// must not pay for tracing. And those that nobody knows, of a newer CUPTI: they may wait. Ids run without gaps up to a
// limit that differs between versions of CUPTI; past it names are no longer found.
void choose_ids(const CuptiApi& api, CUpti_CallbackDomain domain, std::uint32_t limit,
                std::vector<std::string>& unknown) {
  auto& traits = g_traits[domain];
  limit = std::min(limit, kMostIds);
  for (std::uint32_t id = 1; id < limit; ++id) {
    const char* name = nullptr;
    if (api.get_callback_name(domain, id, &name) != CUPTI_SUCCESS || !name) continue;
    const ApiInfo info = find_api(name);
    if (info.name.empty()) {
      if (is_known_api(name)) continue;
      unknown.emplace_back(name);
    }
    traits[id] = {info.kind, wants_stack(info.kind), info.async, {}};
    collector().define(format::DefinitionKind::api_name, format::api_id(static_cast<std::uint8_t>(domain), id), name);
    switched().ids.emplace_back(domain, id);
  }
}

void watch_profiler_calls(const CuptiApi& api, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                          std::uint32_t limit) {
  for (std::uint32_t id = 1; id < std::min(limit, kMostIds); ++id) {
    const char* name = nullptr;
    if (api.get_callback_name(domain, id, &name) != CUPTI_SUCCESS || !name) continue;
    const std::string_view bare = strip_version(name);
    const bool starts = bare == "cudaProfilerStart" || bare == "cuProfilerStart";
    if (!starts && bare != "cudaProfilerStop" && bare != "cuProfilerStop") continue;
    g_traits[domain][id].profiler = starts ? Trait::Profiler::start : Trait::Profiler::stop;
    api.enable_callback(1, subscriber, domain, id);
  }
}

// Names are identifiers: nothing in them to escape.
void tell_unknown(const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::string json = R"({"unknown_apis": [)";
  for (const std::string& name : names) json += (json.back() == '[' ? "\"" : ", \"") + name + "\"";
  collector().define(format::DefinitionKind::meta, 0, json + "]}");
}

}  // namespace

bool start_calls(std::string* error) {
  const CuptiApi* api = cupti_api(error);
  if (!api) return false;
  Switched& s = switched();
  if (!subscribe(*api, on_call, &s.subscriber, error)) return false;
  constexpr std::uint32_t kRuntimeLimit = CUPTI_RUNTIME_TRACE_CBID_SIZE + 256;
  constexpr std::uint32_t kDriverLimit = CUPTI_DRIVER_TRACE_CBID_SIZE + 256;
  std::vector<std::string> unknown;
  choose_ids(*api, CUPTI_CB_DOMAIN_RUNTIME_API, kRuntimeLimit, unknown);
  choose_ids(*api, CUPTI_CB_DOMAIN_DRIVER_API, kDriverLimit, unknown);
  tell_unknown(unknown);
  if (settings().window.kind == Window::Kind::profiler_api) {
    watch_profiler_calls(*api, s.subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kRuntimeLimit);
    watch_profiler_calls(*api, s.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, kDriverLimit);
  }
  enable_calls(true);
  return true;
}

void enable_calls(bool on) {
  const CuptiApi* api = cupti_api();
  Switched& s = switched();
  if (!api || !s.subscriber || !cupti_is_alive()) return;
  if (on) s.windows.fetch_add(1);
  std::lock_guard guard(callback_state_lock());
  for (const auto& [domain, id] : s.ids) api->enable_callback(on ? 1 : 0, s.subscriber, domain, id);
}

}  // namespace zerostall::tracer
