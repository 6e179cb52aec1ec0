#include "profiler/cli/trace_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "profiler/base/attendance.h"
#include "profiler/trace/format.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".zstall";
constexpr int kMostNames = 1'000'000;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

// A folder that holds nothing but traces may be replaced by other traces.
bool is_trace_folder(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(path, error))) return false;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() != kExtension || !it->is_regular_file(error)) return false;
  return !error;
}

// Differs for each file or folder that ever had that name; "" = there is none.
std::string identity(const fs::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return {};
  return fmt::format("{}:{}:{}.{:09}", info.st_dev, info.st_ino, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

// A file that holds something, is not called like a trace and is none: a script that was named by mistake.
bool is_something_else(const fs::path& path) {
  std::error_code error;
  if (path.extension() == kExtension) return false;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) == 0) return false;
  std::array<char, format::kMagic.size()> magic{};
  std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
  return magic != format::kMagic;
}

Result<Done> check_target(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(path, error))) {
    if (is_something_else(path))
      return Error{
          fmt::format("cannot replace {}: it is no trace; name another file, or remove it first", path.string())};
    return check_replaceable(path);
  }
  if (is_trace_folder(path)) return Done{};
  return Error{fmt::format("cannot replace {}: it is a folder that holds other things than traces", path.string())};
}

// "run.zstall", 2 -> "run-2.zstall".
fs::path numbered(const fs::path& path, int number) {
  if (number == 1) return path;
  return path.parent_path() / fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string());
}

// errno of a rename that replaces nothing; 0 = done.
int rename_to_free(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system without that flag: another run may come between these two, nothing else.
  if (is_there(to)) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

Result<fs::path> move_to_free_name(const fs::path& from, const fs::path& wanted) {
  int error = EEXIST;
  for (int number = 1; error == EEXIST && number < kMostNames; ++number) {
    const fs::path name = numbered(wanted, number);
    error = rename_to_free(from, name);
    if (error == 0) return name;
  }
  return Error{fmt::format("cannot write {}: {}", wanted.string(), std::strerror(error))};
}

// `aside` is where the old one goes when it cannot be renamed over.
Result<fs::path> move_over(const fs::path& from, const fs::path& to, const fs::path& aside) {
  if (::rename(from.c_str(), to.c_str()) == 0) return to;
  if (::rename(to.c_str(), aside.c_str()) == 0) {
    if (::rename(from.c_str(), to.c_str()) == 0) return to;
    const int error = errno;
    ::rename(aside.c_str(), to.c_str());
    errno = error;
  }
  return Error{fmt::format("cannot write {}: {}", to.string(), std::strerror(errno))};
}

// Two processes can want one name: a rank and a helper that inherited its environment.
Result<Done> gather(const std::vector<FinishedTrace>& traces, const fs::path& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) return Error{fmt::format("cannot make folder {}: {}", folder.string(), error.message())};
  for (const FinishedTrace& trace : traces)
    if (const auto moved = move_to_free_name(trace.file, folder / (trace.name + std::string(kExtension))); !moved)
      return moved.error();
  return Done{};
}

}  // namespace

std::variant<TraceOutput, Outcome> TraceOutput::make(const std::string& named) {
  const auto refuse = [&](const Error& error) {
    return fail(ExitCode::bad_use, (named.empty() ? "" : "-o: ") + error.message);
  };
  fs::path wanted = named.empty() ? fs::path("run.zstall") : fs::path(named);
  if (!wanted.has_filename()) wanted = wanted.parent_path();  // "folder/"
  const fs::path folder = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
  if (const auto writable = make_writable_folder(folder); !writable)
    return refuse({writable.error().message + (named.empty() ? "; -o FILE puts the trace elsewhere" : "")});
  if (!named.empty())
    if (const auto target = check_target(wanted); !target) return refuse(target.error());
  auto made = TempFolder::make_in(fs::absolute(folder).lexically_normal(), true);
  if (!made) return refuse(made.error());
  TraceOutput output(std::move(*made), std::move(wanted), !named.empty());
  output.before_ = identity(output.wanted_);
  if (const auto furnished = output.furnish(); !furnished) return refuse(furnished.error());
  return output;
}

std::variant<TraceOutput, Outcome> TraceOutput::make_temporary() {
  auto made = TempFolder::make();
  if (!made) return fail(ExitCode::environment, made.error().message);
  TraceOutput output(std::move(*made), {}, false);
  if (const auto furnished = output.furnish(); !furnished)
    return fail(ExitCode::environment, furnished.error().message);
  return output;
}

// What recording processes expect to find.
Result<Done> TraceOutput::furnish() const {
  std::error_code error;
  fs::create_directory(logs(), error);
  if (error) return Error{fmt::format("cannot make folder {}: {}", logs().string(), error.message())};
  // Not write_file: that renames. Zeros in full, so that the room is there on a full disk too.
  if (!(std::ofstream(private_.path() / kAttendanceName) << std::string(sizeof(Attendance), '\0')).flush())
    return Error{fmt::format("cannot write into {}", private_.path().string())};
  return Done{};
}

TraceOutput::Processes TraceOutput::processes() const {
  std::array<std::uint32_t, 2> counts{};
  std::ifstream file(private_.path() / kAttendanceName, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(counts.data()), sizeof counts)) return {};
  return {counts[0], counts[1], true};
}

fs::path TraceOutput::leave() {
  const fs::path folder = wanted_.parent_path() / private_.path().filename();
  private_.leave();
  return folder;
}

std::vector<fs::path> TraceOutput::found() const {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(private_.path(), error), end; !error && it != end; it.increment(error))
    if (!it->path().filename().string().starts_with('.') && it->is_regular_file(error)) files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

Result<fs::path> TraceOutput::place(const std::vector<FinishedTrace>& traces, bool complete) const {
  fs::path finished = traces.front().file;
  if (traces.size() > 1) {
    finished = private_.path() / "traces";
    if (const auto gathered = gather(traces, finished); !gathered) return gathered.error();
  }
  if (named_ && complete && !before_.empty() && identity(wanted_) == before_)
    return move_over(finished, wanted_, private_.path() / "replaced");
  return move_to_free_name(finished, wanted_);
}

}  // namespace zerostall::cli
