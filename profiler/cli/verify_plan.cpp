#include "profiler/cli/verify_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "fixes/catalog.h"
#include "profiler/base/strings.h"
#include "profiler/cli/names.h"
#include "scenarios/catalog.h"

namespace zerostall::cli {
namespace {

template <class List>
std::vector<std::string_view> names_of(const List& list) {
  std::vector<std::string_view> names;
  for (const auto& item : list) names.push_back(item.name);
  return names;
}

Result<scenarios::Scenario> find_scenario(const std::string& name) {
  if (const auto found = scenarios::find(name)) return *found;
  return Error{unknown_name("scenario", name, names_of(scenarios::all()))};
}

Result<scenarios::Size> find_size(const scenarios::Scenario& scenario, const std::string& name) {
  if (const auto found = scenarios::find_size(scenario, name)) return *found;
  return Error{unknown_name("size", name, names_of(scenario.sizes))};
}

// The named fixes, each once, in the order of the scenario's report.
Result<std::vector<std::string>> check_fixes(const scenarios::Scenario& scenario,
                                             const std::vector<std::string>& named) {
  std::vector<std::string> chosen;
  for (const std::string& name : named) {
    if (name.find(',') != std::string::npos)
      return Error{fmt::format("--fix {}: give one fix and repeat --fix for the next", name)};
    if (std::find(scenario.fixes.begin(), scenario.fixes.end(), name) == scenario.fixes.end() || !fixes::find(name))
      return Error{unknown_name("fix", name, scenario.fixes)};
  }
  for (const std::string_view fix : scenario.fixes) {
    if (std::find(named.begin(), named.end(), fix) == named.end()) continue;
    for (const std::string& other : chosen)
      if (fixes::base_name(other) == fixes::base_name(fix))
        return Error{fmt::format("{} and {} are variants of one fix: give one of them", other, fix)};
    chosen.emplace_back(fix);
  }
  return chosen;
}

std::vector<std::string> default_fixes(const scenarios::Scenario& scenario) {
  std::vector<std::string> names;
  for (const std::string_view name : scenario.fixes)
    if (const auto fix = fixes::find(name); fix && fix->is_default) names.emplace_back(name);
  return names;
}

std::vector<Setting> make_settings(const scenarios::Scenario& scenario, const std::vector<std::string>& named) {
  if (!named.empty()) return {{{}, false}, {named, false}};
  const auto defaults = default_fixes(scenario);
  std::vector<Setting> settings = {{{}, false}};
  for (const std::string& fix : defaults) settings.push_back({{fix}, false});
  if (defaults.size() > 1) settings.push_back({defaults, false});
  return settings;
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
                             join(used, ", "), fix)};
  return Error{unknown_name("fix to sabotage", fix, used)};
}

Shares shares_of(const fixes::Removes& removes, int accum) {
  return {removes.waits.of(accum), removes.stream_syncs.of(accum), removes.event_syncs.of(accum),
          removes.h2d_stalls.of(accum)};
}

// The run without fixes shows what each default fix removes; a variant that was asked for brings its own claim.
void add_claims(const scenarios::Scenario& scenario, const std::vector<std::string>& named, int accum,
                VerifyPlan& plan) {
  for (const std::string_view name : scenario.fixes) {
    const auto fix = fixes::find(name);
    if (!fix || (!fix->is_default && std::find(named.begin(), named.end(), name) == named.end())) continue;
    plan.claims.push_back({std::string(name), shares_of(fix->removes, accum), fix->is_default});
  }
}

void add_rest(const scenarios::Size& size, int accum, int batch, VerifyPlan& plan) {
  for (const scenarios::Rest& rest : size.rest) {
    const std::int64_t n = rest.of(accum, batch);
    plan.rest.push_back({std::string(rest.region), {n, n, 0, rest.h2d ? n : 0}, std::string(rest.reason)});
  }
}

Result<Done> check_numbers(const VerifyOptions& options) {
  if (options.batch > kMostSamples || options.accum > kMostSamples)
    return Error{fmt::format("--batch and --accum can be at most {}", kMostSamples)};
  if (options.steps <= options.warmup)
    return Error{fmt::format("--steps {} leaves no step to judge: the first {} are warm-up; use --steps {} or more",
                             options.steps, options.warmup, options.warmup + kFewestJudgedSteps)};
  return Done{};
}

}  // namespace

Result<VerifyRequest> plan_verify(const VerifyOptions& options) {
  const auto scenario = find_scenario(options.scenario);
  if (!scenario) return scenario.error();
  const auto size = find_size(*scenario, options.size.empty() ? std::string(scenario->default_size) : options.size);
  if (!size) return size.error();
  const auto named = check_fixes(*scenario, options.fixes);
  if (!named) return named.error();
  if (const auto numbers = check_numbers(options); !numbers) return numbers.error();

  VerifyRequest request;
  const std::size_t at = options.sabotage.find('@');
  request.sabotage = fixes::base_name(options.sabotage.substr(0, at));
  if (at != std::string::npos) request.sabotage += options.sabotage.substr(at);
  request.settings = make_settings(*scenario, *named);
  if (const auto sabotage = apply_sabotage(options, request.settings); !sabotage) return sabotage.error();

  VerifyPlan& plan = request.plan;
  const int batch = options.batch > 0 ? static_cast<int>(options.batch) : scenario->default_batch;
  const int accum = static_cast<int>(options.accum);
  plan.scenario = scenario->name;
  plan.size = size->name;
  plan.title = fmt::format("{}, {}, batch {}, {} px", size->title, scenario->recipe, batch, size->pixels);
  plan.batch = batch;
  plan.accum = accum;
  plan.steps = options.steps;
  plan.warmup = options.warmup;
  add_claims(*scenario, *named, accum, plan);
  add_rest(*size, accum, batch, plan);
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
  for (const std::string& fix : setting.fixes) arguments.insert(arguments.end(), {"--fix", fix});
  if (setting.sabotaged) arguments.insert(arguments.end(), {"--sabotage", request.sabotage});
  arguments.insert(arguments.end(), {"--device", "cuda"});
  return arguments;
}

std::string file_stem(const Setting& setting) { return setting.fixes.empty() ? "none" : join(setting.fixes, "+"); }

std::string list_scenarios(const std::vector<std::string>& models) {
  std::string text;
  for (const scenarios::Scenario& scenario : scenarios::all()) {
    text += fmt::format("{}  {}\n  sizes\n", scenario.name, scenario.title);
    for (const scenarios::Size& size : scenario.sizes)
      text += fmt::format("    {:<20} {}, {} px{}\n", size.name, size.title, size.pixels,
                          size.name == scenario.default_size ? " (default)" : "");
    text += "  fixes\n";
    for (const std::string_view name : scenario.fixes)
      if (const auto fix = fixes::find(name))
        text += fmt::format("    {:<20} {}{}\n", fix->name, fix->title, fix->is_default ? "" : " (only when named)");
  }
  return text +
         fmt::format("device models\n    {}\n", models.empty() ? "none in this installation" : join(models, ", "));
}

}  // namespace zerostall::cli
