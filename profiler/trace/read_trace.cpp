#include "profiler/trace/read_trace.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <string_view>

#include "profiler/trace/format.h"
#include "profiler/trace/import/kineto.h"
#include "profiler/trace/import/nsys.h"
#include "profiler/trace/read_native.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;

Result<std::vector<RawTrace>> read_own(const fs::path& path, const ReadOptions&) {
  auto trace = read_native(path);
  if (!trace) return trace.error();
  std::vector<RawTrace> traces;
  traces.push_back(std::move(*trace));
  return traces;
}

bool is_native(std::string_view start) {
  return start.starts_with(std::string_view(format::kMagic.data(), format::kMagic.size()));
}
bool is_sqlite(std::string_view start) { return start.starts_with(std::string_view("SQLite format 3\0", 16)); }
bool is_json(std::string_view start) {
  if (start.starts_with("\x1f\x8b")) return true;
  if (start.starts_with("\xef\xbb\xbf")) start.remove_prefix(3);
  const auto first = start.find_first_not_of(" \n\r\t");
  return first != std::string_view::npos && (start[first] == '{' || start[first] == '[');
}

struct Format {
  std::string_view name;
  bool (*begins)(std::string_view start);
  Result<std::vector<RawTrace>> (*read)(const fs::path& path, const ReadOptions& options);
};
constexpr std::array kFormats = {
    Format{"zerostall (.zstall)", is_native, read_own},
    Format{"PyTorch profiler or Chrome JSON (.json, .json.gz)", is_json, import_kineto},
    Format{"Nsight Systems SQLite (.sqlite)", is_sqlite, import_nsys},
};

// Files that people try, and what to do with them.
struct Stranger {
  std::string_view begin, advice;
};
constexpr std::array kStrangers = {
    Stranger{std::string_view("\x28\xb5\x2f\xfd"), "it is compressed with zstd: unpack it first, zstd -d FILE"},
    Stranger{std::string_view("PK\x03\x04"), "it is a zip archive: unpack it first"},
    Stranger{std::string_view("BZh"), "it is compressed with bzip2: unpack it first"},
    Stranger{std::string_view("\xfd"
                              "7zXZ"),
             "it is compressed with xz: unpack it first"},
    Stranger{std::string_view("\x7f"
                              "ELF"),
             "it is a program or library: record it with `zerostall record -- COMMAND`"},
};

constexpr std::size_t kStartBytes = 64;

std::string why_unknown(const fs::path& path, std::string_view start) {
  if (start.empty()) return fmt::format("{} is empty", path.string());
  if (path.extension() == ".nsys-rep" || path.extension() == ".qdrep")
    return fmt::format("{} is a report of Nsight Systems: export it first, nsys export --type sqlite {}", path.string(),
                       path.filename().string());
  for (const Stranger& s : kStrangers)
    if (start.starts_with(s.begin)) return fmt::format("{} is no trace: {}", path.string(), s.advice);
  return fmt::format("{} is of no format known here; these are: {}", path.string(), known_formats());
}

}  // namespace

std::string known_formats() {
  std::string text;
  for (const Format& f : kFormats) text += (text.empty() ? "" : ", ") + std::string(f.name);
  return text;
}

Result<std::vector<RawTrace>> read_trace(const fs::path& path, const ReadOptions& options) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return Error{fmt::format("{} is a folder", path.string())};
  // What can be read only once is not asked what it is: only text can be read so.
  if (fs::exists(status) && !fs::is_regular_file(status)) return import_kineto(path, options);
  std::array<char, kStartBytes> bytes{};
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{fmt::format("cannot read {}: {}", path.string(), std::strerror(errno))};
  file.read(bytes.data(), bytes.size());
  const std::string_view start(bytes.data(), static_cast<std::size_t>(file.gcount()));
  for (const Format& f : kFormats)
    if (f.begins(start)) return f.read(path, options);
  if (path.extension() == ".zstall") return read_own(path, options);  // says more
  return Error{why_unknown(path, start)};
}

}  // namespace zerostall
