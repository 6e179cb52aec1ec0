// Where the traces of one `record` grow, and the name they get in the end: a file for one process, a folder of that
// name for several.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "profiler/base/files.h"
#include "profiler/cli/outcome.h"

namespace zerostall::cli {

// A finished trace and the name it should have in a folder, without extension ("rank0").
struct FinishedTrace {
  std::filesystem::path file;
  std::string name;
};

// A folder, hidden beside the target, gone with everything in it when the object dies.
class TraceOutput {
 public:
  // `named` is what -o names; "" = run.zstall, run-2.zstall ... in the working folder, the first that is free. Fails
  // with code 2 where nothing could be written.
  static std::variant<TraceOutput, Outcome> make(const std::string& named);

  // For traces that nobody keeps: a folder in the system's place for temporary files. Not to be placed or left.
  static std::variant<TraceOutput, Outcome> make_temporary();

  // For the first process; the others add their pid.
  std::filesystem::path growing() const { return private_.path() / "trace"; }
  const std::filesystem::path& wanted() const { return wanted_; }
  // Folder for the simulator's logs.
  std::filesystem::path logs() const { return private_.path() / "logs"; }
  // What the growing traces and their processes have to say (profiler/base/attendance.h).
  struct Processes {
    std::uint32_t began = 0, failed = 0;
    bool known = false;  // false: the folder is gone
  };
  Processes processes() const;
  // What the processes left there, by name.
  std::vector<std::filesystem::path> found() const;

  // Gives the traces (at least one) their name and returns it. Never overwrites, but for what -o names, and that only
  // when `complete` and nobody else wrote it since `make` (the other ranks of a job may each record to one name); else
  // the next free name is taken.
  Result<std::filesystem::path> place(const std::vector<FinishedTrace>& traces, bool complete) const;

  // Keeps the folder where the traces grew, and returns it: for when they cannot be placed.
  std::filesystem::path leave();

 private:
  TraceOutput(TempFolder folder, std::filesystem::path wanted, bool named)
      : private_(std::move(folder)), wanted_(std::move(wanted)), named_(named) {}
  Result<Done> furnish() const;
  TempFolder private_;
  std::filesystem::path wanted_;
  bool named_;
  std::string before_;  // what tells the target as it was at first from any later one; "" = it was not there
};

}  // namespace zerostall::cli
