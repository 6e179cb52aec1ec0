// Baselines as they stand in repositories: edited by hand, merged by git, or of another program.
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "profiler/gate/baseline_file.h"

namespace {

void promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  __builtin_trap();
}

bool is_one_line(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20) return false;
  return !text.empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto baseline = zerostall::parse_baseline(text, "b.json");
  if (!baseline) {
    promise(baseline.error().message.starts_with("b.json") && is_one_line(baseline.error().message),
            "an error is one line that names the file");
    return 0;
  }
  const std::string written = zerostall::render_baseline(*baseline);
  promise(zerostall::looks_like_baseline(written), "what is written is known again");
  const auto again = zerostall::parse_baseline(written, "b.json");
  promise(again && zerostall::render_baseline(*again) == written, "what was read is written, and reads the same");
  const zerostall::Baseline runs[] = {*baseline, *again};
  zerostall::merged(runs);
  return 0;
}
