// A private copy of the program in a folder of its own, with scripts in place of the scenario program.
#pragma once
#include <string>
#include <vector>

#include "profiler/base/files.h"
#include "tests/cli/program.h"

namespace zerostall::testing {

// What each simulated command says once.
inline constexpr const char* kSimulatedWarning =
    "zerostall: simulated H200: kernels compute nothing; losses, checkpoints and uploads of this run are meaningless\n";

// What else a command said.
std::string without_warning(std::string text);

class Installation {
 public:
  Installation();

  // Makes `verify` run this shell script instead of the scenario program.
  void use_script(const std::string& text);
  // Makes it run a script that hands out the traces good.at("none"), good.at("bn-pinning+async-loss") ... by its --fix
  // options.
  void use_traces(const std::map<std::string, std::string>& bytes_by_setting);

  ChildResult run(std::vector<std::string> arguments) const;

  // The same from a shell, where $zerostall is the program and $here our folder: for redirections, signals and two at
  // once.
  ChildResult shell(const std::string& text) const;

  // Paths inside.
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  // Names in a folder, sorted. Temporary files of the program land in "tmp".
  std::vector<std::string> files_in(const std::string& name) const;

 private:
  std::map<std::string, std::string> environment() const;
  TempFolder folder_;
  std::string script_;
};

}  // namespace zerostall::testing
