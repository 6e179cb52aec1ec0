// A program to be killed: calls and marks on several threads, each noted in the progress file once it is complete.
// Usage: kill_subject KIND; `steps` makes eight marked steps and then waits, `steps-and-ends` ends after them.
#include <cuda_runtime_api.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "profiler/mark/mark.h"
#include "tests/tracer/progress.h"

namespace {

using namespace zerostall::testing;

void pause_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

ThreadProgress* take_slot() {
  Progress* progress = own_progress();
  const std::uint32_t slot = progress->threads++;
  if (slot >= kMostThreads) return nullptr;
  progress->of[slot].id = static_cast<std::uint32_t>(syscall(SYS_gettid));
  return &progress->of[slot];
}

bool call(ThreadProgress& own) {
  if (cudaStreamSynchronize(nullptr) != cudaSuccess) _exit(99);
  return own.calls.add(monotonic_ns());
}

bool mark(ThreadProgress& own, const std::string& text) {
  nvtxMarkA(text.c_str());
  return own.marks.add(monotonic_ns());
}

struct Habit {
  int rounds = -1;   // -1 = for ever
  int pause_ms = 0;  // after each round
  int calls = 1;     // in a round
  int rounds_per_mark = 1;
  bool new_texts = false;  // each mark has a text of its own
};

void work(Habit habit) {
  ThreadProgress* own = take_slot();
  if (own == nullptr) return;
  bool room = true;
  for (int n = 0; room && n != habit.rounds; ++n) {
    if (n % habit.rounds_per_mark == 0) {
      const std::string text = "step " + std::to_string(n);
      room = mark(*own, habit.new_texts ? text + std::string(100, 'x') + std::to_string(n * 7919) : text);
    }
    for (int i = 0; room && i < habit.calls; ++i) room = call(*own);
    if (habit.pause_ms > 0) pause_ms(habit.pause_ms);
  }
  while (habit.rounds < 0) pause_ms(1000);
}

// Threads that come and go, as those of a pool do.
void churn() {
  for (std::uint32_t n = 0; n < kMostThreads - 1; ++n) {
    std::thread([] { work({40, 0, 3}); }).join();
    pause_ms(3);
  }
  for (;;) pause_ms(1000);
}

void together(std::vector<Habit> habits) {
  std::vector<std::thread> all;
  for (const Habit habit : habits) all.emplace_back(work, habit);
  for (auto& thread : all) thread.join();
}

int steps() {
  for (int n = 0; n < 8; ++n) {
    zerostall::mark::Step step(n);
    zerostall::mark::Region train("train");
    cudaStreamSynchronize(nullptr);
  }
  ++own_progress()->waits;  // done with them
  return 0;
}

}  // namespace

int main(int, char** argv) {
  const std::string kind = argv[1];
  if (kind == "steps-and-ends") return steps();
  if (kind == "steps") {
    steps();
    for (;;) pause_ms(1000);
  }
  if (kind == "fast") work({});
  if (kind == "fast-threads") together({{}, {-1, 0, 10}, {-1, 0, 100}});
  if (kind == "slow") work({-1, 7, 2});
  if (kind == "rare-marks") work({-1, 7, 1, 1000});
  if (kind == "churn") churn();
  if (kind == "mixed") together({{-1, 0, 5, 1, true}, {-1, 9, 1}, {-1, 1, 0, 1, true}});
  return 98;
}
