// `--out FORMAT=FILE`: what a command found, in several formats at once. Which there are, and how each is made, is the
// command's business.
#pragma once
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace zerostall::cli {

// Whether one of these texts, as given, asks for this format: known before anything of them is checked.
bool asks_for(std::span<const std::string> texts, std::string_view format);

class Outputs {
 public:
  // `texts`: as given, "junit=report.xml", "md=-" (standard output). `formats`: names that the command knows. `inputs`:
  // files that must not be replaced. Errors are bad use: no such format, no file, two formats for one file or for
  // standard output, a file that could not be written. Folders that are missing are made; nothing else is touched.
  static Result<Outputs> make(std::span<const std::string> texts, std::span<const std::string_view> formats,
                              std::span<const std::filesystem::path> inputs = {});

  bool empty() const { return outputs_.empty(); }
  // One of them goes to standard output, in place of what the command prints otherwise.
  bool has_standard_output() const;

  // Renders each (`to_file`: false for standard output), writes the files, and returns the text for standard output.
  // All are written before the first gets its name: each file is the old or the whole new one, and where one cannot be
  // written none is replaced. Callers that take signals hold a SignalInbox: half-written files are then removed.
  using Render = std::function<std::string(std::string_view format, bool to_file)>;
  Result<std::string> write(const Render& render) const;

 private:
  struct Output {
    std::string format;
    std::filesystem::path file;  // "-" = standard output
  };
  std::vector<Output> outputs_;
};

}  // namespace zerostall::cli
