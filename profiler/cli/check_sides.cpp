// `check --before --after`: both sides on one machine, in turns, so that what else the machine does meets both.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <list>

#include "profiler/base/files.h"
#include "profiler/base/strings.h"
#include "profiler/cli/check_parts.h"
#include "profiler/cli/commit.h"
#include "profiler/cli/policy_source.h"
#include "profiler/cli/say.h"
#include "profiler/record/child.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kRunsForTimes = 3;

struct Sides {
  std::vector<std::string> before, after;          // commands
  std::list<RecordedRun> runs_before, runs_after;  // their summaries are pointed to
  std::vector<std::string> problems;
  bool timelines = false;  // are made for a page
};

// What a shell makes of a command; in a folder, or where we are.
std::vector<std::string> in_shell(const std::string& command) { return {"sh", "-c", command}; }
std::vector<std::string> in_folder(const fs::path& folder, const std::vector<std::string>& command) {
  std::vector<std::string> words = {"sh", "-c", "cd -- \"$0\" && exec \"$@\"", folder.string()};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

// A revision checked out beside the working tree, gone at the end.
class Worktree {
 public:
  Worktree(TempFolder folder, SignalInbox& inbox) : folder_(std::move(folder)), inbox_(&inbox) {}
  Worktree(const Worktree&) = delete;
  Worktree& operator=(const Worktree&) = delete;
  ~Worktree() {
    if (added_) (void)run_child({{"git", "worktree", "remove", "--force", tree().string()}, {}}, *inbox_);
  }
  fs::path tree() const { return folder_.path() / "before"; }

  Result<Done> add(const std::string& revision) {
    const auto child =
        run_child({{"git", "worktree", "add", "--quiet", "--detach", tree().string(), revision}, {}}, *inbox_);
    if (!child) return Error{"--before-rev: " + child.error().message};
    if (child->exit_code != 0) return Error{fmt::format("--before-rev {}: {}", revision, last_lines(child->err, 1))};
    added_ = true;
    return Done{};
  }

 private:
  TempFolder folder_;
  SignalInbox* inbox_;
  bool added_ = false;
};

// Where in the repository we are: the command of the other tree runs at the same place.
fs::path place_in_repository(SignalInbox& inbox) {
  const auto child = run_child({{"git", "rev-parse", "--show-prefix"}, {}}, inbox);
  std::string prefix = child && child->exit_code == 0 ? child->out : "";
  while (!prefix.empty() && (prefix.back() == '\n' || prefix.back() == '/')) prefix.pop_back();
  return prefix;
}

std::optional<Outcome> build(const std::string& command, const fs::path& folder, SignalInbox& inbox) {
  if (command.empty()) return std::nullopt;
  say(fmt::format("building in {}", folder.string()));
  const auto child = run_child({in_folder(folder, in_shell(command)), {}}, inbox);
  if (!child) return fail(ExitCode::environment, "--build: " + child.error().message);
  if (child->interrupted) return interrupted_by(inbox.stop_signal());
  if (child->exit_code == 0) return std::nullopt;
  return fail(ExitCode::environment, fmt::format("--build exited with code {}: {}", child->exit_code,
                                                 last_lines(child->err.empty() ? child->out : child->err, 3)));
}

std::optional<Outcome> run_once(Recorder& recorder, const std::vector<std::string>& command, const Policy& policy,
                                std::string_view side, std::int64_t number, Sides& sides) {
  say(fmt::format("run {}, {}", number, side));
  RecordingOptions options = recording_options(policy);
  options.timelines = sides.timelines;
  auto run = recorder.run(command, options);
  if (auto* failed = std::get_if<Outcome>(&run)) {
    failed->error = fmt::format("{}: {}", side, failed->error);
    return std::move(*failed);
  }
  auto& to = side == "before" ? sides.runs_before : sides.runs_after;
  std::vector<std::vector<NamedRun>*> earlier;
  for (RecordedRun& repetition : to) earlier.push_back(&repetition.processes);
  to.push_back(std::move(std::get<RecordedRun>(run)));
  keep_one_timeline(earlier, to.back().processes);
  for (const std::string& problem : problems_of(to.back()))
    sides.problems.push_back(fmt::format("{}: {}", side, problem));
  return std::nullopt;
}

// Which side goes first changes from turn to turn.
std::optional<Outcome> run_both(Recorder& recorder, const Policy& policy, std::int64_t number, Sides& sides) {
  const bool before_first = number % 2 == 1;
  for (const bool first : {true, false}) {
    const bool before = first == before_first;
    if (auto failed =
            run_once(recorder, before ? sides.before : sides.after, policy, before ? "before" : "after", number, sides))
      return failed;
  }
  return std::nullopt;
}

std::vector<CheckedRun> all_of(const std::list<RecordedRun>& runs) {
  std::vector<CheckedRun> all;
  for (const RecordedRun& run : runs)
    for (const CheckedRun& process : checked(run.processes)) all.push_back(process);
  return all;
}

Baseline baseline_of(const std::list<RecordedRun>& runs, const Policy& policy) {
  std::vector<Baseline> each;
  for (const RecordedRun& run : runs)
    each.push_back(make_baseline(checked(run.processes), policy.run.fewest_steps, policy.run.steps));
  Baseline all = merged(each);
  all.file = "the runs before";
  return all;
}

bool limits_times(const Policy& policy) {
  return std::any_of(policy.budgets.begin(), policy.budgets.end(),
                     [](const Budget& b) { return b.metric->is_time && b.level != Level::off; });
}

// Whether more runs may tell what these did not.
bool is_unclear(const CheckReport& report) {
  return report.verdict != Verdict::violation &&
         std::any_of(report.budgets.begin(), report.budgets.end(),
                     [](const BudgetResult& result) { return result.applies && result.more_runs_help; });
}

CheckReport judge(const Policy& policy, const Sides& sides) {
  const Baseline baseline = baseline_of(sides.runs_before, policy);
  return check(policy, all_of(sides.runs_after), &baseline, today(), all_of(sides.runs_before), sides.problems);
}

std::variant<Sides, Outcome> commands_of(const CheckOptions& options, const Policy& policy, const Worktree* worktree,
                                         SignalInbox& inbox) {
  Sides sides;
  if (worktree == nullptr) {
    sides.before = in_shell(options.before);
    sides.after = in_shell(options.after);
    return sides;
  }
  const fs::path place = worktree->tree() / place_in_repository(inbox);
  if (auto failed = build(options.build, place, inbox)) return std::move(*failed);
  if (auto failed = build(options.build, ".", inbox)) return std::move(*failed);
  sides.before = in_folder(place, policy.run.command);
  sides.after = policy.run.command;
  return sides;
}

}  // namespace

