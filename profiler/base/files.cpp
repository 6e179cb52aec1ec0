#include "profiler/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

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

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

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

Result<Done> write_file(const fs::path& path, std::string_view content) {
  std::string temporary = path.string() + ".XXXXXX";
  const Descriptor file{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (file.fd < 0) return failed("write", path, errno);
  // mkostemp makes private files; ours are as readable as any other the user creates.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool written = ::fchmod(file.fd, 0666 & ~mask) == 0 && write_all(file.fd, content) &&
                       ::rename(temporary.c_str(), path.c_str()) == 0;
  if (written) return Done{};
  const int error = errno;
  ::unlink(temporary.c_str());
  return failed("write", path, error);
}

Result<TempFolder> TempFolder::make() {
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  if (error) return Error{fmt::format("no folder for temporary files ({}): set TMPDIR", error.message())};
  std::string name = (base / "zerostall-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return failed("make a folder in", base, errno);
  return TempFolder(fs::path(name));
}

TempFolder::TempFolder(TempFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempFolder::~TempFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<Done> make_writable_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error && !fs::is_directory(path))
    return Error{fmt::format("cannot make folder {}: {}", path.string(), error.message())};
  // Permission bits do not tell (root, read-only mounts); a file does.
  std::string probe = (path / ".zerostall-XXXXXX").string();
  const Descriptor file{::mkostemp(probe.data(), O_CLOEXEC)};
  if (file.fd < 0) return failed("write into folder", path, errno);
  ::unlink(probe.c_str());
  return Done{};
}

}  // namespace zerostall
