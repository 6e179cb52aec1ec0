// Whole files in and out. Errors name the file and the reason.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

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

// Writes to a temporary file in the same folder and renames it: the target is either the old file or the whole new one.
// A failure leaves no temporary file.
Result<Done> write_file(const std::filesystem::path& path, std::string_view content);

// A new folder under the system's place for temporary files, removed with all it holds when the object dies. Move-only.
class TempFolder {
 public:
  static Result<TempFolder> make();

  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&&) = delete;
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TempFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// Creates the folder (and its parents) if it is missing and proves that a file can be written in it.
Result<Done> make_writable_folder(const std::filesystem::path& path);

}  // namespace zerostall
