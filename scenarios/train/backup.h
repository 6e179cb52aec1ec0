// Backups of a run: trained parameters, the optimizer's state, and how many updates were made. The random generators
// need no place in it: they are seeded by the number of the micro-step. Source: reference-step.md A.3.5, B.1 #21c.
//
// A file of ours: one line of text per tensor, "NAME KIND DTYPE SIZES...", then its raw little-endian values and a
// newline; KIND is "value" for a parameter, else the kind of StateEntry. Blocking copies: between updates only.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/train/block_linear.h"
#include "scenarios/train/fixes_on.h"
#include "scenarios/train/optimizer.h"

namespace zerostall::train {

// Written beside `path` and renamed: there never is half a backup under that name. Throws std::runtime_error, one line.
// `parameters` in the optimizer's order. One device read per tensor.
void save_backup(const std::string& path, const std::vector<NamedParameter>& parameters, Optimizer& optimizer,
                 std::int64_t updates);

// Puts values and state back and returns the number of updates. As upstream all of the optimizer's state then lies on
// its parameter's device, step counters too: AdamW waits for each of them in every later step, unless fix
// resume-steps-on-cpu is on. Throws std::runtime_error, one line, if the file cannot be read, is cut off, or is of
// another model or optimizer; values may have changed by then.
std::int64_t load_backup(const std::string& path, const std::vector<NamedParameter>& parameters, Optimizer& optimizer,
                         const FixesOn& fixes);

}  // namespace zerostall::train
