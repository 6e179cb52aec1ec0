// What the tracer itself cost the program: from costs per kind of call, which it measured on some calls.
#pragma once
#include <array>
#include <optional>

#include "profiler/analyze/steps.h"
#include "profiler/analyze/waits.h"

namespace zerostall {

// Nanoseconds a call, by kind. Kinds that were never measured cost what the others do on average. Not in it: what CUPTI
// takes to call the tracer, and to record GPU work.
class OwnCosts {
 public:
  explicit OwnCosts(const TraceMeta& meta);
  bool known() const { return known_; }
  Nanos of(ApiKind kind) const { return ns_[static_cast<std::size_t>(kind)]; }

 private:
  std::array<Nanos, kApiKinds> ns_{};
  bool known_ = false;
};

// Of each step: on its marking thread. Nullopt where the trace tells no cost.
std::vector<std::optional<Nanos>> own_cost_of_steps(const Trace& trace, const Steps& steps, const OwnCosts& costs);

// Takes from each wait what the tracer spent inside it: between the stamps of a copy and of the sync behind it. Never
// below no time. For measured times only.
void take_own_cost(const Trace& trace, const OwnCosts& costs, std::vector<Wait>& waits);

}  // namespace zerostall
