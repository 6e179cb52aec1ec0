// Starts this test program anew with other environment variables, since the simulator reads them once per process.
#pragma once
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

namespace zerostall::testing {

// The line with `key` that the disabled test printed; "" if it printed none. `environment`: "NAME=value NAME=value".
inline std::string rerun(const std::string& environment, const std::string& test, const std::string& key) {
  std::array<char, 4096> self{}, text{};
  if (readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) return "";
  const std::string command =
      environment + " " + std::string(self.data()) + " --gtest_also_run_disabled_tests --gtest_filter=" + test;
  std::string all;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return "";
  while (std::fgets(text.data(), static_cast<int>(text.size()), pipe)) all += text.data();
  pclose(pipe);
  const auto at = all.find(key);
  return at == std::string::npos ? "" : all.substr(at, all.find('\n', at) - at);
}

}  // namespace zerostall::testing
