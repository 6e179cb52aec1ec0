#include "profiler/trace/import/nsys.h"
namespace zerostall {
Result<std::vector<RawTrace>> import_nsys(const std::filesystem::path& path, const ReadOptions&) {
  return Error{path.string()};
}
}  // namespace zerostall
