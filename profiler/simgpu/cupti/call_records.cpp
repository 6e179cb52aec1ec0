// Records of API calls, each preceded by the external correlation ids its thread has pushed.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

#include "profiler/simgpu/cupti/client_clock.h"
#include "profiler/simgpu/cupti/records.h"

namespace zerostall::simgpu::cupti {
namespace {

constexpr int kExternalKinds = CUPTI_EXTERNAL_CORRELATION_KIND_SIZE;
thread_local std::array<std::vector<std::uint64_t>, kExternalKinds> t_external;
thread_local std::uint32_t t_process = 0, t_system_thread = 0;

void write_external(std::uint32_t correlation) {
  for (int kind = 1; kind < kExternalKinds; ++kind) {
    const auto& stack = t_external[static_cast<std::size_t>(kind)];
    if (stack.empty()) continue;
    CUpti_ActivityExternalCorrelation e{};
    e.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    e.externalKind = static_cast<CUpti_ExternalCorrelationKind>(kind);
    e.externalId = stack.back();
    e.correlationId = correlation;
    write(e);
  }
}

}  // namespace

std::uint32_t process_id() {  // kept: a system call per record is too much
  if (!t_process) t_process = static_cast<std::uint32_t>(getpid());
  return t_process;
}
std::uint32_t thread_id() {
  if (options().thread_id_type.load(std::memory_order_relaxed) == CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT)
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(reinterpret_cast<void*>(pthread_self())));
  if (!t_system_thread) t_system_thread = static_cast<std::uint32_t>(syscall(SYS_gettid));
  return t_system_thread;
}
void forget_ids() { t_process = t_system_thread = 0; }

void call_record_enter(CallInfo& call) {
  const bool record = call_records_wanted(call.domain, call.callback_id);
  const bool client = has_client_clock() && (record || gpu_records_wanted() || on(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION));
  if (!record && !client) return;
  const std::uint64_t now = host_time();
  if (client) clock_enter(now);
  if (record) call.begin_ns = static_cast<std::int64_t>(now);
}

void call_record_exit(const CallInfo& call, int result, std::uint64_t end) {
  if (!call.begin_ns || in_buffer_callback() || !call_records_wanted(call.domain, call.callback_id)) return;
  if (on(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) write_external(call.correlation);
  CUpti_ActivityAPI a{};
  a.kind = call.domain == CUPTI_CB_DOMAIN_RUNTIME_API ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER;
  a.cbid = call.callback_id;
  a.start = static_cast<std::uint64_t>(call.begin_ns);
  a.end = end ? end : host_time();
  a.processId = process_id();
  a.threadId = thread_id();
  a.correlationId = call.correlation;
  a.returnValue = static_cast<std::uint32_t>(result);
  write(a);
}

}  // namespace zerostall::simgpu::cupti

using namespace zerostall::simgpu::cupti;

extern "C" {

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
  if (kind <= 0 || kind >= kExternalKinds) return CUPTI_ERROR_INVALID_PARAMETER;
  t_external[kind].push_back(id);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t* last) {
  if (kind <= 0 || kind >= kExternalKinds) return CUPTI_ERROR_INVALID_PARAMETER;
  auto& stack = t_external[kind];
  if (stack.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  if (last) *last = stack.back();
  stack.pop_back();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  if (type != CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT && type != CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM)
    return CUPTI_ERROR_NOT_SUPPORTED;
  options().thread_id_type = type;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType* type) {
  if (!type) return CUPTI_ERROR_INVALID_PARAMETER;
  *type = options().thread_id_type;
  return CUPTI_SUCCESS;
}

}  // extern "C"
