// What a command writes with `--out json=FILE`. (Of what a child prints only the end is kept.)
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace zerostall::testing {

inline nlohmann::json json_written(std::vector<std::string> arguments, int exit_code = 0) {
  const std::string file = ::testing::TempDir() + "written_" + std::to_string(::getpid()) + ".json";
  arguments.insert(arguments.end(), {"--out", "json=" + file});
  const ChildResult result = run_program(ZEROSTALL_PROGRAM, std::move(arguments));
  EXPECT_EQ(result.exit_code, exit_code) << result.err << result.out;
  std::ifstream text(file);
  nlohmann::json report = nlohmann::json::parse(text, nullptr, false);
  std::filesystem::remove(file);
  return report;
}

}  // namespace zerostall::testing
