// Pieces of JSON that several of our schemas share. Order of keys is the order of output; unknown is null.
#pragma once
#include <nlohmann/json.hpp>

#include "profiler/analyze/summary.h"

namespace zerostall {

using Json = nlohmann::ordered_json;

Json to_json(const Counters& counters);
Json to_json(const CounterSpreads& spreads);
Json to_json(const std::optional<Spread>& spread);
Json to_json(const std::vector<CopyRow>& copies);

// With indentation, ending in a newline. Text that is not UTF-8 is repaired, never refused.
std::string to_text(const Json& json);

}  // namespace zerostall
