// Where in a thread's launches the same work recurs, and whether that is good enough to be called steps.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "profiler/analyze/launches.h"
#include "profiler/analyze/repetition.h"

namespace zerostall {

// Launches [begin, end) of a thread.
struct Stretch {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

struct Recurrence {
  std::vector<Stretch> steps;  // in order, without overlap; what is in none (evaluation, initialisation) is in no step
  Stretch typical;             // the launches that most steps have
  std::size_t alike = 0;       // steps that have exactly these; 0 where only the kinds of kernels are alike
  std::size_t updates = 1;     // anchors in each step
};

// Positions just behind the last launch of each group of `anchors` (ascending positions): launches between two of them
// that are at most `gap` apart belong to one group.
std::vector<std::size_t> ends_of_groups(std::span<const std::size_t> anchors, std::size_t gap);

// Gaps between anchors that can separate groups: those behind which the next larger one is much larger. Ascending, few.
std::vector<std::size_t> possible_gaps(std::span<const std::size_t> anchors);

// Steps that end at these positions, or a fixed number of launches behind them, so that the first one is whole. Nine of
// ten, without those of the warm-up, must be the same launches, and at least three. nullopt: they are not, or it cannot
// be told where one of them begins.
std::optional<Recurrence> same_between(std::span<const Token> tokens, const Fingerprints& prints,
                                       std::span<const std::size_t> ends);

// The same where shapes change from step to step: nine of ten have nearly the same kinds of kernels. n log n.
std::optional<Recurrence> similar_between(std::span<const Token> families, std::span<const std::size_t> ends);

// Without anchors: all but few launches at the beginning, which have little in common with it, are one pattern again
// and again, and the last time is whole, too. (A recording of a part of a network shows its layers, but ends within
// one.) Nothing says that the pattern is a step: see nested_repeats().
std::optional<Recurrence> same_at_end(std::span<const Token> tokens);

}  // namespace zerostall
