#include "profiler/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>

#include "profiler/base/strings.h"

namespace zerostall::cli {
namespace {

constexpr const char* kAbout =
    "zerostall counts how often a training step waits for the GPU, and proves that a fix removes the wait.";

constexpr const char* kFooter = R"(Start here:
  zerostall verify flux2                     the FLUX.2 step with each fix off and on; simulated where there is no GPU
  zerostall verify flux2 --size tiny         the same in a few seconds
  zerostall verify flux2 --keep traces       ... and keep the traces
  zerostall stat traces/none.zstall          every step of one of them

`zerostall COMMAND --help` tells all options of a command.)";

constexpr const char* kStatFooter = R"(Words:
  wait          a moment in which the host may wait for the GPU; a copy and the sync behind it are one
  GPU ran dry   waits at whose end the GPU had nothing left to do
  H2D stall     a wait with a copy from host to device
  background    threads that do not work for the step (loaders, loggers)

Exit codes: 0 printed, 2 missing or unrecognised file or bad option, 3 the trace does not hold what was asked for)";

constexpr const char* kVerifyFooter = R"(Settings that are run and compared:
  without --fix: no fix, each fix alone, all fixes      with --fix: no fix, the named fixes together
It passes when each fix removes exactly the waits it claims, in every judged step, and all that is left is declared.

GPU ran dry: waits after which the GPU had nothing left to do until the host launched again; on a simulated GPU this
depends on modelled kernel times.

Examples:
  zerostall verify flux2
  zerostall verify flux2 --size tiny --accum 4
  zerostall verify flux2 --fix bn-pinning --json
  zerostall verify --list                               scenarios, sizes, fixes, device models

Exit codes: 0 pass, 1 a fix does not do what it claims, 2 bad option, 3 cannot tell, 4 no GPU, missing part or failed program)";

constexpr std::int64_t kMost = 1'000'000;  // of anything that is counted on the command line

// A whole number from `least`. Not CLI11's own reading, which takes 010 for eight, nor its range, which would print its
// bounds into every line of the help.
CLI::Option* number(CLI::Option* option, std::int64_t least, std::int64_t most = kMost) {
  const auto check = [=](std::string& text) -> std::string {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ptr != end || parsed.ec == std::errc::invalid_argument)
      return fmt::format("'{}' is not a whole number", text);
    if (parsed.ec != std::errc{} || value < least || value > most)
      return fmt::format("{} is not in the range {} to {}", text, least, most);
    text = fmt::to_string(value);
    return {};
  };
  return option->type_name("N")->transform(CLI::Validator(check, ""));
}

// A text that is there: an empty one is a shell variable that was never set, and must not stand for the default.
CLI::Option* word(CLI::Option* option, const char* type) {
  const auto check = [](std::string& text) { return std::string(text.empty() ? "the value is empty" : ""); };
  return option->type_name(type)->transform(CLI::Validator(check, ""));
}

void add_stat(CLI::App& app, StatOptions& options) {
  CLI::App* stat =
      app.add_subcommand("stat", "Show every step of a recorded trace: waits, syncs, copies, blocked time");
  stat->footer(kStatFooter);
  stat->add_option("FILE", options.file, "A trace (.zstall), as `verify --keep` leaves them")
      ->type_name("")
      ->required();
  stat->add_flag("--json", options.json, "Print JSON (schema zerostall/stat/1)");
  number(stat->add_option("--warmup", options.warmup, "First steps that are shown and not judged (default: 2)"), 0);
  word(stat->add_option("--step-pattern", options.step_pattern,
                        "Names of NVTX ranges that are steps, in traces without zerostall's own marks"),
       "REGEX");
}

void add_verify(CLI::App& app, VerifyOptions& options) {
  CLI::App* verify =
      app.add_subcommand("verify", "Run a training step with fixes off and on, and prove what each fix removes");
  verify->footer(kVerifyFooter);
  verify->add_option("SCENARIO", options.scenario, "The training step to run: flux2")->type_name("");
  word(verify->add_option("--size", options.size, "Model size (default: klein-9b); see --list"), "SIZE");
  number(verify->add_option("--steps", options.steps, "Optimizer updates to run (default: 12)"), 1);
  number(verify->add_option("--warmup", options.warmup, "First steps that are not judged (default: 2)"), 0);
  number(verify->add_option("--batch", options.batch, "Samples per micro-step (default: 2)"), 1, kMostSamples);
  number(verify->add_option("--accum", options.accum, "Micro-steps per update: gradient accumulation (default: 1)"), 1,
         kMostSamples);
  word(verify->add_option("--fix", options.fixes, "A fix to switch on; repeat it for several"), "FIX")
      ->allow_extra_args(false);
  word(verify->add_option("--sabotage", options.sabotage,
                          "FIX or FIX@STEP: break this fix on purpose, from that step on, to see verify catch it"),
       "FIX");
  word(verify->add_option("--device", options.device,
                          "auto, gpu, sim or sim:MODEL; auto (default) takes a GPU where there is one"),
       "DEVICE");
  word(verify->add_option("--keep", options.keep, "Folder to keep the traces in: none.zstall, bn-pinning.zstall ..."),
       "FOLDER");
  verify->add_flag("--json", options.json, "Print JSON (schema zerostall/verify/1)");
  verify->add_flag("--list", options.list, "List scenarios, sizes, fixes and device models, and run nothing");
}

// `help`, `help COMMAND` and `version` are not commands, but everybody knows what they mean.
std::vector<std::string> plain_words_as_options(std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  if (arguments.front() == "version") return {"--version"};
  if (arguments.front() != "help") return arguments;
  if (arguments.size() == 1 || arguments[1] == "help") return {"--help"};
  return {arguments[1], "--help"};
}

// CLI11 would call a mistyped command an unexpected argument; say what was meant instead.
std::string unknown_command(const std::string& word) {
  constexpr std::array<std::string_view, 2> kCommands = {"stat", "verify"};
  if (word.starts_with('-') || std::find(kCommands.begin(), kCommands.end(), word) != kCommands.end()) return {};
  const auto meant = closest_name(word, kCommands);
  return fmt::format("unknown command '{}'{}; commands: {}", word,
                     meant ? fmt::format(", did you mean '{}'?", *meant) : "", join(kCommands, ", "));
}

}  // namespace

Result<Options> parse_options(int argc, const char* const* argv) {
  CLI::App app(kAbout, "zerostall");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("zerostall ") + ZEROSTALL_VERSION, "Print the version");
  app.get_formatter()->column_width(34);
  StatOptions stat;
  VerifyOptions verify;
  add_stat(app, stat);
  add_verify(app, verify);

  if (argc < 2) return Error{"no command given; `zerostall --help` shows what there is"};
  auto arguments = plain_words_as_options({argv + 1, argv + argc});
  if (auto message = unknown_command(arguments.front()); !message.empty()) return Error{std::move(message)};
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return Options(ShowOptions{app.help()});  // of the command, when one was given
  } catch (const CLI::CallForVersion& version) {
    return Options(ShowOptions{std::string(version.what()) + "\n"});
  } catch (const CLI::ParseError& error) {
    const auto used = app.get_subcommands();
    return Error{fmt::format("{} (see `zerostall {}--help`)", last_lines(error.what(), 9),
                             used.empty() ? "" : used.front()->get_name() + " ")};
  }
  if (app.got_subcommand("stat")) return Options(stat);
  if (verify.scenario.empty() && !verify.list)
    return Error{"verify needs a scenario, such as `zerostall verify flux2`; `zerostall verify --list` shows all"};
  return Options(verify);
}

}  // namespace zerostall::cli
