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
  // 128 + n: signal n told us to stop.
};

struct Outcome {
  ExitCode code = ExitCode::ok;
  std::string out;
  std::string error;  // printed to standard error behind "zerostall: "
};

inline Outcome fail(ExitCode code, std::string message) { return {code, {}, std::move(message)}; }

// Ends like a program that the signal killed: 130 for SIGINT, 143 for SIGTERM, 129 for SIGHUP.
inline Outcome interrupted_by(int signal) { return fail(static_cast<ExitCode>(128 + signal), "interrupted"); }

}  // namespace zerostall::cli
