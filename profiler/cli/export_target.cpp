#include "profiler/cli/export_target.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace zerostall::cli {
namespace fs = std::filesystem;

Result<ExportTarget> ExportTarget::make(const std::string& named, const std::vector<fs::path>& inputs) {
  ExportTarget target;
  if (named.empty() || named == "-") return target;
  target.path_ = named;
  const fs::path folder = target.path_.has_parent_path() ? target.path_.parent_path() : fs::path(".");
  if (const auto writable = make_writable_folder(folder); !writable) return Error{"-o: " + writable.error().message};
  if (!target.path_.has_filename()) return Error{fmt::format("-o: {} names a folder, not a file", named)};
  if (const auto free = check_replaceable(target.path_); !free) return Error{"-o: " + free.error().message};
  for (const fs::path& input : inputs) {
    std::error_code error;
    if (fs::equivalent(input, target.path_, error) && !error)
      return Error{fmt::format("-o: {} is the trace itself; give the export another name", named)};
  }
  return target;
}

bool ExportTarget::write(std::string_view piece) {
  if (!problem_.empty()) return false;
  if (!is_file()) {
    if (write_all(STDOUT_FILENO, piece)) return true;
    problem_ = std::strerror(errno);
    return false;
  }
  if (!file_) {
    signals_ = std::make_unique<SignalInbox>();
    auto made = NewFile::make(path_);
    if (!made) {
      problem_ = made.error().message;
      return false;
    }
    file_.emplace(std::move(*made));
  }
  return !signals_->asks_to_stop() && file_->write(piece);
}

Outcome ExportTarget::finish() {
  if (!is_file()) {
    if (problem_.empty()) return {};
    return fail(ExitCode::environment, "cannot write to standard output: " + problem_);
  }
  if (signals_ && signals_->asks_to_stop()) {
    file_.reset();
    return interrupted_by(signals_->stop_signal());
  }
  if (!problem_.empty()) return fail(ExitCode::bad_use, problem_);
  if (const auto finished = file_->finish(); !finished) return fail(ExitCode::bad_use, finished.error().message);
  return {};
}

}  // namespace zerostall::cli
