// What a process runs, as far as a trace may tell it: names of program and script, never a value that was passed.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace zerostall::tracer {

struct Command {
  std::string program;  // file name of the executable
  std::string script;  // Python's: path of the script, "-m MODULE", "-c" or "-" (standard input); "" = none, or unknown
  std::optional<std::int64_t> arguments;  // how many the program (the script, where there is one) was given
};

// Of this process.
Command own_command();

// The same from its parts: `arguments` is what /proc/PID/cmdline holds, each ended by a zero byte; `whole` is false
// where that was cut. `tell_path` makes a script's path fit for a trace.
Command read_command(std::string_view program, std::string_view arguments, bool whole,
                     const std::function<std::string(std::string_view)>& tell_path);

}  // namespace zerostall::tracer
