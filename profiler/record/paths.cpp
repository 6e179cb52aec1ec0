#include "profiler/record/paths.h"

#include <fmt/format.h>

#include <algorithm>

namespace zerostall {

namespace fs = std::filesystem;

InstallPaths paths_beside(const fs::path& bin) {
  const fs::path lib = bin.parent_path() / "lib" / "zerostall";
  return {lib / "libzerostall_tracer.so", lib / "zerostall-scenario", lib / "simgpu" / "libzerostall_simgpu.so",
          lib / "simgpu" / "models", lib / "libzerostall_mpi.so"};
}

Result<InstallPaths> own_paths() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Error{fmt::format("cannot find the program's own folder (/proc/self/exe: {})", error.message())};
  return paths_beside(self.parent_path());
}

std::vector<std::string> model_names(const InstallPaths& paths) {
  std::vector<std::string> names;
  std::error_code error;
  if (!fs::exists(paths.simulator, error)) return names;
  for (fs::directory_iterator it(paths.models, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".json") names.push_back(it->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace zerostall
