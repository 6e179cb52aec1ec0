// cuptiSubscribe and the callback domains. One subscriber, as in CUPTI up to 13.2.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "profiler/simgpu/core/context.h"
#include "profiler/simgpu/cupti/misbehave.h"
#include "profiler/simgpu/cupti/state.h"

struct CUpti_Subscriber_st {
  std::atomic<CUpti_CallbackFunc> function;
  std::atomic<void*> user;
};

namespace zerostall::simgpu::cupti {
namespace {

constexpr int kDomains = CUPTI_CB_DOMAIN_SIZE;

std::uint32_t id_count(int domain) {
  switch (domain) {
    case CUPTI_CB_DOMAIN_DRIVER_API:
    case CUPTI_CB_DOMAIN_RUNTIME_API:
      return callback_count(domain) + (new_api() && new_api()->domain == domain ? 1 : 0);
    case CUPTI_CB_DOMAIN_RESOURCE:
      return CUPTI_CBID_RESOURCE_SIZE;
    case CUPTI_CB_DOMAIN_SYNCHRONIZE:
      return CUPTI_CBID_SYNCHRONIZE_SIZE;
    case CUPTI_CB_DOMAIN_NVTX:
      return CUPTI_CBID_NVTX_SIZE;
    case CUPTI_CB_DOMAIN_STATE:
      return CUPTI_CBID_STATE_SIZE;
    default:
      return 0;
  }
}

// Read inside every API call, hence plain flags that are there from the start.
struct Domain {
  std::array<std::atomic<bool>, kMostCallbackIds> on{};
  std::atomic<int> enabled{0};
};
constinit std::array<Domain, kDomains> g_domains{};
Domain& domain_of(int d) { return g_domains[static_cast<std::size_t>(d)]; }

std::mutex g_lock;
// The name the subscriber gave itself. Leaked: threads may subscribe while the process destroys its statics.
std::string& holder_name() {
  static auto* name = new std::string;
  return *name;
}
std::atomic<CUpti_SubscriberHandle> g_subscriber{nullptr};
constinit thread_local bool t_inside = false;

// Handles are never freed, since another thread may be inside one; they are used in turn, so that an old one is known
// to be old for a long time.
CUpti_SubscriberHandle next_handle() {
  static std::array<CUpti_Subscriber_st, 256> handles;
  static std::size_t next = 0;
  return &handles[next++ % handles.size()];
}

bool known(CUpti_SubscriberHandle s, int domain) {
  return s && s == g_subscriber.load() && domain > 0 && domain < kDomains;
}

void set_flag(Domain& domain, std::uint32_t id, bool on) {
  if (domain.on[id].exchange(on) != on) domain.enabled += on ? 1 : -1;
}

void set_domain(int d, bool on) {
  Domain& domain = domain_of(d);
  for (std::uint32_t id = 0; id < id_count(d); ++id) set_flag(domain, id, on);
}

void forget_locked() {
  g_subscriber = nullptr;
  for (int d = 1; d < kDomains; ++d) set_domain(d, false);
}

// PyTorch's profiler would only say that GPU activities will be missing.
void tell_of_the_tracer() {
  static std::once_flag once;
  const char* trace = std::getenv("ZEROSTALL_TRACE");
  if (trace == nullptr || *trace == '\0') return;
  std::call_once(once, [] {
    std::fputs(
        "[zerostall] simulated GPU: the program's own profiler asks for CUPTI, which the tracer uses, and will show no "
        "GPU work: record with --no-tracer to use it\n",
        stderr);
  });
}

void tell_holder(CUpti_SubscriberParams& params, const std::string& holder) {
  if (!params.oldSubscriberName || params.oldSubscriberSize == 0 || misbehaviour().without_names) return;
  const std::size_t n = std::min(holder.size(), params.oldSubscriberSize - 1);
  std::memcpy(params.oldSubscriberName, holder.data(), n);
  params.oldSubscriberName[n] = '\0';
}

CUptiResult subscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user,
                      CUpti_SubscriberParams* params) {
  std::lock_guard guard(g_lock);
  if (!subscriber || !callback || (params && params->structSize == 0)) return CUPTI_ERROR_INVALID_PARAMETER;
  if (const CUptiResult refused = refused_call(); refused != CUPTI_SUCCESS) return refused;
  if (const std::string& tool = misbehaviour().holder; !tool.empty()) {
    if (params) tell_holder(*params, tool);
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  if (g_subscriber.load()) {
    if (params) tell_holder(*params, holder_name());
    tell_of_the_tracer();
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  const char* name = params && params->subscriberName ? params->subscriberName : "unnamed";
  holder_name() = "CUPTI for " + std::string(name).substr(0, CUPTI_SUBSCRIBER_NAME_MAX_LEN - 1);
  CUpti_SubscriberHandle handle = next_handle();
  handle->function = callback;
  handle->user = user;
  *subscriber = handle;
  g_subscriber = handle;
  set_client_cuda_major(13);  // libcupti.so.12 puts its own in after this
  return CUPTI_SUCCESS;
}

}  // namespace

bool callbacks_wanted() {
  if (!g_subscriber.load()) return false;
  return std::any_of(g_domains.begin() + 1, g_domains.end(), [](const Domain& d) { return d.enabled > 0; });
}

bool domain_wanted(int domain) { return domain_of(domain).enabled.load(std::memory_order_relaxed) > 0; }

bool callback_wanted(int d, std::uint32_t id) {
  return id < kMostCallbackIds && domain_of(d).on[id].load(std::memory_order_relaxed);
}

void call_subscriber(int domain, std::uint32_t id, const void* data) {
  auto* const s = g_subscriber.load(std::memory_order_acquire);
  if (!s || t_inside) return;
  t_inside = true;
  s->function.load(std::memory_order_relaxed)(s->user.load(std::memory_order_relaxed),
                                              static_cast<CUpti_CallbackDomain>(domain), id, data);
  t_inside = false;
}

void deliver_call(CallInfo& call, CUpti_ApiCallbackSite site, const int* result) {
  std::uint32_t id = call.callback_id;
  const char* name = call.name;
  if (const NewApi* other = new_api(); other && other->domain == call.domain && other->of == id) [[unlikely]] {
    id = other->id;
    name = other->name.c_str();
  }
  if (t_inside || !callback_wanted(call.domain, id)) return;
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = name;
  data.functionParams = call.params;
  data.functionReturnValue = const_cast<int*>(result);
  data.symbolName = call.symbol;
  const Context* context = t_context;  // null before the thread's first use of a device
  if (context) [[likely]] {
    data.contextUid = context->id;
    data.context = context_as_handle(context);
  } else {
    data.contextUid = context_of(current_device());
    data.context = context_handle(data.contextUid);
  }
  data.correlationData = &call.user_data;
  data.correlationId = call.correlation;
  call_subscriber(call.domain, id, &data);
}

void forget_subscriber() {
  std::lock_guard guard(g_lock);
  forget_locked();
}

}  // namespace zerostall::simgpu::cupti

using namespace zerostall::simgpu::cupti;

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user) {
  return subscribe(subscriber, callback, user, nullptr);
}
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user,
                              CUpti_SubscriberParams* params) {
  return subscribe(subscriber, callback, user, params);
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  std::lock_guard guard(g_lock);
  if (!subscriber || subscriber != g_subscriber.load()) return CUPTI_ERROR_INVALID_PARAMETER;
  forget_locked();
  update_hooks();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
  std::lock_guard guard(g_lock);
  if (!known(subscriber, domain) || id >= id_count(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  set_flag(domain_of(domain), id, enable != 0);
  update_hook_of(domain, id);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain) {
  std::lock_guard guard(g_lock);
  if (!known(subscriber, domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  set_domain(domain, enable != 0);
  update_hooks();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber) {
  std::lock_guard guard(g_lock);
  if (!known(subscriber, CUPTI_CB_DOMAIN_DRIVER_API)) return CUPTI_ERROR_INVALID_PARAMETER;
  for (int d = 1; d < kDomains; ++d) set_domain(d, enable != 0);
  update_hooks();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackState(uint32_t* enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                  CUpti_CallbackId id) {
  std::lock_guard guard(g_lock);
  if (!enable || !known(subscriber, domain) || id >= id_count(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  *enable = callback_wanted(domain, id);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSupportedDomains(size_t* count, CUpti_DomainTable* table) {
  // STATE is accepted, but nothing goes wrong here that it would report; NVTX does not pass through this library.
  static CUpti_CallbackDomain supported[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API,
                                             CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_SYNCHRONIZE,
                                             CUPTI_CB_DOMAIN_STATE};
  if (!count || !table) return CUPTI_ERROR_INVALID_PARAMETER;
  *count = std::size(supported);
  *table = supported;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char** name) {
  const NewApi* other = new_api();
  const bool is_new = other && other->domain == static_cast<int>(domain) && other->id == id;
  const char* found = is_new ? other->name.c_str() : callback_name(domain, id);
  if (!name || !found) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = found;
  return CUPTI_SUCCESS;
}

}  // extern "C"
