#include "profiler/cli/policy_source.h"

#include <fmt/format.h>

#include <filesystem>

#include "profiler/base/files.h"
#include "profiler/base/strings.h"
#include "profiler/cli/processes.h"
#include "profiler/cli/say.h"
#include "profiler/gate/policy_file.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

// Beside the policy, wherever we were started.
std::string beside(const std::string& policy, const std::string& file) {
  if (file.empty() || fs::path(file).is_absolute()) return file;
  return (fs::path(policy).parent_path() / file).string();
}

bool has_policy_here() {
  std::error_code error;
  return fs::exists(kPolicyFile, error);
}

Result<Policy> from_file(const CheckOptions& options) {
  if (!options.policy.empty() || options.max.empty()) return find_policy(options.policy);
  if (has_policy_here()) say(fmt::format("{} is left out beside --max: --policy {} adds it", kPolicyFile, kPolicyFile));
  return Policy{};
}

Result<Done> add_limits(const CheckOptions& options, Policy& policy) {
  for (const std::string& text : options.max) {
    auto budget = parse_max(text);
    if (!budget) return Error{"--max: " + budget.error().message};
    policy.budgets.push_back(std::move(*budget));
  }
  return Done{};
}

void override_run(const CheckOptions& options, Policy& policy) {
  if (!options.command.empty()) policy.run.command = options.command;
  if (!options.device.empty()) policy.run.device = options.device;
  if (options.gpus) policy.run.gpus = *options.gpus;
  if (!options.baseline.empty()) policy.baseline = options.baseline;
  if (options.fail_on == "improved") policy.improved_is_violation = true;
}

}  // namespace

Result<Policy> read_policy(const std::string& file) {
  const auto text = MappedFile::open(file);
  if (!text) return text.error();
  const auto bytes = text->bytes();
  auto policy = parse_policy({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
  if (!policy) return policy;
  policy->baseline = beside(file, policy->baseline);
  policy->run.sim_values = beside(file, policy->run.sim_values);
  name_regions(*policy);
  return policy;
}

Result<Policy> find_policy(const std::string& named) {
  if (!named.empty()) return read_policy(named);
  if (!has_policy_here()) return Policy{};
  say(fmt::format("policy: {}", kPolicyFile));
  return read_policy(kPolicyFile);
}

Result<Done> set_steps(const std::optional<std::int64_t>& warmup, const std::string& pattern, bool inferred,
                       Policy& policy) {
  if (warmup) policy.run.warmup = *warmup;
  if (!pattern.empty()) policy.run.step_pattern = pattern;
  if (inferred) policy.run.steps = StepsWanted::inferred;
  if (const auto steps = step_options(policy.run.step_pattern); !steps) return steps.error();
  return Done{};
}

Result<Policy> load_policy(const CheckOptions& options) {
  auto policy = from_file(options);
  if (!policy) return policy;
  if (const auto added = add_limits(options, *policy); !added) return added.error();
  override_run(options, *policy);
  name_regions(*policy);
  if (const auto set = set_steps(options.warmup, options.step_pattern, options.inferred, *policy); !set)
    return set.error();
  const bool two_sides = !options.before.empty() || !options.before_rev.empty();
  if (policy->budgets.empty() && policy->baseline.empty() && !two_sides)
    return Error{policy->file.empty()
                     ? "nothing to judge by: give --max waits=0 or --baseline FILE, or let `zerostall init -- COMMAND` "
                       "propose a zerostall.toml"
                     : fmt::format("{} has no [budget] and no baseline: there is nothing to judge by", policy->file)};
  if (options.traces.empty() && policy->run.command.empty() && options.before.empty())
    return Error{
        "nothing to judge: name a trace, or a command (zerostall check --max waits=0 -- python train.py), or put "
        "`command` into [run] of the policy"};
  return policy;
}

std::string command_line(const CheckOptions& options, const Policy& policy) {
  std::string line = "zerostall check";
  const auto add = [&](const std::string& word) { line += " " + shell_word(word); };
  const auto option = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    add(name);
    add(value);
  };
  if (policy.file != kPolicyFile) option("--policy", policy.file);
  for (const std::string& limit : options.max) option("--max", limit);
  option("--baseline", options.baseline);
  option("--fail-on", options.fail_on);
  option("--before", options.before);
  option("--after", options.after);
  option("--before-rev", options.before_rev);
  option("--build", options.build);
  option("--device", options.device);
  if (options.gpus) option("--gpus", fmt::to_string(*options.gpus));
  if (options.warmup) option("--warmup", fmt::to_string(*options.warmup));
  option("--step-pattern", options.step_pattern);
  if (options.inferred) add("--inferred-steps");
  for (const std::string& trace : options.traces) add(trace);
  if (!options.command.empty()) {
    add("--");
    for (const std::string& word : options.command) add(word);
  }
  return line;
}

}  // namespace zerostall::cli
