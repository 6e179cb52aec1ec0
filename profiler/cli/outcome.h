// What a command hands back to main: text for standard output, at most one line of error, and the exit code of
// metrics.md.
#pragma once
#include <string>
#include <utility>

namespace zerostall::cli {

enum class ExitCode : int {
  ok = 0,
  violation = 1,
  bad_use = 2,
  cannot_tell = 3,
  environment = 4,
  interrupted = 130,
};

struct Outcome {
  ExitCode code = ExitCode::ok;
  std::string out;
  std::string error;  // printed to standard error behind "zerostall: "
};

inline Outcome fail(ExitCode code, std::string message) { return {code, {}, std::move(message)}; }

}  // namespace zerostall::cli
