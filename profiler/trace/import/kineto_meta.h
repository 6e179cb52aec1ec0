// What a Kineto trace says of itself, outside of its list of events.
#pragma once
#include <string>
#include <string_view>

#include "profiler/trace/raw_trace.h"

namespace zerostall::kineto {

// `outside` is the file's JSON object with something small in place of the list of events; "" or text that is no JSON
// object says nothing. Fills tool, device and ranks. The device is that of this number, else the first.
void read_meta(std::string_view outside, std::uint32_t device, TraceMeta& meta);

}  // namespace zerostall::kineto
