#include "profiler/cli/verify_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "fixes/catalog.h"
#include "profiler/base/strings.h"
#include "profiler/cli/names.h"
#include "profiler/cli/verify_job.h"

namespace zerostall::cli {
namespace {

using scenarios::HostWait;

constexpr std::string_view kAllFixes = "all";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Every fix that has something to remove from the job, without variants.
std::vector<std::string> fixes_that_apply(const VerifyJob& job) {
  std::vector<std::string> names;
  for (const std::string_view name : scenarios::applicable_fixes(job.waits))
    if (fixes::base_name(name) == name) names.emplace_back(name);
  return names;
}

// The named fixes, each once, in the order of the catalog.
Result<std::vector<std::string>> check_fixes(const VerifyJob& job, const std::vector<std::string>& named) {
  if (contains(named, kAllFixes)) {
    if (named.size() > 1) return Error{"--fix all means every fix that applies: give no other --fix beside it"};
    return fixes_that_apply(job);
  }
  std::vector<std::string_view> known;
  for (const fixes::Fix& fix : fixes::all()) known.push_back(fix.name);
  for (const std::string& name : named) {
    if (name.find(',') != std::string::npos)
      return Error{fmt::format("--fix {}: give one fix and repeat --fix for the next", name)};
    if (!fixes::find(name)) return Error{unknown_name("fix", name, known)};
  }
  std::vector<std::string> chosen;
  for (const std::string_view fix : known) {
    if (!contains(named, fix)) continue;
    for (const std::string& other : chosen)
      if (fixes::base_name(other) == fixes::base_name(fix))
        return Error{fmt::format("{} and {} are variants of one fix: give one of them", other, fix)};
    chosen.emplace_back(fix);
  }
  return chosen;
}

std::vector<std::string> default_fixes(const VerifyJob& job) {
  std::vector<std::string> names;
  for (const std::string& name : fixes_that_apply(job))
    if (fixes::find(name)->is_default) names.push_back(name);
  return names;
}

// None, each alone, all together.
std::vector<Setting> each_and_all(const std::vector<std::string>& fixes) {
  std::vector<Setting> settings = {{{}, false}};
  for (const std::string& fix : fixes) settings.push_back({{fix}, false});
  if (fixes.size() > 1) settings.push_back({fixes, false});
  return settings;
}

std::vector<Setting> make_settings(const VerifyJob& job, const VerifyOptions& options,
                                   const std::vector<std::string>& chosen) {
  if (options.fixes.empty()) return each_and_all(default_fixes(job));
  if (contains(options.fixes, kAllFixes)) return each_and_all(chosen);
  return {{{}, false}, {chosen, false}};
}

// FIX or FIX@STEP. Marks the settings that get it. A variant means only itself; the plain name means the fix that is
// on, whatever its variant.
Result<Done> apply_sabotage(const VerifyOptions& options, std::vector<Setting>& settings) {
  if (options.sabotage.empty()) return Done{};
  const std::size_t at = options.sabotage.find('@');
  const std::string fix = options.sabotage.substr(0, at);
  if (at != std::string::npos) {
    const std::string_view text = std::string_view(options.sabotage).substr(at + 1);
    std::int64_t step = -1;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), step);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || step < options.warmup ||
        step >= options.steps)
      return Error{fmt::format("--sabotage {}: the step must be one of the judged ones, {} to {}", options.sabotage,
                               options.warmup, options.steps - 1)};
  }
  std::vector<std::string_view> used;
  for (Setting& setting : settings)
    for (const std::string& name : setting.fixes) {
      if (std::find(used.begin(), used.end(), name) == used.end()) used.push_back(name);
      setting.sabotaged |= name == fix || fixes::base_name(name) == fix;
    }
  if (std::any_of(settings.begin(), settings.end(), [](const Setting& s) { return s.sabotaged; })) return Done{};
  if (fixes::find(fix))
    return Error{fmt::format("--sabotage {}: no run has that fix on (on: {}); add --fix {}", options.sabotage,
                             used.empty() ? "none" : join(used, ", "), fix)};
  return Error{unknown_name("fix to sabotage", fix, used)};
}

Shares shares_of(const HostWait& wait) {
  const std::int64_t n = wait.per_update;
  return {n, n, 0, wait.upload ? n : 0};
}

void add(Shares& sum, const Shares& more) {
  sum.waits += more.waits;
  sum.stream_syncs += more.stream_syncs;
  sum.event_syncs += more.event_syncs;
  sum.h2d_stalls += more.h2d_stalls;
}

