// What compare_runs is made of. Not for others.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiler/analyze/compare.h"

namespace zerostall::compare {

using Side = std::span<const RunSummary>;

// How often something was seen, by sample of a side (a judged step or a run, counted through all runs).
struct Samples {
  std::map<std::int64_t, std::int64_t> at;  // those with any
  std::int64_t sum = 0;
  bool only_sum = false;  // which samples they fell into is not known
  void add(std::int64_t sample, std::int64_t count) {
    if (count == 0) return;
    at[sample] += count;
    sum += count;
  }
};

CountFigure figure_of(const Samples& samples, std::int64_t number_of_samples);

// Whether two counts are equal as far as their samples can tell: where one side has more samples than the other, an
// event that is in some steps only may be caught once more or less.
bool same(const CountFigure& a, const CountFigure& b);

// How many samples a side has, and where those of each run begin.
struct Layout {
  std::int64_t samples = 0;
  std::vector<std::int64_t> first;  // by run
};
Layout layout_of(Side side, Basis basis);

// What things are matched by.
struct ItemKey {
  std::string place;  // identity, not for people
  std::string what;
  auto operator<=>(const ItemKey&) const = default;
};

struct Item {
  std::string place_words;  // for people; of several the first in their order, so that the order of runs is no matter
  std::set<std::string> causes;  // slugs
  std::string family;            // what it is, with # for its size
  Samples a, b;
  std::set<std::string> sizes;
};
using Items = std::map<ItemKey, Item>;

Changes changes_of(Items items, std::int64_t samples_a, std::int64_t samples_b);

Changes compare_waits(Side a, Side b, Basis basis, Places places);
Changes compare_copies(Side a, Side b, Basis basis);
Places places_of(Side a, Side b);

Times compare_times(Side a, Side b, const Comparison& so_far);

// Fills in reasons and notes.
void say_why(Side a, Side b, const SideWords& words, Comparison& comparison);

}  // namespace zerostall::compare
