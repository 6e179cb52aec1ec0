#include "profiler/cli/trace_folder.h"

#include <fmt/format.h>

namespace zerostall::cli {

namespace fs = std::filesystem;

std::variant<TraceFolder, Outcome> TraceFolder::make(const std::string& keep, std::vector<std::string> names) {
  const auto refuse = [](const Error& error) { return fail(ExitCode::bad_use, "--keep: " + error.message); };
  if (keep.empty()) {
    auto made = TempFolder::make();
    if (!made) return fail(ExitCode::environment, made.error().message);
    return TraceFolder(std::move(*made), {}, std::move(names));
  }
  if (const auto writable = make_writable_folder(keep); !writable) return refuse(writable.error());
  // Found out now, not after minutes of running.
  for (const std::string& name : names)
    if (const auto free = check_replaceable(fs::path(keep) / (name + ".zstall")); !free) return refuse(free.error());
  auto made = TempFolder::make_in(keep);
  if (!made) return refuse(made.error());
  return TraceFolder(std::move(*made), keep, std::move(names));
}

Result<Done> TraceFolder::keep() const {
  if (keep_.empty()) return Done{};
  for (const std::string& name : names_)
    if (const auto moved = move_file(trace(name), keep_ / (name + ".zstall")); !moved) return moved.error();
  return Done{};
}

}  // namespace zerostall::cli
