// GPU work: from CUPTI activity records to GpuRecords.
#pragma once
#include <string>

namespace zerostall::tracer {

bool start_activity(std::string* error);

// Switches the records of GPU work on, and off once what was launched until now had time to be recorded (window.h).
void enable_activity(bool on);

// Asks CUPTI for the records of finished work; recording goes on.
void flush_activity();

// Asks CUPTI for everything it still holds, and notes how many records it lost.
void finish_activity();

}  // namespace zerostall::tracer
