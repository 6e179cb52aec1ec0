// A trace that comes on standard input.
#pragma once
#include <filesystem>
#include <string>

#include "profiler/base/files.h"
#include "profiler/base/result.h"

namespace zerostall::cli {

inline constexpr const char* kStandardInput = "standard input";  // its name in texts

// A copy of it in a private folder, which goes when this object does: readers look at a file more than once. Fails for
// a terminal, for nothing, and where it cannot be read or kept.
class PipedTrace {
 public:
  static Result<PipedTrace> read();
  std::filesystem::path path() const { return folder_.path() / "trace"; }
  // A text about the copy, as one about standard input.
  std::string renamed(std::string text) const;

 private:
  explicit PipedTrace(TempFolder folder) : folder_(std::move(folder)) {}
  TempFolder folder_;
};

}  // namespace zerostall::cli
