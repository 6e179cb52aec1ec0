// Where an export is written to: standard output, or a new file.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/files.h"
#include "profiler/cli/outcome.h"
#include "profiler/record/signals.h"

namespace zerostall::cli {

class ExportTarget {
 public:
  // `named` is what -o names; "" and "-" = standard output. `inputs` are files that it must not replace. An error is
  // bad use: nothing could be written there.
  static Result<ExportTarget> make(const std::string& named, const std::vector<std::filesystem::path>& inputs);

  bool is_file() const { return !path_.empty(); }
  const std::filesystem::path& path() const { return path_; }

  // False: it cannot be written, or a signal asks us to stop. The first call makes the file, and from then on signals
  // wait until we look for them: what is half written must go.
  bool write(std::string_view piece);
  // Gives the file its name, or says why there is none. Of use after a failed `write` too.
  Outcome finish();

 private:
  std::filesystem::path path_;  // "" = standard output
  std::optional<NewFile> file_;
  std::unique_ptr<SignalInbox> signals_;
  std::string problem_;
};

}  // namespace zerostall::cli