Outcome check_sides(const CheckOptions& options, const Policy& policy, const Outputs& outputs) {
  auto made = Recorder::make(recorder_settings(policy));
  if (auto* failed = std::get_if<Outcome>(&made)) return std::move(*failed);
  auto& recorder = std::get<Recorder>(made);
  std::optional<Worktree> worktree;
  if (!options.before_rev.empty()) {
    auto folder = TempFolder::make();
    if (!folder) return fail(ExitCode::environment, folder.error().message);
    worktree.emplace(std::move(*folder), recorder.inbox());
    if (const auto added = worktree->add(options.before_rev); !added)
      return fail(ExitCode::bad_use, added.error().message);
  }
  auto found = commands_of(options, policy, worktree ? &*worktree : nullptr, recorder.inbox());
  if (auto* failed = std::get_if<Outcome>(&found)) return std::move(*failed);
  auto& sides = std::get<Sides>(found);
  sides.timelines = wants_page(options);
  const std::int64_t first = options.runs.value_or(limits_times(policy) ? kRunsForTimes : 1);
  CheckReport report;
  for (std::int64_t run = 1; run <= first || (run <= options.most_runs && is_unclear(report)); ++run) {
    if (run == first + 1) say("a limit on times is unclear: more runs");
    if (auto failed = run_both(recorder, policy, run, sides)) return std::move(*failed);
    if (run >= first) report = judge(policy, sides);
  }
  report.command = command_line(options, policy);
  report.commit = commit_here(recorder.inbox());
  Timelines timelines;
  for (const auto* runs : {&sides.runs_before, &sides.runs_after})
    for (const RecordedRun& run : *runs) add_timelines(run.processes, timelines);
  return conclude_check(report, all_of(sides.runs_after), all_of(sides.runs_before), timelines, outputs);
}

}  // namespace zerostall::cli
