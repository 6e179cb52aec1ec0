// Threads, forks and exits at random points, in processes of their own: none may hang, crash or answer an error that no
// rule explains. What the processes do is decided by the seed; how the threads meet is not, which is the point.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <random>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/simgpu/device.h"
#include "tests/simgpu/rerun.h"

namespace zerostall::testing {
namespace {

constexpr int kThreads = 4, kOperations = 120, kRuns = 8;

std::atomic<int> g_failures{0}, g_functions{0};

void expect(cudaError_t error, const char* call) {
  if (error == cudaSuccess || error == cudaErrorNotReady) return;
  ++g_failures;
  std::printf("FAILED %s: %s\n", call, cudaGetErrorName(error));
}
#define STRESS(call) expect(call, #call)

void count_function(void*) { ++g_functions; }

struct Actor {
  explicit Actor(unsigned seed) : random(seed) {
    STRESS(cudaStreamCreateWithFlags(&stream, seed % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
    STRESS(cudaEventCreate(&event));
  }
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;
  ~Actor() {
    STRESS(cudaEventDestroy(event));
    STRESS(cudaStreamDestroy(stream));
  }
  unsigned pick(unsigned n) { return static_cast<unsigned>(random() % n); }
  std::minstd_rand random;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
};

// To wait for the device while a stream is being captured is an error, of which the capture dies.
std::shared_mutex g_capturing;

void graph(Actor& a) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  {
    std::shared_lock guard(g_capturing);
    STRESS(cudaStreamBeginCapture(a.stream, cudaStreamCaptureModeRelaxed));
    launch_for(1000, a.stream);
    STRESS(cudaLaunchHostFunc(a.stream, count_function, nullptr));
    STRESS(cudaStreamEndCapture(a.stream, &graph));
  }
  STRESS(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) STRESS(cudaGraphLaunch(exec, a.stream));
  STRESS(cudaGraphExecDestroy(exec));
  STRESS(cudaGraphDestroy(graph));
}

void memory(Actor& a) {
  std::array<void*, 3> p{};
  std::array<char, 256> host{};
  STRESS(cudaMallocAsync(&p[0], 4096 + a.pick(1 << 20), a.stream));
  STRESS(cudaMalloc(&p[1], 4096));
  STRESS(cudaMallocHost(&p[2], 4096));
  STRESS(cudaMemsetAsync(p[0], 1, 4096, a.stream));
  STRESS(cudaMemcpyAsync(p[1], p[0], 256, cudaMemcpyDeviceToDevice, a.stream));
  STRESS(cudaMemcpyAsync(p[2], p[1], 256, cudaMemcpyDeviceToHost, a.stream));
  STRESS(cudaMemcpyAsync(host.data(), p[1], host.size(), cudaMemcpyDeviceToHost, a.stream));
  STRESS(cudaFreeAsync(p[0], a.stream));
  STRESS(cudaFree(p[1]));
  STRESS(cudaFreeHost(p[2]));
}

// The child of a thread that forks in the middle of the others' calls; it leaves by exit handlers or without.
void forked(Actor& a) {
  const bool handlers = a.pick(2) == 0;
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    void* p = nullptr;
    const bool refused = cudaMalloc(&p, 64) == cudaErrorInitializationError;
    cudaStreamSynchronize(cudaStreamPerThread);
    handlers ? std::exit(refused ? 0 : 1) : _exit(refused ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0) {
    ++g_failures;
    std::printf("FAILED forked child: status %d\n", status);
  }
}

void act(Actor& a) {
  switch (a.pick(12)) {
    case 0:
      return graph(a);
    case 1:
    case 2:
      return memory(a);
    case 3:
      STRESS(cudaLaunchHostFunc(a.stream, count_function, nullptr));
      return STRESS(cudaStreamSynchronize(a.stream));
    case 4:
      STRESS(cudaEventRecord(a.event, a.stream));
      STRESS(cudaStreamWaitEvent(cudaStreamPerThread, a.event, 0));
      launch_for(1000, cudaStreamPerThread);
      return STRESS(cudaEventQuery(a.event));
    case 5: {
      std::unique_lock guard(g_capturing);
      return STRESS(cudaDeviceSynchronize());
    }
    case 6:
      return a.pick(8) == 0 ? forked(a) : STRESS(cudaStreamSynchronize(cudaStreamPerThread));
    default:
      launch_for(1000 + a.pick(100'000), a.stream);
      STRESS(cudaLaunchHostFunc(a.stream, count_function, nullptr));
  }
}

struct AtExit {  // destroyed after main's locals, as a library's globals are
  pid_t owner = getpid();
  ~AtExit() {
    cudaStreamSynchronize(cudaStreamPerThread);
    if (getpid() != owner) return;
    launch_for(1000, cudaStreamPerThread);
    cudaStreamSynchronize(cudaStreamPerThread);
    std::printf("EXITED=%d\n", g_failures.load());
  }
};

// $ZEROSTALL_STRESS: the seed. Even ones end the process while the other threads still work.
TEST(SimStress, DISABLED_OneProcess) {
  static const AtExit at_exit;
  const auto seed = static_cast<unsigned>(std::atoi(std::getenv("ZEROSTALL_STRESS")));
  alarm(60);
  static std::atomic<bool> leave;
  launch_for(1000, cudaStreamPerThread);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([=] {
      Actor actor(seed * kThreads + t);
      for (int i = 0; i < kOperations && !leave; ++i) act(actor);
      while (seed % 2 == 0 && !leave) act(actor);
    });
  if (seed % 2 == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + seed % 30));
    std::exit(0);
  }
  for (auto& t : threads) t.join();
}

TEST(SimStress, ThreadsForksAndExitsNeitherHangNorCrash) {
  for (int seed = 1; seed <= kRuns; ++seed)
    EXPECT_EQ(rerun("ZEROSTALL_STRESS=" + std::to_string(seed), "SimStress.DISABLED_OneProcess", "EXITED="), "EXITED=0")
        << "ZEROSTALL_STRESS=" << seed;
}

}  // namespace
}  // namespace zerostall::testing
