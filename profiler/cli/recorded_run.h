// Runs a program recorded, for commands that judge what it did (`check`, `init`): its traces are read and, unless they
// are asked for, gone.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "profiler/cli/device.h"
#include "profiler/cli/record_parts.h"
#include "profiler/record/signals.h"

namespace zerostall::cli {

// Where programs run; like the options of `record`.
struct RecorderSettings {
  std::string device = "auto";
  std::int64_t gpus = 1;   // these three: of the simulated GPU, said to be left out on another
  std::string sim_values;  // file; "" = none
  std::optional<std::int64_t> seed;
  bool quiet = false;  // the program's output is shown only where it fails (its last lines), and its input is empty
};

struct RecordedRun {
  std::vector<NamedRun> processes;    // that used CUDA; RunSummary::path is the trace that was kept, "" = none
  std::string why_empty;              // of no processes: one line
  std::vector<std::string> problems;  // why something is missing: what is there cannot pass
  std::string trace;                  // that was kept; "" = none
};

// Of one command of ours there is one, made before anything that starts threads.
class Recorder {
 public:
  // Fails with code 2 for an unknown device or bad values, with code 4 where the device or a part of ours is missing.
  static std::variant<Recorder, Outcome> make(const RecorderSettings& settings);

  const Device& device() const { return device_; }
  SignalInbox& inbox() { return *inbox_; }

  // Runs it to its end, in our terminal; what it prints goes to standard error, so that it does not mix with a report
  // on standard output. `command` is not empty. `keep`: name for its trace, "" = none; never overwrites but for that
  // name, and keeps the trace of a program that failed too. Fails with code 4 where the program cannot start or fails
  // (its own code is in the message), where the tracer could not attach, and with 128 + n where signal n told us to
  // stop. A program that made no CUDA call is no failure.
  std::variant<RecordedRun, Outcome> run(const std::vector<std::string>& command, const RecordingOptions& options,
                                         const std::string& keep = "");

 private:
  Recorder(RecorderSettings settings, InstallPaths paths, Device device, std::unique_ptr<SignalInbox> inbox)
      : settings_(std::move(settings)),
        paths_(std::move(paths)),
        device_(std::move(device)),
        inbox_(std::move(inbox)) {}

  void say_what_simulated(int exit_code, const SimLog& log) const;

  RecorderSettings settings_;
  InstallPaths paths_;
  Device device_;
  std::unique_ptr<SignalInbox> inbox_;
};

}  // namespace zerostall::cli
