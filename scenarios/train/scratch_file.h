// A file in the temporary folder that goes away with its owner.
#pragma once
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace zerostall::train {

class ScratchFile {
 public:
  // Throws std::runtime_error, one line, if none can be made.
  ScratchFile() : path_((std::filesystem::temp_directory_path() / "zerostall-scenario-XXXXXX").string()) {
    const int file = ::mkstemp(path_.data());
    if (file < 0) throw std::runtime_error("cannot make a file in the temporary folder; set TMPDIR to one with space");
    ::close(file);
  }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace zerostall::train
