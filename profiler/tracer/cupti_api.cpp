#include "profiler/tracer/cupti_api.h"

#include <dlfcn.h>
#include <time.h>

#include "profiler/tracer/cupti_library.h"
#include "profiler/tracer/meta.h"
#include "profiler/tracer/stored_path.h"

namespace zerostall::tracer {
namespace {

struct Loaded {
  CuptiApi api{};
  CuptiLibrary library;
  bool ok = false;
  std::string error;
};

template <class F>
bool find(void* library, const char* name, F& function, std::string& error) {
  function = reinterpret_cast<F>(dlsym(library, name));
  if (!function) error = std::string("this libcupti has no ") + name;
  return function != nullptr;
}

template <class F>
void find_optional(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
}

CUptiResult CUPTIAPI no_timestamp(std::uint64_t* time) {
  *time = 0;
  return CUPTI_ERROR_NOT_INITIALIZED;
}

Loaded load() {
  Loaded l;
  l.library = open_cupti(cupti_surroundings());
  void* library = l.library.handle;
  if (!library) {
    l.error = l.library.problem;
    detail::g_get_timestamp = no_timestamp;
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
         find(library, "cuptiActivityDisable", a.disable_activity, l.error) &&
         find(library, "cuptiActivityFlushAll", a.flush_all, l.error) &&
         find(library, "cuptiActivityGetNextRecord", a.next_record, l.error) &&
         find(library, "cuptiActivityGetNumDroppedRecords", a.dropped_records, l.error) &&
         find(library, "cuptiSetThreadIdType", a.set_thread_id_type, l.error);
  find_optional(library, "cuptiActivitySetAttribute", a.set_attribute);
  find_optional(library, "cuptiSubscribe_v2", a.subscribe_v2);
  find_optional(library, "cuptiGetCallbackState", a.get_callback_state);
  find_optional(library, "cuptiActivityGetAttribute", a.get_attribute);
  detail::g_get_timestamp = l.ok ? a.get_timestamp : no_timestamp;
  return l;
}

const Loaded& loaded() {
  static const Loaded* instance = new Loaded(load());
  return *instance;
}

CUptiResult CUPTIAPI real_time(std::uint64_t* time) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *time = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  return CUPTI_SUCCESS;
}

// What stands in for CUPTI's clock until somebody asks for the time.
CUptiResult CUPTIAPI load_and_ask(std::uint64_t* time) {
  loaded();
  return detail::g_get_timestamp.load(std::memory_order_relaxed)(time);
}

}  // namespace

namespace detail {
std::atomic<decltype(&cuptiGetTimestamp)> g_get_timestamp{load_and_ask};
}

const CuptiApi* cupti_api(std::string* error) {
  if (error) *error = loaded().error;
  return loaded().ok ? &loaded().api : nullptr;
}

bool has_clock() {
  if (uses_cuda(cupti_surroundings().loaded)) return cupti_api() != nullptr;
  auto nobody_asked = &load_and_ask;
  detail::g_get_timestamp.compare_exchange_strong(nobody_asked, real_time);
  return true;
}

std::string cupti_json() {
  const CuptiLibrary& library = loaded().library;
  if (!library.handle) return {};
  return ", \"cupti\": {\"path\": " + quoted(stored_path(library.path)) +
         ", \"version\": " + std::to_string(library.version) + ", \"copies\": " + std::to_string(library.copies) + "}";
}

int cupti_copies_now() { return count_cupti_copies(cupti_surroundings().loaded); }

std::string result_text(CUptiResult result) {
  const char* text = nullptr;
  if (const CuptiApi* api = cupti_api()) api->get_result_string(result, &text);
  return std::string(text ? text : "CUPTI error") + " (" + std::to_string(static_cast<int>(result)) + ")";
}

}  // namespace zerostall::tracer
