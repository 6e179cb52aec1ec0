// Programs of random calls on random threads, from a seed: for what must hold of every trace.
#pragma once
#include <cstdint>
#include <random>
#include <string>

#include "tests/trace/trace_builder.h"

namespace zerostall::testing {

inline void random_call(TraceBuilder& t, std::mt19937& random) {
  switch (random() % 8) {
    case 0:
      return t.item(4);
    case 1:
      return t.upload(random() % 2 ? 512 : 4096);
    case 2:
      t.sync();
      return;
    case 3:
      t.sync("cudaDeviceSynchronize_v3020", 0);
      return;
    case 4:
      t.copy("cudaMemcpyAsync_v3020", kHostToDevice, 64, random() % 2 ? kPinned : kPageable);
      return;
    default:
      t.launch();
  }
}

// Steps on thread 1, calls of threads 1 to 3 in and between them. `apart`: launches at the borders of steps keep a copy
// of one step and a sync of the next from being one wait.
inline TraceBuilder random_builder(unsigned seed, bool apart = false, int pid = 1) {
  std::mt19937 random(seed);
  TraceBuilder t;
  t.meta = R"({"tool": "test", "clock": "measured", "pid": )" + std::to_string(pid) + "}";
  const auto calls = [&](unsigned most) {
    for (auto n = random() % most; n > 0; --n) {
      t.on_thread(1 + static_cast<std::uint32_t>(random() % 3));
      random_call(t, random);
    }
    t.on_thread(1);
  };
  const auto border = [&] {
    for (std::uint32_t thread = 1; apart && thread <= 3; ++thread) t.on_thread(thread).launch();
    t.on_thread(1);
  };
  for (int step = 0; step < 6; ++step) {
    border();
    t.on_thread(1).step(step, [&] { calls(12); });
    border();
    calls(4);
  }
  return t;
}

}  // namespace zerostall::testing
