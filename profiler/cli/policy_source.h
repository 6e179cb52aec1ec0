// Where a policy comes from: a file, options, or both.
#pragma once
#include <string>

#include "profiler/base/result.h"
#include "profiler/cli/options.h"
#include "profiler/gate/policy.h"

namespace zerostall::cli {

inline constexpr const char* kPolicyFile = "zerostall.toml";

// Reads and parses a policy; files that it names are relative to its folder afterwards made relative to ours.
Result<Policy> read_policy(const std::string& file);

// The policy that was named, else zerostall.toml of the working folder, which is said, else an empty one.
Result<Policy> find_policy(const std::string& named);

// How to find the steps that are judged: what options say, where they say something. Fails where the pattern, of the
// options or the policy, is no regular expression.
Result<Done> set_steps(const std::optional<std::int64_t>& warmup, const std::string& pattern, bool inferred,
                       Policy& policy);

// The policy of `check`: the file that was named, else zerostall.toml of the working folder where no --max was given;
// what the options say replaces what the file says. Fails where there is nothing to judge by, or nothing to judge.
Result<Policy> load_policy(const CheckOptions& options);

// What reproduces the check, ready for a shell.
std::string command_line(const CheckOptions& options, const Policy& policy);

}  // namespace zerostall::cli
