// Traces for check_export.py: make_export_traces FOLDER.
#include "tests/reports/export_runs.h"

int main(int, char** argv) {
  using namespace zerostall::testing;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder / "several");
  for (int rank = 0; rank < 2; ++rank) {
    TraceBuilder t = small_run();
    t.meta =
        R"({"tool": "test", "clock": "modelled", "simulated_model": "h200", "rank": )" + std::to_string(rank) + "}";
    t.call("cudaMalloc_v3020").result = 2;
    t.range(
        "bad \xff name\n", [&] { t.launch(); }, "user");
    t.write(folder / "several" / ("rank" + std::to_string(rank) + ".zstall"));
    if (rank == 0) t.write(folder / "one.zstall");
  }
}
