// A native trace of so many CUDA events, which are calls and GPU work: make_cuda_trace EVENTS FILE [LAUNCHES], these of
// a step (400). Times vary as real ones do, kernels have 200 names, a tenth of the launches is followed by a read-back.
// Prints JSON: {events, steps}.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/trace/trace_builder.h"

namespace zerostall::testing {
namespace {

constexpr int kNames = 200;  // of kernels

class Maker {
 public:
  explicit Maker(int launches) : launches_(launches) {}
  std::int64_t make(std::int64_t events, const std::string& file) {
    for (int n = 0; n < kNames; ++n)
      names_.push_back("void at::native::kernel_" + std::to_string(n) + "<float, 4>(float*, int)");
    t_.meta = R"({"tool": "test", "clock": "measured", "gpu_records": true, "device": {"name": "NVIDIA H200"}})";
    for (; events_ < events; ++steps_) t_.step(steps_, [&] { step(events); });
    t_.write(file);
    std::printf("{\"events\": %lld, \"steps\": %d}\n", static_cast<long long>(events_), steps_);
    return events_;
  }

 private:
  void step(std::int64_t most) {
    for (int i = 0; i < launches_ && events_ < most; ++i) {
      t_.cost_ns = 3'000 + random(3'000);
      t_.kernel_ns = 3'000 + random(9'000);
      t_.launch(7 + random(2), names_[static_cast<std::size_t>(random(kNames))]);
      events_ += 2;
      if (i % 10 != 9) continue;
      t_.item();
      events_ += 3;
    }
  }

  std::int64_t random(std::int64_t below) {
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((seed_ >> 33) % static_cast<std::uint64_t>(below));
  }

  TraceBuilder t_;
  std::vector<std::string> names_;
  std::int64_t events_ = 0;
  int launches_ = 0;  // of a step
  int steps_ = 0;
  std::uint64_t seed_ = 1;
};

}  // namespace
}  // namespace zerostall::testing

int main(int argc, char** argv) {
  const std::int64_t events = argc == 3 || argc == 4 ? std::atoll(argv[1]) : 0;
  const int launches = argc == 4 ? std::atoi(argv[3]) : 400;
  if (events <= 0 || launches <= 0) return std::fputs("make_cuda_trace EVENTS FILE [LAUNCHES]\n", stderr), 2;
  return zerostall::testing::Maker(launches).make(events, argv[2]) >= events ? 0 : 1;
}
