#include "profiler/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "profiler/base/held_signals.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;

Error failed(std::string_view what, const fs::path& path, int error) {
  return Error{fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(error))};
}

// Closes the descriptor when it leaves the scope.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

// Not std::filesystem's: that takes an empty TMPDIR for the name of a folder.
fs::path temporary_place() {
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return "/tmp";
}

Result<std::string> new_folder(const fs::path& pattern) {
  std::string name = pattern.string();
  if (::mkdtemp(name.data()) == nullptr) return failed("make a folder in", pattern.parent_path(), errno);
  return name;
}

constexpr std::string_view kHiddenPrefix = ".zerostall-";
constexpr const char *kLockName = ".lock", *kKeepName = ".keep";

// Locked before it gets its name: nobody can find it unlocked while its owner lives. -1: this file system cannot lock.
int make_lock(const fs::path& folder) {
  const fs::path unnamed = folder / ".lock-new";
  const int file = ::open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  if (::flock(file, LOCK_EX | LOCK_NB) == 0 && ::rename(unnamed.c_str(), (folder / kLockName).c_str()) == 0)
    return file;
  ::unlink(unnamed.c_str());
  ::close(file);
  return -1;
}

// Not its process number: that one may live on another machine or in another container.
bool owner_is_gone(const fs::path& folder) {
  const Descriptor file{::open((folder / kLockName).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC)};
  return file.fd >= 0 && ::flock(file.fd, LOCK_EX | LOCK_NB) == 0;
}

// What killed owners left behind.
std::vector<fs::path> abandoned_folders(const fs::path& parent) {
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with(kHiddenPrefix) && owner_is_gone(it->path()))
      abandoned.push_back(it->path());
  std::sort(abandoned.begin(), abandoned.end());
  return abandoned;
}

bool is_kept(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / kKeepName, error)) return false;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->is_regular_file(error) && !it->path().filename().string().starts_with('.')) return true;
  return false;
}

void remove_abandoned(const fs::path& parent) {
  std::error_code ignored;
  for (const fs::path& folder : abandoned_folders(parent))
    if (!is_kept(folder)) fs::remove_all(folder, ignored);
}

}  // namespace

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

Result<MappedFile> MappedFile::open(const fs::path& path) {
  // O_NONBLOCK: opening a pipe must not hang before fstat can refuse it.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) return failed("read", path, errno);
  struct stat info {};
  if (::fstat(file.fd, &info) != 0) return failed("read", path, errno);
  if (S_ISDIR(info.st_mode)) return Error{fmt::format("cannot read {}: it is a folder", path.string())};
  if (!S_ISREG(info.st_mode)) return Error{fmt::format("cannot read {}: it is not a regular file", path.string())};
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return MappedFile(nullptr, 0);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) return failed("read", path, errno);
  return MappedFile(data, size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<void*>(data_), size_);
}

Result<NewFile> NewFile::make(const fs::path& target) {
  std::string temporary = target.string() + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return failed("write", target, errno);
  NewFile file(fd, std::move(temporary), target);
  // mkostemp makes private files; ours are as readable as any other the user creates.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(fd, 0666 & ~mask) != 0) return failed("write", target, errno);
  return file;
}

NewFile::NewFile(NewFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      temporary_(std::exchange(other.temporary_, {})),
      target_(std::move(other.target_)),
      error_(other.error_) {}

NewFile::~NewFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool NewFile::write(std::string_view content) {
  if (error_ == 0 && !write_all(fd_, content)) error_ = errno;
  return error_ == 0;
}

Result<Done> NewFile::finish() {
  // Some file systems tell of a full disk only here.
  if (::close(std::exchange(fd_, -1)) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0 && ::rename(temporary_.c_str(), target_.c_str()) != 0) error_ = errno;
  if (error_ != 0) return failed("write", target_, error_);
  temporary_.clear();
  return Done{};
}

Result<Done> write_file(const fs::path& path, std::string_view content) {
  const HeldSignals held;
  auto file = NewFile::make(path);
  if (!file) return file.error();
  file->write(content);
  return file->finish();
}

Result<TempFolder> TempFolder::make() {
  const auto made = new_folder(temporary_place() / "zerostall-XXXXXX");
  if (!made) return Error{fmt::format("no folder for temporary files ({}): set TMPDIR", made.error().message)};
  return TempFolder(fs::path(*made));
}

std::vector<fs::path> kept_folders(const fs::path& parent) {
  std::vector<fs::path> folders = abandoned_folders(parent);
  std::erase_if(folders, [](const fs::path& folder) { return !is_kept(folder); });
  return folders;
}

Result<TempFolder> TempFolder::make_in(const fs::path& parent, bool keep) {
  remove_abandoned(parent);
  const auto made = new_folder(parent / (std::string(kHiddenPrefix) + "XXXXXX"));
  if (!made) return made.error();
  if (keep) Descriptor{::open((fs::path(*made) / kKeepName).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
  return TempFolder(fs::path(*made), make_lock(*made));
}

TempFolder::TempFolder(TempFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)), left_(other.left_) {}

void TempFolder::leave() { left_ = true; }

TempFolder::~TempFolder() {
  if (lock_ >= 0) ::close(lock_);
  std::error_code ignored;
  if (!path_.empty() && !left_) fs::remove_all(path_, ignored);
}

Result<Done> make_writable_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (std::error_code unseen; error && !fs::is_directory(path, unseen))
    return Error{fmt::format("cannot make folder {}: {}", path.string(), error.message())};
  // Permission bits do not tell (root, read-only mounts); a file does.
  std::string probe = (path / ".zerostall-XXXXXX").string();
  const Descriptor file{::mkostemp(probe.data(), O_CLOEXEC)};
  if (file.fd < 0) return failed("write into folder", path, errno);
  ::unlink(probe.c_str());
  return Done{};
}

Result<Done> check_replaceable(const fs::path& path) {
  struct stat there {
  }, parent{};
  if (::lstat(path.c_str(), &there) != 0) {
    if (errno == ENOENT) return Done{};
    return failed("replace", path, errno);
  }
  if (S_ISDIR(there.st_mode)) return Error{fmt::format("cannot replace {}: it is a folder", path.string())};
  if (!S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
    return Error{fmt::format("cannot replace {}: it is not a regular file", path.string())};
  // In a sticky folder such as /tmp only the owners of file and folder may rename over a file.
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const uid_t us = ::geteuid();
  if (::stat(folder.c_str(), &parent) == 0 && (parent.st_mode & S_ISVTX) != 0 && us != 0 && us != there.st_uid &&
      us != parent.st_uid)
    return Error{fmt::format("cannot replace {}: it belongs to another user", path.string())};
  return Done{};
}

Result<Done> move_file(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return failed("write", to, errno);
  return Done{};
}

}  // namespace zerostall
