// What a policy says beside budgets: the run, the waits that are let pass, and what holds for all.
#pragma once
#include "profiler/gate/policy_file_values.h"

namespace zerostall {

void read_run(const TomlEntry& entry, RunSettings& run, PolicyProblems& problems);                 // `run`
void read_allow(const TomlEntry& entry, std::vector<Allowance>& allow, PolicyProblems& problems);  // `allow`
// The keys in front of the first table.
void read_top(const TomlValue& top, Policy& policy, PolicyProblems& problems);

}  // namespace zerostall
