// A first policy for a program, from what it was seen to do: what `zerostall init` writes.
#pragma once
#include <span>
#include <string>

#include "profiler/gate/check.h"
#include "profiler/gate/policy.h"

namespace zerostall {

struct ProposalSource {
  RunSettings run;     // how it ran, and should run again; without a command the keys of [run] stand as comments
  std::string device;  // for people: "simulated H200"
};

// TOML with comments, to be read and changed by people; parse_policy takes it whatever the names of regions and places
// hold, and the runs keep to it, as far as they can be judged at all: budgets are the counts that were seen. What makes
// these doubtful stands beside them. Total; without processes or judged steps it says so and limits nothing.
std::string propose_policy(std::span<const CheckedRun> runs, const ProposalSource& source);

}  // namespace zerostall
