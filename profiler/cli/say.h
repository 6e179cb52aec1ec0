// Lines for people on standard error while a command is still at work.
#pragma once
#include <string_view>

namespace zerostall::cli {

// "zerostall: LINE". What cannot be written is lost: a terminal that has gone away must not end the command.
void say(std::string_view line);

}  // namespace zerostall::cli
