// What the scenarios of the catalogue must show, as data without torch: the command line of zerostall reads it, and
// `zerostall verify --catalogue` holds the program and the analysis to it.
#pragma once
#include <array>
#include <span>
#include <string_view>

namespace zerostall::scenarios::catalogue {

inline constexpr std::array<std::string_view, 3> kVariants = {"cause", "fixed", "near-miss"};

// What one variant shows in each step after the warm-up.
struct Expected {
  int waits = 0;             // host waits
  int memory_calls = 0;      // calls that take or give back memory: cause allocator, in no total of waits
  std::string_view cause{};  // slug that the analysis must name for all of them; "" = there are none
  std::string_view why{};    // of a near miss: why it is none, or is of another class
};

struct Entry {
  std::string_view slug;             // the class, as in metrics.md "Names in output"
  std::array<Expected, 3> variants;  // in the order of kVariants
};

// All classes, in the order of the design's catalogue.
std::span<const Entry> entries();

// Null: there is none of that name.
const Entry* find_entry(std::string_view slug);

}  // namespace zerostall::scenarios::catalogue
