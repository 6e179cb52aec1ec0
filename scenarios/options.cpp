#include "scenarios/options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "fixes/catalog.h"
#include "scenarios/catalog.h"

namespace zerostall::scenarios {
namespace {

template <class Range>
std::string names_of(const Range& range) {
  std::string names;
  for (const auto& item : range) names += (names.empty() ? "" : ", ") + std::string(item.name);
  return names;
}

Sabotage parse_sabotage(const std::string& text) {
  const std::size_t at = text.find('@');
  Sabotage sabotage{.fix = text.substr(0, at), .from_update = 0};
  if (at == std::string::npos) return sabotage;
  const char* first = text.data() + at + 1;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, sabotage.from_update);
  if (error != std::errc() || end != last || sabotage.from_update < 0) {
    throw UsageError("--sabotage " + text + ": expected FIX or FIX@STEP, for instance bn-pinning@7");
  }
  return sabotage;
}

void check_fixes(const CommandLine& line) {
  std::vector<std::string_view> seen;
  for (const std::string& name : line.fixes) {
    if (!fixes::find(name)) {
      throw UsageError("unknown fix '" + name + "'; there are: " + names_of(fixes::all()));
    }
    const std::string_view base = fixes::base_name(name);
    if (std::find(seen.begin(), seen.end(), base) != seen.end()) {
      throw UsageError("fix '" + std::string(base) + "' is given twice; give one of its variants");
    }
    seen.push_back(base);
  }
  for (const Sabotage& sabotage : line.sabotage) {
    if (std::find(seen.begin(), seen.end(), sabotage.fix) == seen.end()) {
      throw UsageError("--sabotage " + sabotage.fix + " undoes a fix that is not on; add --fix " + sabotage.fix);
    }
  }
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

void check(CommandLine& line) {
  const std::optional<Scenario> scenario = find(line.scenario);
  if (!scenario) throw UsageError("unknown scenario '" + line.scenario + "'; there are: " + names_of(all()));
  if (line.size.empty()) line.size = scenario->default_size;
  if (line.batch == 0) line.batch = scenario->default_batch;
  if (!find_size(*scenario, line.size)) {
    throw UsageError("unknown size '" + line.size + "'; there are: " + names_of(scenario->sizes));
  }
  if (line.device == "cpu" && !line.size.ends_with("tiny")) {
    throw UsageError("--device cpu would need gigabytes and hours for size " + line.size + "; use --size tiny");
  }
  check_fixes(line);
  // Found out now, not after the training.
  if (!line.dump_weights.empty() && ::access(folder_of(line.dump_weights).c_str(), W_OK) != 0) {
    throw UsageError("--dump-weights: cannot write into folder '" + folder_of(line.dump_weights) + "'");
  }
}

}  // namespace

bool CommandLine::has_fix(const std::string& name) const {
  return std::find(fixes.begin(), fixes.end(), name) != fixes.end();
}

std::int64_t CommandLine::sabotaged_from(const std::string& base_name) const {
  for (const Sabotage& entry : sabotage) {
    if (entry.fix == base_name) return entry.from_update;
  }
  return -1;
}

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  std::vector<std::string> sabotage, with;
  CLI::App app("One of zerostall's training steps, in LibTorch with NVTX step marks", "zerostall-scenario");
  app.add_option("scenario", line.scenario, "flux2, ideogram4 or ernie")->required();
  app.add_option("--size", line.size,
                 "tiny, dev-tiny, or one of the model's own: klein-4b, klein-9b, dev, ideogram4, ernie-image");
  app.add_option("--steps", line.steps, "optimizer updates")->check(CLI::Range(1, 1'000'000));
  app.add_option("--batch", line.batch, "samples per micro-step")->check(CLI::Range(1, 1024));
  app.add_option("--accum", line.accumulation, "micro-steps per update")->check(CLI::Range(1, 1024));
  app.add_option("--with", with, "KEY=VALUE: what the run does besides the plain step; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--fix", line.fixes, "apply a fix; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--sabotage", sabotage, "FIX[@STEP]: undo an applied fix from that update on; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--device", line.device, "cuda or cpu")->check(CLI::IsMember({"cuda", "cpu"}));
  app.add_option("--seed", line.seed, "of weights, samples and noise");
  app.add_option("--dump-weights", line.dump_weights, "write the trained weights to this file at the end");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    throw HelpRequested(app.help());
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  for (const std::string& text : sabotage) line.sabotage.push_back(parse_sabotage(text));
  for (const std::string& text : with)
    if (const std::string problem = apply_setting(text, line.settings); !problem.empty())
      throw UsageError("--with " + text + ": " + problem);
  if (const std::string problem = conflict_in(line.settings); !problem.empty()) throw UsageError(problem);
  check(line);
  return line;
}

}  // namespace zerostall::scenarios
