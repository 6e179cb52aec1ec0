#include "profiler/cli/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "profiler/base/files.h"
#include "profiler/base/held_signals.h"
#include "profiler/cli/names.h"

namespace zerostall::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kStandardOutput = "-";

// What people call formats elsewhere.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOtherNames = {{{"markdown", "md"},
                                                                                       {"txt", "text"},
                                                                                       {"xml", "junit"},
                                                                                       {"codequality", "gitlab"},
                                                                                       {"codeclimate", "gitlab"},
                                                                                       {"annotations", "github"},
                                                                                       {"actions", "github"},
                                                                                       {"bmf", "bencher"},
                                                                                       {"htm", "html"}}};

std::string unknown_format(std::string_view format, std::span<const std::string_view> formats) {
  for (const auto& [other, name] : kOtherNames)
    if (format == other && std::find(formats.begin(), formats.end(), name) != formats.end())
      return fmt::format("--out: unknown format '{}', did you mean '{}'?", format, name);
  return "--out: " + unknown_name("format", format, formats);
}

// Whether two names are of one file, there or not yet.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error) && !error) return true;
  const fs::path one = fs::weakly_canonical(a, error), other = fs::weakly_canonical(b, error);
  return !error && one == other;
}

// Why no file of this name can be written; "" = it can.
std::string problem_of(const fs::path& file, std::span<const fs::path> inputs) {
  if (!file.has_filename() || file.filename() == "." || file.filename() == "..")
    return fmt::format("{} names a folder, not a file", file.string());
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  // A link to a terminal or pipe, /dev/stdout above all: the link itself would be replaced.
  std::error_code error;
  if (fs::is_symlink(file, error) && fs::exists(file, error) && !fs::is_regular_file(file, error))
    return fmt::format("{} is not a regular file; - is standard output", file.string());
  if (const auto writable = make_writable_folder(folder); !writable) return writable.error().message;
  if (const auto free = check_replaceable(file); !free) return free.error().message;
  for (const fs::path& input : inputs)
    if (same_file(input, file)) return fmt::format("{} is read by this command: name another file", file.string());
  return {};
}

}  // namespace

bool asks_for(std::span<const std::string> texts, std::string_view format) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.substr(0, text.find('=')) == format; });
}

Result<Outputs> Outputs::make(std::span<const std::string> texts, std::span<const std::string_view> formats,
                              std::span<const fs::path> inputs) {
  Outputs made;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string format = text.substr(0, equals);
    if (std::find(formats.begin(), formats.end(), format) == formats.end())
      return Error{unknown_format(format, formats)};
    if (equals == std::string::npos || equals + 1 == text.size())
      return Error{fmt::format("--out {}: where to? {}=FILE, or {}=- for standard output", format, format, format)};
    const fs::path file = text.substr(equals + 1);
    for (const Output& other : made.outputs_) {
      if (file == kStandardOutput && other.file == kStandardOutput)
        return Error{fmt::format("--out: {} and {} cannot both go to standard output", other.format, format)};
      if (file != kStandardOutput && other.file != kStandardOutput && same_file(file, other.file))
        return Error{fmt::format("--out: {} and {} cannot both go to {}", other.format, format, file.string())};
    }
    if (file != kStandardOutput)
      if (const std::string problem = problem_of(file, inputs); !problem.empty())
        return Error{fmt::format("--out {}: {}", format, problem)};
    made.outputs_.push_back({format, file});
  }
  return made;
}

bool Outputs::has_standard_output() const {
  return std::any_of(outputs_.begin(), outputs_.end(), [](const Output& o) { return o.file == kStandardOutput; });
}

Result<std::string> Outputs::write(const Render& render) const {
  std::string standard_output;
  std::vector<std::pair<const Output*, std::string>> texts;
  for (const Output& output : outputs_) {
    const bool to_file = output.file != kStandardOutput;
    std::string text = render(output.format, to_file);
    if (to_file)
      texts.emplace_back(&output, std::move(text));
    else
      standard_output = std::move(text);
  }
  const HeldSignals held;
  std::vector<NewFile> files;
  for (const auto& [output, text] : texts) {
    auto file = NewFile::make(output->file);
    if (!file) return Error{fmt::format("--out {}: {}", output->format, file.error().message)};
    if (!file->write(text)) return Error{"--out: " + file->finish().error().message};
    files.push_back(std::move(*file));
  }
  for (NewFile& file : files)
    if (const auto finished = file.finish(); !finished) return Error{"--out: " + finished.error().message};
  return standard_output;
}

}  // namespace zerostall::cli
