// The functions of libcupti the tracer calls, found at run time: the tracer links neither CUDA nor CUPTI, so that it
// can be loaded anywhere, and uses the copy of libcupti that fits the process (cupti_library.h).
#pragma once
#include <cupti.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace zerostall::tracer {

struct CuptiApi {
  decltype(&cuptiGetVersion) get_version;
  decltype(&cuptiGetTimestamp) get_timestamp;
  decltype(&cuptiGetResultString) get_result_string;
  decltype(&cuptiSubscribe) subscribe;
  decltype(&cuptiEnableCallback) enable_callback;
  decltype(&cuptiGetCallbackName) get_callback_name;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks;
  decltype(&cuptiActivityEnable) enable_activity;
  decltype(&cuptiActivityDisable) disable_activity;
  decltype(&cuptiActivityFlushAll) flush_all;
  decltype(&cuptiActivityGetNextRecord) next_record;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records;
  decltype(&cuptiSetThreadIdType) set_thread_id_type;
  // Null where this libcupti has none.
  decltype(&cuptiSubscribe_v2) subscribe_v2;
  decltype(&cuptiGetCallbackState) get_callback_state;
  decltype(&cuptiActivityGetAttribute) get_attribute;
  decltype(&cuptiActivitySetAttribute) set_attribute;
};

// Loads libcupti once. Null if there is none; `error` then says why. Thread-safe.
const CuptiApi* cupti_api(std::string* error = nullptr);

// Whether timestamp_ns() gives CUPTI's time. Loads no libcupti while nothing of CUDA is loaded, since only then it
// shows which one fits: until the first CUDA call the time is taken from CLOCK_REALTIME, which is CUPTI's clock.
bool has_clock();

// ", "cupti": {...}" for the trace's meta: which copy it is, its version, how many are loaded. "" without CUPTI.
std::string cupti_json();

// Copies of libcupti that are loaded now.
int cupti_copies_now();

namespace detail {
extern std::atomic<decltype(&cuptiGetTimestamp)> g_get_timestamp;
}

// CUPTI's clock in nanoseconds; 0 without CUPTI. One indirect call: it stands in every callback.
inline std::int64_t timestamp_ns() {
  std::uint64_t time = 0;
  detail::g_get_timestamp.load(std::memory_order_relaxed)(&time);
  return static_cast<std::int64_t>(time);
}

std::string result_text(CUptiResult result);

}  // namespace zerostall::tracer
