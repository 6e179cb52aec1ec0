// Which keys a policy knows, in each of its tables. The list itself: policy_keys().
#pragma once
#include <string_view>
#include <vector>

namespace zerostall {

// Keys that may stand in the table of this path ("run", "budget.region.NAME", "" = the top), METRIC replaced by the
// metrics, other placeholders left out.
std::vector<std::string_view> known_keys(std::string_view table);

// Of all causes: "scalar-read".
std::vector<std::string_view> cause_slugs();

}  // namespace zerostall
