#include "profiler/cli/history_git.h"

#include <charconv>
#include <sstream>

#include "profiler/record/child.h"

namespace zerostall::cli {
namespace {

// Its lines; empty where it fails. Never asks anything, and runs nothing that the repository configures.
std::vector<std::string> git(std::vector<std::string> arguments, SignalInbox& inbox) {
  std::vector<std::string> command = {"git", "--no-pager", "-c", "core.fsmonitor=false"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto result = run_child({command, {{"GIT_TERMINAL_PROMPT", "0"}, {"GIT_OPTIONAL_LOCKS", "0"}}}, inbox);
  if (!result || result->exit_code != 0) return {};
  std::vector<std::string> lines;
  std::istringstream text(result->out);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::optional<GitCommit> git_commit(const std::string& name, SignalInbox& inbox) {
  const auto id = git({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"}, inbox);
  if (id.size() != 1) return std::nullopt;
  GitCommit commit;
  commit.id = id[0];
  const auto shown = git({"show", "-s", "--no-show-signature", "--format=%P%n%ct", commit.id}, inbox);
  if (shown.size() < 2) return commit;
  std::istringstream parents(shown[0]);
  for (std::string parent; parents >> parent;) commit.parents.push_back(parent);
  std::int64_t seconds = 0;
  const auto read = std::from_chars(shown[1].data(), shown[1].data() + shown[1].size(), seconds);
  if (read.ec == std::errc{}) commit.committed_at = seconds;
  return commit;
}

std::string git_branch(SignalInbox& inbox) {
  const auto lines = git({"symbolic-ref", "--quiet", "--short", "HEAD"}, inbox);
  return lines.size() == 1 ? lines[0] : "";
}

}  // namespace zerostall::cli
