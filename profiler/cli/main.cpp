// The whole program in one glance: options in, one command, text and exit code out. Nothing else prints or exits,
// except for the progress lines of a long command.
#include <cstdio>
#include <exception>
#include <string>

#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"
#include "profiler/cli/stat.h"
#include "profiler/cli/verify.h"

namespace {

using namespace zerostall::cli;

Outcome run(int argc, const char* const* argv) {
  const auto options = parse_options(argc, argv);
  if (!options) return fail(ExitCode::bad_use, options.error().message);
  if (const auto* show = std::get_if<ShowOptions>(&*options)) return {ExitCode::ok, show->text, {}};
  if (const auto* stat = std::get_if<StatOptions>(&*options)) return run_stat(*stat);
  return run_verify(std::get<VerifyOptions>(*options));
}

}  // namespace

int main(int argc, char** argv) {
  Outcome outcome;
  try {
    outcome = run(argc, argv);
  } catch (const std::exception& problem) {  // out of memory, mostly
    outcome = fail(ExitCode::environment, std::string("internal problem: ") + problem.what());
  }
  std::fputs(outcome.out.c_str(), stdout);
  if (!outcome.error.empty()) std::fprintf(stderr, "zerostall: %s\n", outcome.error.c_str());
  if (std::fflush(stdout) != 0) return static_cast<int>(ExitCode::environment);  // a full disk behind a redirection
  return static_cast<int>(outcome.code);
}
