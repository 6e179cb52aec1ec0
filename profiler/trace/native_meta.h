// What a native trace says of itself: its meta definitions, joined into one JSON object, as plain data.
#pragma once
#include <nlohmann/json.hpp>

#include "profiler/trace/raw_trace.h"

namespace zerostall {

// Total: what is missing or of another type than expected stays empty.
TraceMeta meta_of(nlohmann::ordered_json object);

}  // namespace zerostall
