// cuptiSubscribe and the callback domains. One subscriber, as in CUPTI up to 13.2.
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

#include "profiler/simgpu/cupti/state.h"

struct CUpti_Subscriber_st {
  CUpti_CallbackFunc function;
  void* user;
};

namespace zerostall::simgpu::cupti {
namespace {

constexpr int kDomains = CUPTI_CB_DOMAIN_SIZE;

// Flags are read inside every API call, hence plain bytes behind one atomic pointer that is published once.
struct Flags {
  std::array<std::vector<std::atomic<std::uint8_t>>, kDomains> on;
  Flags() {
    for (int d = 1; d < kDomains; ++d) {
      const std::uint32_t n = callback_count(d);
      on[static_cast<std::size_t>(d)] = std::vector<std::atomic<std::uint8_t>>(n ? n : 512);
    }
  }
};

Flags& flags() {
  static Flags* instance = new Flags;
  return *instance;
}

std::mutex g_lock;
std::atomic<CUpti_SubscriberHandle> g_subscriber{nullptr};
std::atomic<int> g_enabled{0};
thread_local bool t_inside = false;  // CUDA calls made by a callback are not reported to it

void deliver(CallInfo& call, CUpti_ApiCallbackSite site, const int* result) {
  const CUpti_SubscriberHandle s = g_subscriber.load(std::memory_order_acquire);
  if (!s || t_inside) return;
  auto& on = flags().on[static_cast<std::size_t>(call.domain)];
  if (call.callback_id >= on.size() || !on[call.callback_id].load(std::memory_order_relaxed)) return;
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = call.name;
  data.functionParams = call.params;
  data.functionReturnValue = const_cast<int*>(result);
  data.symbolName = call.symbol;
  data.contextUid = kContext;
  data.correlationData = &call.user_data;
  data.correlationId = call.correlation;
  t_inside = true;
  s->function(s->user, static_cast<CUpti_CallbackDomain>(call.domain), call.callback_id, &data);
  t_inside = false;
}

bool known(CUpti_SubscriberHandle s, CUpti_CallbackDomain domain) {
  return s && s == g_subscriber.load() && domain > 0 && domain < kDomains;
}

void set_flag(std::atomic<std::uint8_t>& flag, bool on) {
  if (flag.exchange(on) != static_cast<std::uint8_t>(on)) g_enabled += on ? 1 : -1;
}

}  // namespace

bool callbacks_wanted() { return g_subscriber.load() && g_enabled.load() > 0; }
void callback_enter(CallInfo& call) { deliver(call, CUPTI_API_ENTER, nullptr); }
void callback_exit(CallInfo& call, const int* result) { deliver(call, CUPTI_API_EXIT, result); }

}  // namespace zerostall::simgpu::cupti

using namespace zerostall::simgpu::cupti;

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user) {
  std::lock_guard guard(g_lock);
  if (!subscriber || !callback) return CUPTI_ERROR_INVALID_PARAMETER;
  if (g_subscriber.load()) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  *subscriber = new CUpti_Subscriber_st{callback, user};
  g_subscriber = *subscriber;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  std::lock_guard guard(g_lock);
  if (!subscriber || subscriber != g_subscriber.load()) return CUPTI_ERROR_INVALID_PARAMETER;
  g_subscriber = nullptr;  // leaked: another thread may be inside it
  for (auto& domain : flags().on)
    for (auto& flag : domain) set_flag(flag, false);
  update_hooks();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
  std::lock_guard guard(g_lock);
  if (!known(subscriber, domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  auto& on = flags().on[static_cast<std::size_t>(domain)];
  if (id >= on.size()) return CUPTI_ERROR_INVALID_PARAMETER;
  set_flag(on[id], enable != 0);
  update_hooks();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain) {
  std::lock_guard guard(g_lock);
  if (!known(subscriber, domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  for (auto& flag : flags().on[static_cast<std::size_t>(domain)]) set_flag(flag, enable != 0);
  update_hooks();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char** name) {
  const char* found = callback_name(domain, id);
  if (!name || !found) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = found;
  return CUPTI_SUCCESS;
}

}  // extern "C"
