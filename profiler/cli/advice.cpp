#include "profiler/cli/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>

#include "profiler/base/shown_path.h"
#include "profiler/base/strings.h"
#include "profiler/record/program.h"
#include "profiler/record/torch.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostSites = 5;

// How CUDA_VISIBLE_DEVICES keeps a program off every GPU; "" = it does not. Of the simulated ones there are `gpus`.
std::string hidden_devices(bool simulated, std::int64_t gpus) {
  const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
  if (variable == nullptr) return {};
  const std::string_view visible = variable;
  if (visible.empty() || visible.starts_with('-'))
    return fmt::format("CUDA_VISIBLE_DEVICES={} hides every GPU", visible);
  std::int64_t first = -1;
  std::from_chars(visible.data(), visible.data() + visible.size(), first);
  if (!simulated || first < gpus) return {};
  return fmt::format("CUDA_VISIBLE_DEVICES={} names a GPU that is not simulated: unset it, or add --gpus {}", visible,
                     first + 1);
}

std::string about_torch(const fs::path& python, SignalInbox& inbox) {
  const auto torch = find_torch(python, inbox);
  if (!torch) return torch.error().message;
  if (torch->version.empty()) return fmt::format("{} has no torch", shown_path(python));
  if (torch->cuda.empty())
    return fmt::format(
        "torch {} in {} is built for the CPU only; install one with CUDA, which needs no GPU: "
        "pip install torch --index-url https://download.pytorch.org/whl/cu130",
        torch->version, shown_path(torch->folder));
  return fmt::format("torch {} has CUDA; does the program put its model and data on \"cuda\"?", torch->version);
}

std::int64_t sum(const std::map<std::string, std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0},
                         [](std::int64_t total, const auto& entry) { return total + entry.second; });
}

// A value of the usual type of that size, to be replaced by one that fits.
std::string example_value(Bytes bytes) {
  if (bytes == 1) return R"("value": true, "type": "bool")";
  if (bytes == 2) return R"("value": 0.7, "type": "bfloat16")";
  if (bytes % 8 == 0) return R"("value": 1, "type": "int64")";
  if (bytes % 4 == 0) return R"("value": 0.7, "type": "float32")";
  return R"("hex": "00")";
}

std::string entry_for(const UnrealSite& site) {
  return fmt::format(R"({{"reads": [{{"at": "{}", "bytes": {}, {}}}]}})", site.match, site.bytes,
                     example_value(site.bytes));
}

void add_sites(const SimLog& log, std::vector<std::string>& lines) {
  lines.push_back("  it read back values that no kernel has computed, and may have tripped over one:");
  for (std::size_t i = 0; i < std::min(log.unreal_sites.size(), kMostSites); ++i) {
    const UnrealSite& site = log.unreal_sites[i];
    lines.push_back(fmt::format("    {} × {} B at {}{}", site.count, site.bytes, site.at,
                                site.range.empty() ? "" : fmt::format(", in range '{}'", site.range)));
  }
  if (log.unreal_sites.size() > kMostSites)
    lines.push_back(fmt::format("    and {} more places", log.unreal_sites.size() - kMostSites));
  lines.push_back("  --sim-values FILE supplies such values; a FILE to start from:");
  lines.push_back("    " + entry_for(log.unreal_sites.front()));
}

}  // namespace

std::string why_no_cuda(const std::vector<std::string>& command, bool simulated, std::int64_t gpus,
                        SignalInbox& inbox) {
  std::string line = "the command made no CUDA call, so there is nothing to count";
  if (const std::string hidden = hidden_devices(simulated, gpus); !hidden.empty()) return line + ": " + hidden;
  const auto program = find_program(command.front());
  if (!program) return line;
  if (simulated && has_static_cudart(*program))
    return line + fmt::format(
                      ": {} looks linked to the static CUDA runtime, which the simulated GPU cannot replace; link the "
                      "shared one (nvcc -cudart shared, CMake: CUDA_RUNTIME_LIBRARY Shared)",
                      command.front());
  if (const auto python = python_of(*program)) line += ": " + about_torch(*python, inbox);
  return line;
}

std::vector<std::string> failure_lines(int exit_code, const SimLog& log, std::int64_t gpus) {
  std::vector<std::string> lines = {
      exit_code > 128 ? fmt::format("the command was ended by signal {} (exit code {})", exit_code - 128, exit_code)
                      : fmt::format("the command ended with exit code {}", exit_code)};
  if (!log.found) return lines;
  if (log.missing_device)
    lines.push_back(fmt::format("  it asked for device {}, there {} {}: record it with --gpus {}", *log.missing_device,
                                gpus == 1 ? "is" : "are", gpus, *log.missing_device + 1));
  if (!log.last_unsupported.empty())
    lines.push_back(fmt::format("  last call that the simulated GPU does not support: {} ({} of {} in all)",
                                log.last_unsupported, counted(sum(log.unsupported), "call"),
                                counted(static_cast<std::int64_t>(log.unsupported.size()), "function")));
  if (!log.unreal_sites.empty())
    add_sites(log, lines);
  else if (log.unreal_readbacks > 0)
    lines.push_back(fmt::format("  {} had no real value, and the program may have tripped over one",
                                counted(log.unreal_readbacks, "read-back")));
  if (lines.size() == 1)
    lines.push_back(
        log.supplied_readbacks > 0
            ? fmt::format("  it called nothing that the simulated GPU does not support; {} got a value of "
                          "--sim-values",
                          counted(log.supplied_readbacks, "read-back"))
            : "  it called nothing that the simulated GPU does not support, and read no value that is not real");
  return lines;
}

}  // namespace zerostall::cli
