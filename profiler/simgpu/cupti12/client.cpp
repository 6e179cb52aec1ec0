// libcupti.so.12: its clients know the record layouts of CUDA 12. All state is in libcupti.so.13; whoever subscribes or
// gives buffers decides which layouts are written, so that a tool that asked for the other library is not disturbed by
// a client that was refused.
#include <cupti.h>

#define NEXT(name)                       \
  extern "C" decltype(name) next_##name; \
  __asm__(".symver next_" #name "," #name "@libcupti.so.13")

NEXT(cuptiSubscribe);
NEXT(cuptiSubscribe_v2);
NEXT(cuptiActivityRegisterCallbacks);

extern "C" {

void zerostall_sim_cupti_set_client_major(int cuda_major);

CUptiResult compat12_cuptiGetVersion(uint32_t* version) {
  if (!version) return CUPTI_ERROR_INVALID_PARAMETER;
  *version = 22;  // CUPTI of CUDA 12.4
  return CUPTI_SUCCESS;
}
CUptiResult compat12_cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user) {
  const CUptiResult result = next_cuptiSubscribe(subscriber, callback, user);
  if (result == CUPTI_SUCCESS) zerostall_sim_cupti_set_client_major(12);
  return result;
}
CUptiResult compat12_cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user,
                                       CUpti_SubscriberParams* params) {
  const CUptiResult result = next_cuptiSubscribe_v2(subscriber, callback, user, params);
  if (result == CUPTI_SUCCESS) zerostall_sim_cupti_set_client_major(12);
  return result;
}
CUptiResult compat12_cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                    CUpti_BuffersCallbackCompleteFunc complete) {
  const CUptiResult result = next_cuptiActivityRegisterCallbacks(request, complete);
  if (result == CUPTI_SUCCESS) zerostall_sim_cupti_set_client_major(12);
  return result;
}

}  // extern "C"
