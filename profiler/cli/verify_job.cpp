#include "profiler/cli/verify_job.h"

#include <fmt/format.h>

#include <filesystem>

#include "fixes/catalog.h"
#include "profiler/base/strings.h"
#include "profiler/cli/names.h"
#include "scenarios/presets.h"

namespace zerostall::cli {
namespace {

template <class List>
std::vector<std::string_view> names_of(const List& list) {
  std::vector<std::string_view> names;
  for (const auto& item : list) names.push_back(item.name);
  return names;
}

// Somebody's own program was given for the name of a built-in job.
bool is_program(const std::string& name) {
  std::error_code error;
  return name.find('/') != std::string::npos || name.ends_with(".py") || name.ends_with(".sh") ||
         std::filesystem::exists(name, error);
}

Error no_such_job(const std::string& name) {
  if (is_program(name))
    return Error{fmt::format(
        "verify runs built-in jobs (see `zerostall verify --list`); to judge a program of your own: zerostall check -- "
        "{}{}",
        name.ends_with(".py") ? "python " : "", name)};
  std::vector<std::string_view> known = names_of(scenarios::all());
  for (const scenarios::Preset& preset : scenarios::presets()) known.push_back(preset.name);
  return Error{unknown_name("scenario or preset", name, known)};
}

Result<scenarios::Size> find_size(const scenarios::Scenario& scenario, const std::string& name) {
  if (const auto found = scenarios::find_size(scenario, name)) return *found;
  return Error{unknown_name("size", name, names_of(scenario.sizes))};
}

std::string recipe(const scenarios::Settings& settings) {
  switch (settings.weights) {
    case scenarios::Weights::int8:
      return "W8A8 LoRA r16";
    case scenarios::Weights::fp8:
      return "W8A8 (fp8) LoRA r16";
    case scenarios::Weights::bf16:
      break;
  }
  return "bf16 fine-tune";
}

}  // namespace

Result<VerifyJob> find_job(const VerifyOptions& options) {
  const auto preset = scenarios::find_preset(options.scenario);
  const auto scenario = scenarios::find(preset ? preset->scenario : options.scenario);
  if (!scenario) return no_such_job(options.scenario);
  const auto size = find_size(*scenario, options.size.empty() ? std::string(scenario->default_size) : options.size);
  if (!size) return size.error();
  VerifyJob job{*scenario, *size, preset ? preset->settings : scenarios::Settings{}, 0, static_cast<int>(options.accum),
                {}};
  for (const std::string& text : options.with)
    if (const std::string problem = scenarios::apply_setting(text, job.settings); !problem.empty())
      return Error{fmt::format("--with {}: {}", text, problem)};
  if (const std::string problem = scenarios::conflict_in(job.settings); !problem.empty()) return Error{problem};
  if (options.batch > kMostSamples || options.accum > kMostSamples)
    return Error{fmt::format("--batch and --accum can be at most {}", kMostSamples)};
  job.batch = options.batch > 0 ? static_cast<int>(options.batch) : scenario->default_batch;
  job.waits = scenarios::host_waits(job.size, job.settings, job.batch, job.accum);
  return job;
}

std::string title_of(const VerifyJob& job) {
  const std::int64_t pixels = job.settings.pixels > 0 ? job.settings.pixels : job.size.pixels;
  std::string title = fmt::format("{}, {}, batch {}, {} px", job.size.title, recipe(job.settings), job.batch, pixels);
  scenarios::Settings rest = job.settings;  // what the words above do not say yet
  rest.weights = {};
  rest.pixels = 0;
  rest.learning_rate = scenarios::Settings{}.learning_rate;
  for (const std::string& word : scenarios::words_of(rest)) title += ", " + word;
  return title;
}

std::string list_jobs(const std::vector<std::string>& device_models) {
  std::string text;
  for (const scenarios::Scenario& scenario : scenarios::all()) {
    text += fmt::format("{}  {}\n  sizes\n", scenario.name, scenario.title);
    for (const scenarios::Size& size : scenario.sizes)
      text += fmt::format("    {:<24} {}, {} px{}\n", size.name, size.title, size.pixels,
                          size.name == scenario.default_size ? " (default)" : "");
  }
  text += "presets\n";
  for (const scenarios::Preset& preset : scenarios::presets())
    text += fmt::format("    {:<24} {}\n", preset.name, preset.title);
  text += "settings, --with KEY=VALUE\n";
  for (const scenarios::SettingKey& key : scenarios::setting_keys())
    text += fmt::format("    {:<24} {}: {}\n", key.name, key.values, key.about);
  text += "fixes, --fix NAME (--fix all: every one that applies)\n";
  for (const fixes::Fix& fix : fixes::all())
    text += fmt::format("    {:<24} {}{}\n", fix.name, fix.title, fix.is_default ? " (default)" : "");
  return text + fmt::format("device models\n    {}\n",
                            device_models.empty() ? "none in this installation" : join(device_models, ", "));
}

}  // namespace zerostall::cli
