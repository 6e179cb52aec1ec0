#include "tests/cli/installation.h"

#include <algorithm>

namespace zerostall::testing {
namespace fs = std::filesystem;
namespace {

TempFolder make_folder() {
  auto made = TempFolder::make();
  if (!made) throw std::runtime_error(made.error().message);
  return std::move(*made);
}

void put(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  if (const auto written = write_file(path, content); !written) throw std::runtime_error(written.error().message);
}

}  // namespace

std::string without_warning(std::string text) {
  const std::string warning = kSimulatedWarning;
  return text.starts_with(warning) ? text.substr(warning.size()) : text;
}

Installation::Installation() : folder_(make_folder()) {
  for (const char* name : {"bin", "tmp", "lib/zerostall/simgpu/models"}) fs::create_directories(path(name));
  fs::copy_file(ZEROSTALL_PROGRAM, path("bin/zerostall"));
  fs::copy_file(EMPTY_LIBRARY, path("lib/zerostall/libzerostall_tracer.so"));
  fs::copy_file(EMPTY_LIBRARY, path("lib/zerostall/simgpu/libzerostall_simgpu.so"));
  put(path("lib/zerostall/simgpu/models/h200.json"), "{}");
}

void Installation::use_script(const std::string& text) {
  script_ = path("scenario.sh").string();
  put(script_, "#!/bin/sh\n" + text + "\n");
  fs::permissions(script_, fs::perms::owner_all);
}

void Installation::use_traces(const std::map<std::string, std::string>& bytes_by_setting) {
  for (const auto& [setting, bytes] : bytes_by_setting) put(path("traces/" + setting + ".zstall"), bytes);
  use_script(R"(stem=
while [ $# -gt 0 ]; do
  if [ "$1" = --fix ]; then stem=${stem:+$stem+}$2; fi
  shift
done
cp "$(dirname "$0")/traces/${stem:-none}.zstall" "$ZEROSTALL_TRACE")");
}

std::map<std::string, std::string> Installation::environment() const {
  return {{"ZEROSTALL_SCENARIO_PROGRAM", script_},
          {"TMPDIR", path("tmp").string()},
          {"zerostall", path("bin/zerostall").string()},
          {"here", folder_.path().string()}};
}

ChildResult Installation::run(std::vector<std::string> arguments) const {
  return run_program(path("bin/zerostall"), std::move(arguments), environment());
}

ChildResult Installation::shell(const std::string& text) const {
  return run_program("/bin/sh", {"-c", text}, environment());
}

std::vector<std::string> Installation::files_in(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path(name))) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace zerostall::testing
