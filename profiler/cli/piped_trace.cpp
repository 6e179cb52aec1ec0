#include "profiler/cli/piped_trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace zerostall::cli {

Result<PipedTrace> PipedTrace::read() {
  if (::isatty(STDIN_FILENO) != 0)
    return Error{"standard input is a terminal: pipe a trace into it, as in `zstd -dc run.zst | zerostall stat -`"};
  auto folder = TempFolder::make();
  if (!folder) return folder.error();
  PipedTrace trace(std::move(*folder));
  auto file = NewFile::make(trace.path());
  if (!file) return file.error();
  std::vector<char> buffer(std::size_t{1} << 20);
  std::size_t total = 0;
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{fmt::format("cannot read standard input: {}", std::strerror(errno))};
    if (n == 0) break;
    total += static_cast<std::size_t>(n);
    if (!file->write({buffer.data(), static_cast<std::size_t>(n)})) break;  // `finish` says why
  }
  if (auto done = file->finish(); !done)
    return Error{fmt::format("no room for a copy of standard input: {}", done.error().message)};
  if (total == 0) return Error{"standard input is empty: what writes the trace into it failed, or wrote nothing"};
  return trace;
}

std::string PipedTrace::renamed(std::string text) const {
  const std::string name = path().string();
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
    text.replace(at, name.size(), kStandardInput);
  return text;
}

}  // namespace zerostall::cli
