// The traces of one recording: one file, or a folder with one file per process.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/cli/frame_names.h"
#include "profiler/trace/read_trace.h"
#include "reports/named_run.h"

namespace zerostall::cli {

// Files of a trace: the file itself, or what lies in the folder, ranks in order and then the others by name; of a
// folder what is called *.zstall or *.sqlite, is JSON (.gz or not) that begins like a trace, or begins like our own
// traces. Fails for a folder without traces; a file that is no trace is found out by reading it.
Result<std::vector<std::filesystem::path>> trace_files(const std::filesystem::path& path);

using TakeProcess = std::function<void(std::string name, const std::filesystem::path& file, RawTrace)>;

// Calls `take` with each process of traces and folders of traces, one after the other: its name beside the others (with
// its folders where files of several are called alike), its file, and what was recorded of it. Returns the files that
// could not be read; fails where none could, and where one of several paths is not there or is a folder without traces.
Result<std::vector<UnreadableTrace>> for_each_process(const std::vector<std::filesystem::path>& paths,
                                                      const ReadOptions& options, const TakeProcess& take);

// Analyses one. `timeline`: makes its timeline for a page too, as large as one of two may be.
NamedRun named_run(std::string name, RawTrace raw, const SummaryOptions& wanted, const StepOptions& steps,
                   bool timeline);

// Processes that were read and analysed, with the lines of source that are at hand.
struct ReadProcesses {
  std::vector<NamedRun> runs;  // at least one
  std::vector<UnreadableTrace> unreadable;
};

// Reads them file by file, for who shares them out. `wanted` as below; `name`: of the file beside the others; `alone`:
// there are no others.
class ProcessReader {
 public:
  ProcessReader(ReadOptions options, SummaryOptions wanted, StepOptions steps, bool timelines = false)
      : options_(options), wanted_(std::move(wanted)), steps_(std::move(steps)), timelines_(timelines) {}
  // Adds what the file holds, or why it cannot be read.
  void read(const std::filesystem::path& file, const std::string& name, bool alone, ReadProcesses& into);

 private:
  ReadOptions options_;
  SummaryOptions wanted_;
  StepOptions steps_;
  bool timelines_;
  NamesForCauses names_;
};

// `wanted`: an empty path is that of each file; its sources are not used. Fails where nothing could be read.
Result<ReadProcesses> read_processes(const std::vector<std::filesystem::path>& paths, const ReadOptions& options,
                                     const SummaryOptions& wanted, const StepOptions& steps, bool timelines = false);
Result<ReadProcesses> read_processes(const std::vector<std::filesystem::path>& paths, ProcessReader reader);

// The order of the traces of a folder: ranks, then those known by host and local rank, then the others by name.
bool trace_comes_first(const std::filesystem::path& a, const std::filesystem::path& b);

// The newest run*.zstall of a folder: what `record` leaves there. Fails when there is none.
Result<std::filesystem::path> newest_trace(const std::filesystem::path& folder);

// The file that was named, or the newest run of the working folder, which is said: "DOING run.zstall".
Result<std::string> named_or_newest(const std::string& file, std::string_view doing);

// "1 of 3 traces in PATH cannot be read: WHY"; `unreadable` is not empty, `read` were.
std::string why_not_all(const std::vector<UnreadableTrace>& unreadable, std::size_t read, const std::string& path);

// "rank0", "host1-rank0" (a local rank), else "process-4711": how a trace's file is called beside others.
std::string process_name(const TraceMeta& meta);

// Per judged step at most; where that is equal, in all.
bool waits_more(const RunSummary& a, const RunSummary& b);

// Position of the process that waits most per judged step (in all, where no step is judged); the first of equals.
std::size_t worst_process(const std::vector<NamedRun>& runs);

// Position of the process of this rank (a local rank, where no other is known); without a rank the one that waits most.
// Fails where there is none of that rank.
Result<std::size_t> choose_process(const std::vector<NamedRun>& runs, const std::optional<std::int64_t>& rank);

// What --step-pattern asks for; "" = it was not given. Fails where it is no regular expression.
Result<StepOptions> step_options(const std::string& pattern);

// Why a trace has no steps although a pattern was given; nullopt where none was, or it has some.
std::optional<std::string> why_no_match(const StepOptions& options, StepsFrom found, const std::string& file);

// Of a job whose processes know how many they are: which ranks left no trace; "" = all did, or that is not known.
std::string missing_ranks(const std::vector<NamedRun>& runs);

// Of a trace without CUDA calls: what can be said about that. Only a whole trace of a tracer without problems can say
// that the GPU was not used.
std::string why_no_calls(const RunSummary& run);

}  // namespace zerostall::cli