// One claim per fix and region: what the job's waits say it removes.
void add_claim(const fixes::Fix& fix, const VerifyJob& job, bool in_baseline, VerifyPlan& plan) {
  const std::string_view base = fixes::base_name(fix.name);
  bool found = false;
  for (const HostWait& wait : job.waits) {
    if (wait.fix != base) continue;
    found = true;
    const auto same = [&](const FixClaim& c) { return c.name == fix.name && c.region == wait.region; };
    auto claim = std::find_if(plan.claims.begin(), plan.claims.end(), same);
    if (claim == plan.claims.end())
      claim = plan.claims.insert(plan.claims.end(), {std::string(fix.name), {}, in_baseline, std::string(wait.region)});
    add(claim->removes, shares_of(wait));
    add(claim->removes, {-fix.event_syncs, 0, -fix.event_syncs, 0});  // what a variant leaves in its place
  }
  if (!found) plan.claims.push_back({std::string(fix.name), {}, in_baseline, plan.region});
}

// The run without fixes shows what each fix removes that some run has on, and what the default ones would; a variant
// brings its own claim. All other waits stay, in every run.
void add_claims(const VerifyJob& job, const std::vector<std::string>& used, VerifyPlan& plan) {
  const std::vector<std::string> defaults = default_fixes(job);
  std::vector<std::string_view> claimed;
  for (const fixes::Fix& fix : fixes::all()) {
    const std::string_view base = fixes::base_name(fix.name);
    const bool variant = base != fix.name;
    if (!contains(used, fix.name) && (variant || !contains(defaults, fix.name))) continue;
    add_claim(fix, job, !variant, plan);
    if (!variant) claimed.push_back(base);
  }
  for (const HostWait& wait : job.waits) {
    if (std::find(claimed.begin(), claimed.end(), wait.fix) != claimed.end()) continue;
    std::string reason(wait.reason);
    if (!wait.fix.empty()) reason += fmt::format(" (removed by --fix {})", wait.fix);
    plan.rest.push_back({std::string(wait.region), shares_of(wait), std::move(reason)});
  }
}

Result<Done> check_numbers(const VerifyOptions& options) {
  if (options.steps <= options.warmup)
    return Error{fmt::format("--steps {} leaves no step to judge: the first {} are warm-up; use --steps {} or more",
                             options.steps, options.warmup, options.warmup + kFewestJudgedSteps)};
  return Done{};
}

std::vector<std::string> fixes_used(const std::vector<Setting>& settings) {
  std::vector<std::string> used;
  for (const Setting& setting : settings) used.insert(used.end(), setting.fixes.begin(), setting.fixes.end());
  return used;
}

}  // namespace

Result<VerifyRequest> plan_verify(const VerifyOptions& options) {
  const auto job = find_job(options);
  if (!job) return job.error();
  const auto chosen = check_fixes(*job, options.fixes);
  if (!chosen) return chosen.error();
  if (const auto numbers = check_numbers(options); !numbers) return numbers.error();

  VerifyRequest request;
  const std::size_t at = options.sabotage.find('@');
  request.sabotage = fixes::base_name(options.sabotage.substr(0, at));
  if (at != std::string::npos) request.sabotage += options.sabotage.substr(at);
  request.settings = make_settings(*job, options, *chosen);
  if (const auto sabotage = apply_sabotage(options, request.settings); !sabotage) return sabotage.error();
  request.with = scenarios::words_of(job->settings);

  VerifyPlan& plan = request.plan;
  plan.scenario = job->scenario.name;
  plan.size = job->size.name;
  plan.settings = request.with;
  plan.title = title_of(*job);
  plan.batch = job->batch;
  plan.accum = job->accum;
  plan.steps = options.steps;
  plan.warmup = options.warmup;
  plan.listed = scenarios::listed_regions(job->settings);
  add_claims(*job, fixes_used(request.settings), plan);
  return request;
}

std::vector<std::string> scenario_arguments(const VerifyRequest& request, const Setting& setting) {
  const VerifyPlan& plan = request.plan;
  std::vector<std::string> arguments = {plan.scenario,
                                        "--size",
                                        plan.size,
                                        "--steps",
                                        fmt::format("{}", plan.steps),
                                        "--batch",
                                        fmt::format("{}", plan.batch),
                                        "--accum",
                                        fmt::format("{}", plan.accum)};
  for (const std::string& word : request.with) arguments.insert(arguments.end(), {"--with", word});
  for (const std::string& fix : setting.fixes) arguments.insert(arguments.end(), {"--fix", fix});
  if (setting.sabotaged) arguments.insert(arguments.end(), {"--sabotage", request.sabotage});
  arguments.insert(arguments.end(), {"--device", "cuda"});
  return arguments;
}

std::string file_stem(const Setting& setting) { return setting.fixes.empty() ? "none" : join(setting.fixes, "+"); }

}  // namespace zerostall::cli
