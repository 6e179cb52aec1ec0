// The traces of a job of so many ranks, one file each: make_rank_traces FOLDER RANKS [STEPS [LAUNCHES]]. What ranks of
// real jobs differ by: rank 0 logs, rank 17 has more to compute, every 64th rank checkpoints; times vary.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/trace/trace_builder.h"

namespace zerostall::testing {
namespace {

class RankTrace {
 public:
  RankTrace(std::int64_t rank, std::int64_t ranks)
      : rank_(rank), seed_(static_cast<std::uint64_t>(rank) * 0x9e3779b97f4a7c15u + 1) {
    t_.meta = R"({"tool": "test", "clock": "measured", "gpu_records": true, "device": {"name": "NVIDIA H200"}, )"
              R"("program": "python3", "script": "train.py", "rank": )" +
              std::to_string(rank) + R"(, "world_size": )" + std::to_string(ranks) + "}";
  }

  void write(int steps, int launches, const std::filesystem::path& folder) {
    for (int n = 0; n < steps; ++n) t_.step(n, [&] { step(n, launches); });
    t_.write(folder / ("rank" + std::to_string(rank_) + ".zstall"));
  }

 private:
  void step(int n, int launches) {
    t_.at("train.py", "step", 21).range("load", [&] { t_.upload(8192); });
    t_.at("train.py", "step", 24).range("forward", [&] { compute(launches); });
    t_.at("train.py", "step", 26).range("backward", [&] { compute(launches); });
    t_.at("train.py", "step", 31).item();
    if (rank_ == 0) t_.at("train.py", "log_metrics", 91).item();
    if (rank_ % 64 == 63 && n % 4 == 3)
      t_.at("checkpoint.py", "save", 12).copy("cudaMemcpy_v3020", kDeviceToHost, 4096, kPageable);
    t_.at("");
  }

  void compute(int launches) {
    for (int i = 0; i < launches; ++i) {
      t_.cost_ns = 3'000 + random(1'000);
      t_.kernel_ns = (rank_ == 17 ? 30'000 : 20'000) + random(1'000);
      t_.launch(7, "void at::native::kernel_" + std::to_string(i % 20) + "<float, 4>(float*, int)");
    }
  }

  std::int64_t random(std::int64_t below) {
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((seed_ >> 33) % static_cast<std::uint64_t>(below));
  }

  TraceBuilder t_;
  std::int64_t rank_;
  std::uint64_t seed_;
};

}  // namespace
}  // namespace zerostall::testing

int main(int argc, char** argv) {
  const int ranks = argc > 2 ? std::atoi(argv[2]) : 0;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 8, launches = argc > 4 ? std::atoi(argv[4]) : 20;
  if (ranks <= 0 || steps <= 0 || launches <= 0)
    return std::fputs("make_rank_traces FOLDER RANKS [STEPS [LAUNCHES]]\n", stderr), 2;
  std::filesystem::create_directories(argv[1]);
  for (int rank = 0; rank < ranks; ++rank) zerostall::testing::RankTrace(rank, ranks).write(steps, launches, argv[1]);
  return 0;
}
