#include "profiler/gate/policy_file_keys.h"

#include <algorithm>
#include <array>

#include "profiler/analyze/causes.h"
#include "profiler/gate/policy_file.h"

namespace zerostall {
namespace {

// In the order of the help. METRIC, NAME, SLUG, GLOB and N stand for what the user writes.
constexpr auto kKeys = std::to_array<PolicyKey>({
    {"run.command", "list of texts", "the program to run and its arguments; without it `check` needs a trace",
     R"(["python", "train.py", "--steps", "20"])"},
    {"run.device", "text", "auto (default), gpu, sim or sim:MODEL, as `record --device` has it", R"("sim:h200")"},
    {"run.gpus", "number", "simulated GPUs the program sees (default: 1)", "2"},
    {"run.sim_values", "text", "file of what read-backs from the simulated GPU return (record --help)",
     R"("values.json")"},
    {"run.seed", "number", "varies modelled times within their spread; the same seed gives the same times", "7"},
    {"run.warmup", "number", "first steps that are not judged (default: 2)", "3"},
    {"run.fewest_steps", "number", "judged steps that are needed for a verdict (default and least: 3)", "10"},
    {"run.steps", "text", "marks (default): steps must be marked; inferred: those that zerostall finds itself do, too",
     R"("inferred")"},
    {"run.step_pattern", "text", "regular expression: names of NVTX ranges that are steps", R"("^update \\d+$")"},

    {"budget.METRIC", "limit", "of all work of a judged step; a limit is a number or a table, see above", "0"},
    {"budget.region.NAME.METRIC", "limit", "of what the step does inside the region (NVTX range) of that name", "0"},
    {"budget.cause.SLUG.METRIC", "limit", "of waits of that cause (`zerostall explain` lists them)", "0"},
    {"budget.site.GLOB.METRIC", "limit", "of waits at places that match, \"train.py:step\"; * and ? as in a shell",
     "1"},
    {"budget.device.GLOB.METRIC", "limit", "of all work, where the device's name matches, such as \"*H200*\"", "0"},
    {"budget.rank.N.METRIC", "limit", "of all work of that rank; other budgets hold for each rank", "0"},
    {"budget.background.METRIC", "limit", "of other threads (loaders, loggers) during a step", "4"},
    {"budget.outside.METRIC", "limit", "of all that is in no step, in the whole run: { total = N }", "{ total = 50 }"},

    {"budget.METRIC.max", "number",
     "at most so much in each judged step; a bare number means this (of times: the median)", "0"},
    {"budget.METRIC.median", "number or time", "at most so much in the median of the judged steps", "1"},
    {"budget.METRIC.p95", "number or time", "at most so much in the 95th percentile of the judged steps", "2"},
    {"budget.METRIC.total", "number or time", "at most so much in all judged steps together", "20"},
    {"budget.METRIC.at_most", "number", "with `every`: at most so much in any K judged steps in a row", "1"},
    {"budget.METRIC.every", "number", "the K of `at_most`", "50"},
    {"budget.METRIC.slower", "percentage", "times only: at most so much more than before (a baseline trace, --before)",
     R"("5 %")"},
    {"budget.METRIC.level", "text", "error (default): a violation; warn: said, no more; off: not looked at",
     R"("warn")"},

    {"rule.region", "text", "[[rule]] is a budget on several of these at once: the region", R"("train")"},
    {"rule.cause", "text", "... the cause", R"("scalar-read")"},
    {"rule.site", "glob", "... the place", R"("train.py:*")"},
    {"rule.device", "glob", "... the device's name", R"("*H200*")"},
    {"rule.rank", "number", "... the rank", "0"},
    {"rule.part", "text", "... steps (default), background or outside", R"("steps")"},
    {"rule.level", "text", "... the level of all limits of the rule that have none of their own", R"("warn")"},
    {"rule.METRIC", "limit", "what is limited, at least one", "0"},

    {"allow.site", "glob", "[[allow]] lets waits pass: those at \"path:function\", \"trainer.py:log_metrics\"",
     R"("trainer.py:log_metrics")"},
    {"allow.cause", "text", "... of this cause; of several conditions all must hold", R"("scalar-read")"},
    {"allow.kernel", "glob", "... that follow the launch of this kernel", R"("*multi_tensor*")"},
    {"allow.region", "glob", "... inside such a region", R"("log*")"},
    {"allow.waits_per_step", "number", "at most so many in a step (default: 1)", "1"},
    {"allow.every", "number", "and not again before so many steps (default: 1)", "50"},
    {"allow.reason", "text", "why they may stay; required", R"("the loss is shown to the user")"},
    {"allow.expires", "date", "the first day on which they no longer may; warned of 14 days ahead", "2099-06-30"},

    {"version", "number", "of this format: 1", "1"},
    {"baseline", "text", "baseline file to compare with, relative to this file (`zerostall baseline update`)",
     R"("zerostall.baseline.json")"},
    {"cannot_tell", "text", "error (default): exit code 3 where no verdict is possible; warn: 0, and said",
     R"("warn")"},
    {"unreal_values", "text",
     "warn (default) or cannot-tell: what judged steps are that read back values no kernel computed",
     R"("cannot-tell")"},
    {"improved", "text", "note (default) or violation: fewer waits than the baseline has", R"("violation")"},
    {"least_effect", "time", "time budgets break by at least so much (default: 0)", R"("100 us")"},
});

// The next name of `key` behind the table's path; "" = it does not stand in that table.
std::string_view child_of(std::string_view key, std::string_view table) {
  if (!table.empty()) {
    if (!key.starts_with(table) || key.size() <= table.size() || key[table.size()] != '.') return {};
    key.remove_prefix(table.size() + 1);
  }
  return key.substr(0, key.find('.'));
}

bool is_placeholder(std::string_view name) { return name == "NAME" || name == "SLUG" || name == "GLOB" || name == "N"; }

void add_once(std::vector<std::string_view>& names, std::string_view name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

std::vector<PolicyKey> policy_keys() { return {kKeys.begin(), kKeys.end()}; }

std::vector<std::string_view> known_keys(std::string_view table) {
  std::vector<std::string_view> names;
  for (const PolicyKey& key : kKeys) {
    const std::string_view name = child_of(key.key, table);
    if (name.empty() || is_placeholder(name)) continue;
    if (name != "METRIC") add_once(names, name);
    if (name == "METRIC")
      for (const Metric& metric : all_metrics()) add_once(names, metric.key);
  }
  return names;
}

std::vector<std::string_view> cause_slugs() {
  std::vector<std::string_view> slugs;
  for (std::size_t i = 0; i < kCauseKinds; ++i) slugs.push_back(info_of(static_cast<CauseKind>(i)).slug);
  return slugs;
}

}  // namespace zerostall
