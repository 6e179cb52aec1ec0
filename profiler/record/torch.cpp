#include "profiler/record/torch.h"

#include <fmt/format.h>

#include <sstream>

#include "profiler/base/shown_path.h"
#include "profiler/base/strings.h"
#include "profiler/record/child.h"

namespace zerostall {
namespace {

// Prints one fact a line: Python's version and kind, torch's folder, version, CUDA and ROCm version.
constexpr const char* kScript = R"(
import importlib.util, os, re, sys
print(sys.version.split()[0])
print("conda" if os.path.isdir(os.path.join(sys.prefix, "conda-meta")) else "venv" if sys.prefix != sys.base_prefix else "")
spec = importlib.util.find_spec("torch")
if spec and spec.submodule_search_locations:
    folder = list(spec.submodule_search_locations)[0]
    text = open(os.path.join(folder, "version.py")).read()
    def value(name):
        found = re.search(r"^" + name + r"\b[^=\n]*=\s*['\"]([^'\"]*)['\"]", text, re.M)
        return found.group(1) if found else ""
    print(folder)
    print(value("__version__"))
    print(value("cuda"))
    print(value("hip"))
)";

}  // namespace

Result<TorchFound> find_torch(const std::filesystem::path& python, SignalInbox& inbox) {
  // Not recorded and not simulated, whatever runs around us.
  const auto child = run_child({{python.string(), "-c", kScript}, {}, {"LD_PRELOAD", "CUDA_INJECTION64_PATH"}}, inbox);
  if (!child) return child.error();
  if (child->exit_code != 0)
    return Error{fmt::format("{} does not work: {}", shown_path(python), without_home(last_lines(child->err, 1)))};
  TorchFound found;
  std::istringstream lines(child->out);
  for (std::string* field : {&found.python, &found.kind, &found.folder, &found.version, &found.cuda, &found.hip})
    std::getline(lines, *field);
  return found;
}

}  // namespace zerostall
