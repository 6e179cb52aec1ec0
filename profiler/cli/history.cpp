#include "profiler/cli/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/base/strings.h"
#include "profiler/cli/baseline_source.h"
#include "profiler/cli/history_db.h"
#include "profiler/cli/history_git.h"
#include "reports/history_json.h"
#include "reports/history_text.h"

namespace zerostall::cli {
namespace {

// The commit that was named, or HEAD; an error where nothing says which it is.
Result<HistoryCommit> commit_for(const HistoryOptions& options, SignalInbox& inbox) {
  HistoryCommit commit;
  const auto known = git_commit(options.commit.empty() ? "HEAD" : options.commit, inbox);
  if (!known && options.commit.empty())
    return Error{"which commit was run? git does not tell of one here: --commit ID"};
  commit.commit = known ? known->id : options.commit;
  if (known) {
    commit.parents = known->parents;
    commit.committed_at = known->committed_at;
  }
  return commit;
}

// "python3.11 train.py".
std::string program_of(const std::vector<NamedRun>& runs) {
  std::string first;
  for (const NamedRun& run : runs) {
    const TraceMeta& meta = run.summary.meta;
    std::string program = meta.program + (meta.script.empty() ? "" : " " + meta.script);
    if (first.empty() || program < first) first = std::move(program);
  }
  return first;
}

Outcome add(const HistoryOptions& options) {
  SignalInbox inbox;
  const auto policy = policy_for(options.steps);
  if (!policy) return fail(ExitCode::bad_use, policy.error().message);
  const RunSettings& settings = policy->run;
  const auto read = read_traces(options.trace, settings);
  if (!read) return fail(ExitCode::bad_use, read.error().message);
  const Baseline counts = baseline_of(read->runs, settings, read->unreadable);
  if (!counts.doubt.empty())
    return fail(ExitCode::cannot_tell, fmt::format("nothing added, this run has no counts to keep: {}", counts.doubt));
  auto commit = commit_for(options, inbox);
  if (!commit) return fail(ExitCode::bad_use, commit.error().message);
  const HistoryConfiguration configuration{counts.device, program_of(read->runs), std::ssize(read->runs),
                                           options.branch.empty() ? git_branch(inbox) : options.branch};
  const HistoryCommit measured = history_of(counts);
  commit->steps = measured.steps;
  commit->values = measured.values;
  if (inbox.asks_to_stop()) return interrupted_by(inbox.stop_signal());
  auto database = HistoryDatabase::open_to_add(options.database);
  if (!database) return fail(ExitCode::bad_use, database.error().message);
  if (const auto added = database->add(configuration, *commit); !added)
    return fail(ExitCode::bad_use, added.error().message);
  return {ExitCode::ok, fmt::format("{}: {}\n", options.database, history_line(configuration, *commit)), {}};
}

Outcome view(const HistoryOptions& options) {
  auto database = HistoryDatabase::open_to_read(options.database);
  if (!database) return fail(ExitCode::bad_use, database.error().message);
  auto series = database->read();
  if (!series) return fail(ExitCode::bad_use, series.error().message);
  if (!options.branch.empty())
    std::erase_if(*series, [&](const HistorySeries& s) { return s.configuration.branch != options.branch; });
  if (series->empty())
    return fail(ExitCode::bad_use, options.branch.empty()
                                       ? fmt::format("{}: nothing was added yet", options.database)
                                       : fmt::format("{}: nothing of branch {}", options.database, options.branch));
  const HistoryView how{options.metric, static_cast<std::size_t>(options.last)};
  if (options.json) return {ExitCode::ok, render_history_json(*series, how), {}};
  return {ExitCode::ok,
          options.action == HistoryAction::plot ? render_history_plot(*series, how) : render_history_text(*series, how),
          {}};
}

}  // namespace

Outcome run_history(const HistoryOptions& options) {
  return options.action == HistoryAction::add ? add(options) : view(options);
}

}  // namespace zerostall::cli
