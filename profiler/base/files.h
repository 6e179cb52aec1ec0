// Whole files in and out. Errors name the file and the reason.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace zerostall {

// The bytes of a file, mapped read-only for as long as the object lives. Move-only. An empty file has no bytes.
// The bytes are those of the file when it was opened, as long as nobody shortens it.
class MappedFile {
 public:
  // Fails for what is missing, unreadable, or not a regular file.
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  MappedFile(const void* data, std::size_t size) : data_(data), size_(size) {}
  const void* data_ = nullptr;
  std::size_t size_ = 0;
};

// Writes all of it to a descriptor, however often that is interrupted; false with errno set where it cannot be.
bool write_all(int fd, std::string_view content);

// A file that grows under a temporary name in the folder of its target, and gets that name when it is finished: the
// target is either the old file or the whole new one. Until then the object's death removes it. Move-only.
class NewFile {
 public:
  static Result<NewFile> make(const std::filesystem::path& target);

  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  // After a failure all further writing fails, and `finish` says why the first did.
  bool write(std::string_view content);
  // Once: gives the file its name.
  Result<Done> finish();

 private:
  NewFile(int fd, std::string temporary, std::filesystem::path target)
      : fd_(fd), temporary_(std::move(temporary)), target_(std::move(target)) {}
  int fd_ = -1;
  std::string temporary_;  // "" = nothing to remove
  std::filesystem::path target_;
  int error_ = 0;  // errno of the first failure
};

// Writes to a temporary file in the same folder and renames it: the target is either the old file or the whole new one.
// A failure leaves no temporary file, nor do the signals that end a program: the calling thread holds them back.
Result<Done> write_file(const std::filesystem::path& path, std::string_view content);

// A new folder that only this user can enter, removed with all it holds when the object dies. Move-only.
class TempFolder {
 public:
  // Under the system's place for temporary files: TMPDIR and its kin, else /tmp. An empty variable counts as unset.
  static Result<TempFolder> make();
  // In a folder that exists, on its file system, so that what grows in it can be renamed into that folder. Holds a lock
  // in a file of it, so that the next one made there sees when its owner was killed, and removes it. `keep`: not as
  // long as it holds files (kept_folders finds it).
  static Result<TempFolder> make_in(const std::filesystem::path& parent, bool keep = false);

  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&&) = delete;
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();

  const std::filesystem::path& path() const { return path_; }

  // It stays, as if its owner had been killed.
  void leave();

 private:
  explicit TempFolder(std::filesystem::path path, int lock = -1) : path_(std::move(path)), lock_(lock) {}
  std::filesystem::path path_;
  int lock_;  // descriptor; -1 = none
  bool left_ = false;
};

// What killed owners of such folders left in `parent`: those made with `keep` that hold files whose name begins with no
// dot. Sorted.
std::vector<std::filesystem::path> kept_folders(const std::filesystem::path& parent);

// Creates the folder (and its parents) if it is missing and proves that a file can be written in it.
Result<Done> make_writable_folder(const std::filesystem::path& path);

// Can a finished file be renamed to this name? Yes where nothing is yet, and for a file or link we may replace. Found
// out without touching it; only what a rename alone can show (a mount point, an immutable file) stays unseen.
Result<Done> check_replaceable(const std::filesystem::path& path);

// Renames within one file system; replaces a file of that name at once, or fails and leaves both as they were.
Result<Done> move_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace zerostall
