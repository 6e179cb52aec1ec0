// Versions, clock, ids, and the switch that connects this library to the API entry points.
#include "profiler/simgpu/cupti/state.h"

namespace zerostall::simgpu::cupti {
namespace {

void on_enter(CallInfo& call) {
  callback_enter(call);
  activity_enter(call);
}
void on_exit(CallInfo& call, const int* result) {
  activity_exit(call, *result);
  callback_exit(call, result);
}
constexpr Hooks kHooks = {on_enter, on_exit, activity_work, activity_sync};

}  // namespace

void update_hooks() {
  g_hooks.store(callbacks_wanted() || activities_wanted() ? &kHooks : nullptr, std::memory_order_release);
}

std::uint64_t timestamp() { return static_cast<std::uint64_t>(simulator().clock.stamp()); }

}  // namespace zerostall::simgpu::cupti

using namespace zerostall::simgpu;

extern "C" {

CUptiResult cuptiGetVersion(uint32_t* version) {
  if (!version) return CUPTI_ERROR_INVALID_PARAMETER;
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(uint64_t* time) {
  if (!time) return CUPTI_ERROR_INVALID_PARAMETER;
  *time = cupti::timestamp();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  if (!text) return CUPTI_ERROR_INVALID_PARAMETER;
  *text = result == CUPTI_SUCCESS                                    ? "CUPTI_SUCCESS"
          : result == CUPTI_ERROR_NOT_SUPPORTED                      ? "CUPTI_ERROR_NOT_SUPPORTED"
          : result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
          : result == CUPTI_ERROR_INVALID_PARAMETER                  ? "CUPTI_ERROR_INVALID_PARAMETER"
                                                                     : "CUPTI error of the simulated GPU";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetDeviceId(CUcontext, uint32_t* id) {
  if (!id) return CUPTI_ERROR_INVALID_PARAMETER;
  *id = cupti::kDevice;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetContextId(CUcontext, uint32_t* id) {
  if (!id) return CUPTI_ERROR_INVALID_PARAMETER;
  *id = cupti::kContext;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetStreamIdEx(CUcontext, CUstream handle, uint8_t, uint32_t* id) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  const Stream* stream = s.timeline.stream(handle);
  if (!stream || !id) return CUPTI_ERROR_INVALID_PARAMETER;
  *id = stream->id;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {  // ids are always the system's
  return type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_SUPPORTED;
}

}  // extern "C"
