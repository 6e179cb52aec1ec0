// API calls: from CUPTI callbacks to CallRecords.
#pragma once
#include <string>

namespace zerostall::tracer {

// Subscribes and enables a callback for every recorded function. `error` says what went wrong, if it did.
bool start_calls(std::string* error);

}  // namespace zerostall::tracer
