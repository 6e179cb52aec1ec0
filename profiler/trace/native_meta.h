// What a native trace says of itself: its meta definitions, joined into one JSON object, as plain data.
#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

#include "profiler/trace/raw_trace.h"

namespace zerostall {

// Adds what a definition says to what earlier ones said. Keys of later ones replace those of earlier ones; but costs of
// the tracer are sums that grow, told by several threads whose segments stand in no order of time: the largest is the
// last. False: it is no object, or is nested deeper than anything that the tracer writes.
bool add_meta(std::string_view json, nlohmann::ordered_json& all);

// Total: what is missing or of another type than expected stays empty.
TraceMeta meta_of(nlohmann::ordered_json object);

}  // namespace zerostall
