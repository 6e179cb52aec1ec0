#include "profiler/cli/init_options.h"

#include <fmt/format.h>

#include "profiler/base/strings.h"
#include "profiler/cli/completion_hint.h"
#include "profiler/cli/option_parts.h"
#include "profiler/cli/page.h"

namespace zerostall::cli {

void add_init(CLI::App& app, InitOptions& options) {
  CLI::App* init = app.add_subcommand("init", "Write a policy for `check`: the counts that a run shows, to start from");
  init->group(kYourProgram)->footer(help_text(page_of("init")));
  trace_word(
      init->add_option("TRACE", options.files, "A trace to take the counts from, in place of running a command"));
  complete_files(word(init->add_option("-o,--output", options.output,
                                       "The policy to write (default: zerostall.toml; - is standard output)"),
                      "FILE"),
                 {".toml"});
  init->add_flag("--force", options.force, "Overwrite a policy that is there");
  device(init, options.device);
  number(init->add_option("--gpus", options.gpus, "Simulated GPUs the program sees (default: 1)"), 1, kMostGpus);
  word(init->add_option("--sim-values", options.sim_values,
                        "What read-backs from the simulated GPU return (JSON, see record --help)"),
       "FILE");
  init->add_option_function<std::string>(
          "--seed", [&options](const std::string& text) { options.seed = std::stoll(text); },
          "Varies modelled times within their spread; the same seed gives the same times")
      ->type_name("N")
      ->transform(CLI::Validator(whole_number(0, kMost), ""));
  how_to_find_steps(init, options.warmup, options.step_pattern);
}

Result<Options> chosen_init(InitOptions options) {
  if (options.files.size() > 1)
    return Error{fmt::format("the command stands behind `--`: zerostall init -- {}", join(options.files, " "))};
  if (!options.files.empty() && !options.command.empty())
    return Error{
        fmt::format("a trace ({}) and a command: `init` takes the counts from one of them", options.files.front())};
  if (options.files.empty() && options.command.empty())
    return Error{"no command given: zerostall init -- python train.py; or name a trace: zerostall init run.zstall"};
  if (!options.files.empty() &&
      (options.gpus != 1 || !options.sim_values.empty() || options.seed || options.device != "auto"))
    return Error{"--device, --gpus, --sim-values and --seed are for running a command, not for a trace"};
  return Options(std::move(options));
}

}  // namespace zerostall::cli
