#include "profiler/tracer/cupti_api.h"

#include <dlfcn.h>

#include <mutex>

namespace zerostall::tracer {
namespace {

struct Loaded {
  CuptiApi api{};
  bool ok = false;
  std::string error;
};

template <class F>
bool find(void* library, const char* name, F& function, std::string& error) {
  function = reinterpret_cast<F>(dlsym(library, name));
  if (!function) error = std::string("this libcupti has no ") + name;
  return function != nullptr;
}

// The copy that is loaded already comes first: two copies in one process compete for the one subscription.
void* open_library() {
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"})
    if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"})
    if (void* library = dlopen(name, RTLD_NOW)) return library;
  return nullptr;
}

Loaded load() {
  Loaded l;
  void* library = open_library();
  if (!library) {
    l.error =
        "libcupti.so.13 was not found: install it (pip install nvidia-cuda-cupti) or add its folder to LD_LIBRARY_PATH";
    return l;
  }
  CuptiApi& a = l.api;
  l.ok = find(library, "cuptiGetVersion", a.get_version, l.error) &&
         find(library, "cuptiGetTimestamp", a.get_timestamp, l.error) &&
         find(library, "cuptiGetResultString", a.get_result_string, l.error) &&
         find(library, "cuptiSubscribe", a.subscribe, l.error) &&
         find(library, "cuptiEnableCallback", a.enable_callback, l.error) &&
         find(library, "cuptiGetCallbackName", a.get_callback_name, l.error) &&
         find(library, "cuptiActivityRegisterCallbacks", a.register_callbacks, l.error) &&
         find(library, "cuptiActivityEnable", a.enable_activity, l.error) &&
         find(library, "cuptiActivityFlushAll", a.flush_all, l.error) &&
         find(library, "cuptiActivityGetNextRecord", a.next_record, l.error) &&
         find(library, "cuptiActivityGetNumDroppedRecords", a.dropped_records, l.error) &&
         find(library, "cuptiSetThreadIdType", a.set_thread_id_type, l.error);
  std::string none;
  find(library, "cuptiActivitySetAttribute", a.set_attribute, none);
  return l;
}

}  // namespace

const CuptiApi* cupti_api(std::string* error) {
  static const Loaded* loaded = new Loaded(load());
  if (error) *error = loaded->error;
  return loaded->ok ? &loaded->api : nullptr;
}

std::int64_t timestamp_ns() {
  const CuptiApi* api = cupti_api();
  std::uint64_t time = 0;
  if (api) api->get_timestamp(&time);
  return static_cast<std::int64_t>(time);
}

std::string result_text(CUptiResult result) {
  const char* text = nullptr;
  if (const CuptiApi* api = cupti_api()) api->get_result_string(result, &text);
  return std::string(text ? text : "CUPTI error") + " (" + std::to_string(static_cast<int>(result)) + ")";
}

}  // namespace zerostall::tracer
