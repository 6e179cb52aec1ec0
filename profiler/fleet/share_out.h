// Which process of a job reads which trace.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace zerostall::fleet {

// A file as one process sees it. Two are one and the same, on a shared file system or copied, where all of it is equal:
// path, size, and hash of both ends. What has the same path on two nodes and is not equal are two files.
struct SeenFile {
  std::uint64_t argument = 0;  // position of the path on the command line that led to it
  std::string path;
  std::uint64_t size = 0;
  std::uint64_t ends_hash = 0;  // of the first and the last 64 KiB (FNV-1a); 0 of what cannot be read

  bool operator==(const SeenFile&) const = default;
};

// Looks at a file. What cannot be read has size and hash 0: who takes it finds out why.
SeenFile look_at(const std::filesystem::path& path, std::uint64_t argument);

struct SharedFile {
  SeenFile file;
  std::size_t process = 0;  // that reads it
  std::string name;         // beside the others
};

// `seen`: by process, what each sees. `comes_first`: order of the paths of one argument. The files in the order in
// which one process that sees them all reads them, each with the process that reads it: the only one that sees it, or
// of those that do the one with the fewest bytes to read (of equals the first). Total, and the same wherever it is
// worked out.
std::vector<SharedFile> share_out(std::span<const std::vector<SeenFile>> seen,
                                  bool (*comes_first)(const std::filesystem::path&, const std::filesystem::path&));

}  // namespace zerostall::fleet
