// Attributes, result texts, and what is answered without doing anything.
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include "profiler/simgpu/cupti/state.h"

namespace zerostall::simgpu::cupti {
namespace {

// Sizes and defaults of the headers' documentation. The simulated device has no profiling memory: what these set is
// kept and given back, and of them only the per-thread buffer changes anything.
struct Attribute {
  std::size_t bytes;
  std::uint64_t value;
};
constexpr int kAttributes = CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS + 1;

std::mutex g_lock;
std::array<Attribute, kAttributes> g_attributes = [] {
  std::array<Attribute, kAttributes> a{};
  a.fill({sizeof(std::size_t), 0});
  a[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE].value = 3'200'000;
  a[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_CDP].value = 8'388'608;
  a[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT].value = 250;
  a[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE].value = 3;
  a[CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER] = {sizeof(std::uint8_t), 0};
  a[CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED] = {sizeof(std::uint8_t), 0};
  a[CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER] = {sizeof(std::uint8_t), 1};
  return a;
}();

Attribute* find(CUpti_ActivityAttribute attribute) {
  return attribute >= 0 && attribute < kAttributes ? &g_attributes[static_cast<std::size_t>(attribute)] : nullptr;
}

struct Text {
  CUptiResult result;
  const char* name;
  const char* message;
};
#define TEXT(name, message) \
  { name, #name, message }
constexpr Text kTexts[] = {
    TEXT(CUPTI_SUCCESS, "no error"),
    TEXT(CUPTI_ERROR_INVALID_PARAMETER, "a parameter is not valid"),
    TEXT(CUPTI_ERROR_INVALID_DEVICE, "no such device"),
    TEXT(CUPTI_ERROR_INVALID_CONTEXT, "no such context"),
    TEXT(CUPTI_ERROR_INVALID_OPERATION, "not possible in this state"),
    TEXT(CUPTI_ERROR_OUT_OF_MEMORY, "out of memory"),
    TEXT(CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT, "the space given for a value is too small"),
    TEXT(CUPTI_ERROR_MAX_LIMIT_REACHED, "no more records"),
    TEXT(CUPTI_ERROR_NOT_READY, "not ready"),
    TEXT(CUPTI_ERROR_NOT_COMPATIBLE,
         "not possible together with what is enabled, or not modelled by the simulated GPU"),
    TEXT(CUPTI_ERROR_NOT_INITIALIZED, "not initialised"),
    TEXT(CUPTI_ERROR_QUEUE_EMPTY, "nothing was pushed"),
    TEXT(CUPTI_ERROR_INVALID_HANDLE, "no such handle"),
    TEXT(CUPTI_ERROR_INVALID_STREAM, "no such stream"),
    TEXT(CUPTI_ERROR_INVALID_KIND, "no such activity kind"),
    TEXT(CUPTI_ERROR_NOT_SUPPORTED, "not supported by zerostall's simulated GPU"),
    TEXT(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "another tool has subscribed already"),
    TEXT(CUPTI_ERROR_UNKNOWN, "unknown error"),
};
#undef TEXT

const Text* text_of(CUptiResult result) {
  const auto* found =
      std::find_if(std::begin(kTexts), std::end(kTexts), [&](const Text& t) { return t.result == result; });
  return found == std::end(kTexts) ? nullptr : found;
}

}  // namespace
}  // namespace zerostall::simgpu::cupti

using namespace zerostall::simgpu::cupti;

extern "C" {

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute which, size_t* bytes, void* value) {
  Attribute* a = find(which);
  if (!a || !bytes || !value) return CUPTI_ERROR_INVALID_PARAMETER;
  if (*bytes < a->bytes) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  std::lock_guard guard(g_lock);
  a->value = 0;
  std::memcpy(&a->value, value, a->bytes);
  if (which == CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER) options().buffer_per_thread = a->value != 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute which, size_t* bytes, void* value) {
  const Attribute* a = find(which);
  if (!a || !bytes || !value) return CUPTI_ERROR_INVALID_PARAMETER;
  if (*bytes < a->bytes) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  std::lock_guard guard(g_lock);
  std::memcpy(value, &a->value, a->bytes);
  *bytes = a->bytes;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  if (!text) return CUPTI_ERROR_INVALID_PARAMETER;
  const Text* found = text_of(result);
  *text = found ? found->name : "CUPTI error that the simulated GPU does not give";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetErrorMessage(CUptiResult result, const char** text) {
  if (!text) return CUPTI_ERROR_INVALID_PARAMETER;
  const Text* found = text_of(result);
  *text = found ? found->message : "CUPTI error that the simulated GPU does not give";
  return CUPTI_SUCCESS;
}

}  // extern "C"
