// Where the traces of one `verify` grow, and where they end up.
#pragma once
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "profiler/base/files.h"
#include "profiler/cli/outcome.h"

namespace zerostall::cli {

// A private folder, gone with everything in it when the object dies: other runs can neither see nor spoil what grows
// here.
class TraceFolder {
 public:
  // `keep` is the folder to keep traces in, or "" to keep none; `names` are those of the traces without extension.
  // Fails with code 2 where one of them could not be kept, with code 4 where there is no place for temporary files.
  static std::variant<TraceFolder, Outcome> make(const std::string& keep, std::vector<std::string> names);

  std::filesystem::path trace(const std::string& name) const { return private_.path() / (name + ".zstall"); }
  // Where it ends up; "" = it is not kept.
  std::string kept(const std::string& name) const { return keep_.empty() ? "" : (keep_ / (name + ".zstall")).string(); }
  // The folder on whose file system the traces grow.
  std::filesystem::path place() const { return private_.path().parent_path(); }

  // Puts all traces into the folder to keep, each in one go over an older one of its name; does nothing without one.
  Result<Done> keep() const;

 private:
  TraceFolder(TempFolder folder, std::filesystem::path keep, std::vector<std::string> names)
      : private_(std::move(folder)), keep_(std::move(keep)), names_(std::move(names)) {}
  TempFolder private_;
  std::filesystem::path keep_;
  std::vector<std::string> names_;
};

}  // namespace zerostall::cli
