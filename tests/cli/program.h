// Runs the zerostall program as a user would.
#pragma once
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/record/child.h"

namespace zerostall::testing {

inline ChildResult run_program(const std::filesystem::path& program, std::vector<std::string> arguments,
                               std::map<std::string, std::string> environment = {}) {
  arguments.insert(arguments.begin(), program.string());
  SignalInbox inbox;
  auto result = run_child({std::move(arguments), std::move(environment)}, inbox);
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

}  // namespace zerostall::testing
