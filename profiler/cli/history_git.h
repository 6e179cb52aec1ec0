// What git says about the commit that is measured.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/record/signals.h"

namespace zerostall::cli {

struct GitCommit {
  std::string id;  // all of it
  std::vector<std::string> parents;
  std::optional<std::int64_t> committed_at;  // seconds since 1970
};

// Of the repository of the working folder. Nullopt: there is no git, no repository, or no such commit.
std::optional<GitCommit> git_commit(const std::string& name, SignalInbox& inbox);

// The branch that is checked out; "" = none, or not known.
std::string git_branch(SignalInbox& inbox);

}  // namespace zerostall::cli
