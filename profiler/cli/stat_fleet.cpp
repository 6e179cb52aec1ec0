#include "profiler/cli/stat_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "profiler/cli/fleet_end.h"
#include "profiler/cli/say.h"
#include "profiler/cli/stat.h"
#include "profiler/fleet/group.h"
#include "profiler/fleet/messages.h"
#include "profiler/fleet/share_out.h"
#include "profiler/record/paths.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;
using fleet::Findings;
using fleet::Presence;
using fleet::SharedFile;

// What of the arguments is there in this process: elsewhere there may be more.
std::vector<fleet::SeenFile> visible(const std::vector<std::string>& arguments) {
  std::vector<fleet::SeenFile> seen;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::error_code error;
    if (!fs::exists(arguments[i], error)) continue;
    const auto files = trace_files(arguments[i]);
    if (!files) continue;
    for (const fs::path& file : *files)
      if (std::none_of(seen.begin(), seen.end(), [&](const auto& other) { return other.path == file.string(); }))
        seen.push_back(fleet::look_at(file, i));
  }
  return seen;
}

bool is_seen(const std::vector<std::vector<fleet::SeenFile>>& seen, std::size_t argument) {
  return std::any_of(seen.begin(), seen.end(), [&](const auto& of_one) {
    return std::any_of(of_one.begin(), of_one.end(), [&](const auto& file) { return file.argument == argument; });
  });
}

// Reads this process's files, and leaves of each what the first process needs.
Findings read_own(const std::vector<SharedFile>& files, std::size_t own, ProcessReader reader) {
  Findings found;
  try {
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].process != own) continue;
      ReadProcesses read;
      reader.read(files[i].file.path, files[i].name, files.size() == 1, read);
      fleet::FileFound& of_file = found.files.emplace_back();
      of_file.file = i;
      for (NamedRun& run : read.runs) of_file.runs.push_back({std::move(run.name), std::move(run.summary)});
      for (UnreadableTrace& bad : read.unreadable)
        of_file.unreadable.push_back({std::move(bad.name), std::move(bad.why)});
    }
  } catch (const std::exception& problem) {  // out of memory, mostly
    found.files.clear();
    found.failure = problem.what();
  }
  return found;
}

Result<ReadProcesses> in_order(std::vector<fleet::FileFound> files) {
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  ReadProcesses all;
  for (fleet::FileFound& file : files) {
    for (fleet::NamedSummary& run : file.runs) all.runs.push_back({std::move(run.name), std::move(run.summary)});
    for (fleet::Unreadable& bad : file.unreadable) all.unreadable.push_back({std::move(bad.name), std::move(bad.why)});
  }
  if (all.unreadable.size() == files.size()) return Error{all.unreadable.front().why};
  return all;
}

class Fleet {
 public:
  Fleet(fleet::Group& group, FleetEnd& end, const StatOptions& options, const StepOptions& steps)
      : group_(group),
        end_(end),
        options_(options),
        steps_(steps),
        paths_(options.files.begin(), options.files.end()) {}

  Outcome run() {
    Presence own = own_presence();
    own.files = visible(options_.files);
    const auto told = group_.gather_for_all(fleet::encode(own));
    if (!told) return broken(told.error());
    std::vector<std::vector<fleet::SeenFile>> seen;
    std::vector<Presence> all;
    for (const std::string& bytes : *told) {
      auto one = fleet::decode_presence(bytes);
      if (!one) return said(fail(ExitCode::environment, could_not(all.size(), one.error().message)));
      seen.push_back(one->files);
      all.push_back(std::move(*one));
    }
    end_.know(std::move(all), group_.rank());
    for (std::size_t i = 0; i < paths_.size(); ++i)
      if (!is_seen(seen, i)) return nowhere(i);
    const auto files = fleet::share_out(seen, trace_comes_first);
    return gather(read_own(files, group_.rank(), stat_reader(options_, steps_)), files.size());
  }

 private:
  std::string could_not(std::size_t process, const std::string& why) const {
    return fmt::format("--mpi: process {} of {} (counted from 0) could not do its part: {}: no summary was made",
                       process, group_.size(), why);
  }
  // Leaving the group like that ends this process before anything else could be said.
  Outcome broken(const Error& why) const {
    const std::string words = end_.last_words();
    if (end_.speaks()) say(words.empty() ? why.message : words);
    return fail(ExitCode::environment, "");
  }
  // Process 0 may be over, and its exit code no 0, before the others have left: they must not take that for a death.
  void leave() {
    end_.done();
    group_.end();
  }
  // Only process 0 speaks.
  Outcome said(Outcome outcome) {
    leave();
    if (group_.rank() != 0) outcome = {};
    return outcome;
  }
  // As one process alone says it.
  Outcome nowhere(std::size_t argument) {
    if (group_.rank() != 0) return said({});
    const auto why = read_processes(paths_, stat_reader(options_, steps_));
    return said(fail(ExitCode::bad_use, why ? fmt::format("cannot read {}", options_.files[argument])  // it came late
                                            : why.error().message));
  }

  Outcome gather(Findings own, std::size_t files) {
    std::vector<fleet::FileFound> found;
    std::string failure;
    const auto take = [&](std::size_t process, Result<Findings> of_one) {
      const std::string why = of_one ? of_one->failure : of_one.error().message;
      if (!why.empty() && failure.empty()) failure = could_not(process, why);
      if (why.empty()) std::move(of_one->files.begin(), of_one->files.end(), std::back_inserter(found));
    };
    const bool first = group_.rank() == 0;
    const std::string message = first ? std::string() : fleet::encode(own);
    if (!first) own = {};
    const auto told = group_.gather(message, [&](std::size_t process, std::string_view bytes) {
      take(process, process == 0 ? Result<Findings>(std::move(own)) : fleet::decode_findings(bytes));
    });
    if (!told) return broken(told.error());
    if (!first || !failure.empty()) return said(fail(ExitCode::environment, failure));
    if (found.size() != files)
      return said(fail(ExitCode::environment,
                       fmt::format("--mpi: {} of {} traces were read: no summary was made", found.size(), files)));
    leave();
    return show_stat(in_order(std::move(found)), paths_, "", options_, steps_);
  }

  fleet::Group& group_;
  FleetEnd& end_;
  const StatOptions& options_;
  const StepOptions& steps_;
  std::vector<fs::path> paths_;
};

}  // namespace

Outcome run_stat_fleet(const StatOptions& options, const StepOptions& steps) {
  const bool speaks = fleet::launched().rank == 0;
  const auto paths = own_paths();
  if (!paths) return fail(ExitCode::environment, speaks ? paths.error().message : "");
  FleetEnd end;
  auto group = fleet::Group::start(paths->mpi);
  if (!group) return fail(ExitCode::environment, speaks ? group.error().message : "");
  return Fleet(*group, end, options, steps).run();
}

}  // namespace zerostall::cli
