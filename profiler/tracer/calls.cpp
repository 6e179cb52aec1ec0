#include "profiler/tracer/calls.h"

#include <algorithm>
#include <array>
#include <vector>

#include "profiler/trace/api_table.h"
#include "profiler/tracer/call_params.h"
#include "profiler/tracer/collector.h"
#include "profiler/tracer/cupti_api.h"
#include "profiler/tracer/subscription.h"

namespace zerostall::tracer {
namespace {

using format::CallRecord;

constexpr std::uint8_t kUnknownDirection = 254;

// What is known of an id, by domain; filled before the first callback is enabled, read-only after.
struct Trait {
  bool copy = false;
  bool counted = false;  // not of kind `other`
};
// Not a vector: other threads may call CUDA while the process destroys its statics.
constexpr std::uint32_t kMostIds = 2048;
constinit std::array<std::array<Trait, kMostIds>, 3> g_traits{};

void on_exit(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (!data.correlationData || *data.correlationData == 0)
    return;  // not recorded, or begun before the tracer was there
  const Trait trait = g_traits[domain][id];
  ThreadLog& thread = collector().thread_log();
  if (thread.depth > 0) --thread.depth;
  if (trait.counted && thread.counted > 0) --thread.counted;
  CallRecord r;
  r.begin_ns = static_cast<std::int64_t>(*data.correlationData);
  r.correlation = data.correlationId;
  r.context = data.contextUid;
  r.callback_id = id;
  r.domain = static_cast<std::uint8_t>(domain);
  r.depth = thread.depth;
  if (trait.copy) r.copy_kind = kUnknownDirection;
  if (data.functionReturnValue) r.result = *static_cast<const int*>(data.functionReturnValue);
  read_params(domain, id, data, r);
  r.end_ns = timestamp_ns();
  collector().add(thread, r);
}

void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* raw) {
  if (domain == CUPTI_CB_DOMAIN_STATE) return on_cupti_state(id, raw);
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API && domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
  const auto& data = *static_cast<const CUpti_CallbackData*>(raw);
  if (data.callbackSite == CUPTI_API_EXIT) return on_exit(domain, id, data);
  if (!data.correlationData) return;
  // The driver calls that a runtime call makes are part of it: not recorded when it is counted itself, which keeps
  // them from being counted twice and costs nothing.
  *data.correlationData = 0;
  ThreadLog& thread = collector().thread_log();
  if (thread.counted > 0) return;
  ++thread.depth;
  if (g_traits[domain][id].counted) ++thread.counted;
  *data.correlationData = static_cast<std::uint64_t>(timestamp_ns());
}

// Enables the functions of interest (api_table): a training step makes thousands of cheap calls (cudaGetDevice) that
// must not pay for tracing. And those that nobody knows, of a newer CUPTI: they may wait. Ids run without gaps up to a
// limit that differs between versions of CUPTI; past it names are no longer found.
void enable_domain(const CuptiApi& api, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                   std::uint32_t limit, std::vector<std::string>& unknown) {
  std::vector<std::uint32_t> ids;
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
    traits[id] = {info.kind == ApiKind::copy, info.kind != ApiKind::other};
    collector().define(format::DefinitionKind::api_name, format::api_id(static_cast<std::uint8_t>(domain), id), name);
    ids.push_back(id);
  }
  for (const std::uint32_t id : ids) api.enable_callback(1, subscriber, domain, id);
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
  CUpti_SubscriberHandle subscriber = nullptr;
  if (!subscribe(*api, on_call, &subscriber, error)) return false;
  std::vector<std::string> unknown;
  enable_domain(*api, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_SIZE + 256, unknown);
  enable_domain(*api, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_SIZE + 256, unknown);
  tell_unknown(unknown);
  return true;
}

}  // namespace zerostall::tracer
