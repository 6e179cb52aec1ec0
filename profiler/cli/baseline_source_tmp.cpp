#include "profiler/cli/baseline_source.h"
#include "profiler/base/files.h"
#include "profiler/gate/baseline_file.h"
namespace zerostall::cli { Result<Baseline> load_baseline(const std::string& path, const Policy&) {
  auto text = MappedFile::open(path); if (!text) return text.error();
  auto b = text->bytes(); return parse_baseline({reinterpret_cast<const char*>(b.data()), b.size()}, path); } }
