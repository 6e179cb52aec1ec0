// Runs a program with the tracer and the simulated GPU injected, and reads what it left.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "profiler/base/files.h"
#include "profiler/record/exec.h"
#include "profiler/trace/raw_trace.h"
#include "tests/tracer/progress.h"

namespace zerostall::testing {

struct LeftTrace {
  std::string file;     // its name
  std::string problem;  // why it cannot be read; "" = it can
  RawTrace raw;

  std::int64_t calls(std::string_view name) const;  // without version suffix
  std::int64_t calls_of_thread(std::string_view name, std::uint32_t thread) const;
  std::int64_t marks_of_thread(std::uint32_t thread) const;
  std::string notes() const;  // texts, one a line
};

struct Ended {
  int exit_code = -1;  // 128 + n: by signal n
  std::string err;     // what it said there
};

// A folder for one program under test. Its trace is called "trace" (those of later processes "trace.PID").
class SubjectRun {
 public:
  using Environment = std::map<std::string, std::string>;

  SubjectRun();
  ~SubjectRun();

  // Starts it; `traced` false: with the simulated GPU alone.
  void start(std::vector<std::string> argv, Environment more = {}, bool traced = true);
  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Waits for its end. Kills it after a minute.
  Ended wait();
  Ended run(std::vector<std::string> argv, Environment more = {}, bool traced = true);

  std::vector<LeftTrace> traces() const;  // in order of their names
  LeftTrace trace() const;                // the only one; throws when there is another number of them
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  std::filesystem::path traces_folder() const { return folder_.path() / "traces"; }
  Progress& progress() { return *progress_; }

 private:
  TempFolder folder_;
  Progress* progress_ = nullptr;
  pid_t pid_ = 0;
  Fd errors_;
};

}  // namespace zerostall::testing
