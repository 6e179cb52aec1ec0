// The functions of libcupti the tracer calls, found at run time: the tracer links neither CUDA nor CUPTI, so that it
// can be loaded anywhere, and uses the copy of libcupti the process already has.
#pragma once
#include <cupti.h>

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
  decltype(&cuptiActivityFlushAll) flush_all;
  decltype(&cuptiActivityGetNextRecord) next_record;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records;
  decltype(&cuptiSetThreadIdType) set_thread_id_type;
  decltype(&cuptiActivitySetAttribute) set_attribute;  // null where the library has none
};

// Loads libcupti once. Null if there is none; `error` then says why. Thread-safe.
const CuptiApi* cupti_api(std::string* error = nullptr);

// CUPTI's clock in nanoseconds; 0 without CUPTI.
std::int64_t timestamp_ns();

std::string result_text(CUptiResult result);

}  // namespace zerostall::tracer
