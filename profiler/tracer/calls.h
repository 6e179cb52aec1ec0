// API calls: from CUPTI callbacks to CallRecords.
#pragma once
#include <string>

namespace zerostall::tracer {

// Subscribes and enables a callback for every recorded function. `error` says what went wrong, if it did.
bool start_calls(std::string* error);

// Switches the callbacks on and off (window.h).
void enable_calls(bool on);

}  // namespace zerostall::tracer
