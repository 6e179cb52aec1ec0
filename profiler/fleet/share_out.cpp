#include "profiler/fleet/share_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <set>

#include "profiler/base/strings.h"

namespace zerostall::fleet {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kEnd = std::uint64_t{1} << 16;

struct Candidate {
  SeenFile file;
  std::vector<std::size_t> processes;  // that see it, in order
};

std::string read_piece(std::ifstream& in, std::uint64_t from, std::uint64_t size) {
  std::string piece(size, '\0');
  in.seekg(static_cast<std::streamoff>(from));
  in.read(piece.data(), static_cast<std::streamsize>(size));
  return in ? piece : std::string();
}

// One entry for each file, in the order of reading; of those with one path first what the first process sees.
std::vector<Candidate> merge(std::span<const std::vector<SeenFile>> seen,
                             bool (*comes_first)(const fs::path&, const fs::path&)) {
  std::vector<Candidate> files;
  std::map<std::string, std::vector<std::size_t>> by_path;  // positions in `files`
  for (std::size_t process = 0; process < seen.size(); ++process)
    for (const SeenFile& file : seen[process]) {
      auto& same_path = by_path[file.path];
      const auto known = std::find_if(same_path.begin(), same_path.end(), [&](std::size_t i) {
        return files[i].file.size == file.size && files[i].file.ends_hash == file.ends_hash;
      });
      if (known != same_path.end()) {
        Candidate& one = files[*known];
        one.file.argument = std::min(one.file.argument, file.argument);
        if (one.processes.back() != process) one.processes.push_back(process);
      } else {
        same_path.push_back(files.size());
        files.push_back({file, {process}});
      }
    }
  std::stable_sort(files.begin(), files.end(), [&](const Candidate& a, const Candidate& b) {
    if (a.file.argument != b.file.argument) return a.file.argument < b.file.argument;
    return comes_first(a.file.path, b.file.path);
  });
  return files;
}

// The process of each: first files of which there is no choice, then the largest of the others.
std::vector<std::size_t> processes_for(const std::vector<Candidate>& files, std::size_t processes) {
  std::vector<std::size_t> order(files.size()), chosen(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool free_a = files[a].processes.size() > 1, free_b = files[b].processes.size() > 1;
    return free_a != free_b ? free_b : files[a].file.size > files[b].file.size;
  });
  std::vector<std::uint64_t> load(processes);
  for (const std::size_t i : order) {
    const auto& able = files[i].processes;
    chosen[i] = *std::min_element(able.begin(), able.end(), [&](std::size_t a, std::size_t b) {
      return load[a] != load[b] ? load[a] < load[b] : a < b;
    });
    load[chosen[i]] += files[i].file.size + kEnd;  // empty ones take time too
  }
  return chosen;
}

// By file name; by path where two files are called alike; with who read it where even their paths are equal.
std::vector<std::string> names_of(const std::vector<Candidate>& files, const std::vector<std::size_t>& process) {
  std::set<std::string> names;
  std::map<std::string, int> paths;
  for (const Candidate& one : files) names.insert(fs::path(one.file.path).filename().string()), ++paths[one.file.path];
  std::vector<std::string> all;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const fs::path path = files[i].file.path;
    const bool by_name = names.size() == files.size();
    all.push_back(by_name ? path.filename().string() : path.string());
    if (paths[files[i].file.path] > 1) all.back() += fmt::format(" (of process {})", process[i]);
  }
  return all;
}

}  // namespace

SeenFile look_at(const fs::path& path, std::uint64_t argument) {
  SeenFile seen{argument, path.string(), 0, 0};
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return seen;
  const std::uint64_t size = fs::file_size(path, error);
  std::ifstream in(path, std::ios::binary);
  if (error || !in) return seen;
  const std::uint64_t end = std::min(kEnd, size);
  const std::string head = read_piece(in, 0, end), tail = read_piece(in, size - end, end);
  seen.size = size;
  seen.ends_hash = stable_hash({head, tail});
  return seen;
}

std::vector<SharedFile> share_out(std::span<const std::vector<SeenFile>> seen,
                                  bool (*comes_first)(const fs::path&, const fs::path&)) {
  const auto files = merge(seen, comes_first);
  const auto process = processes_for(files, seen.size());
  const auto names = names_of(files, process);
  std::vector<SharedFile> shared;
  for (std::size_t i = 0; i < files.size(); ++i) shared.push_back({files[i].file, process[i], names[i]});
  return shared;
}

}  // namespace zerostall::fleet
