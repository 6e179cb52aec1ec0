// A GPU does not survive fork: the child of a process that has used it gets an error from each call, and never hangs.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "tests/faults/fault_count.h"
#include "tests/simgpu/device.h"
#include "tests/simgpu/rerun.h"

namespace zerostall::testing {
namespace {

// The child's exit code; 128 and more: it was killed, by SIGALRM if it hung.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(SimFork, EveryCallOfTheChildFails) {
  const FaultCount fault("child_of_gpu_user", 1);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 1024), cudaSuccess);
  EXPECT_EQ(in_child([&] {
              int devices = 0;
              void* more = nullptr;
              const bool refused = cudaGetDeviceCount(&devices) == cudaErrorInitializationError &&
                                   cudaMalloc(&more, 1024) == cudaErrorInitializationError &&
                                   cudaFree(memory) == cudaErrorInitializationError &&
                                   cudaStreamSynchronize(nullptr) == cudaErrorInitializationError &&
                                   cudaDeviceReset() == cudaErrorInitializationError;
              int version = 0;
              const bool answered = cudaGetLastError() == cudaErrorInitializationError &&
                                    cudaGetLastError() == cudaSuccess && cudaRuntimeGetVersion(&version) == cudaSuccess;
              return refused && answered ? 7 : 1;
            }),
            7);
  EXPECT_EQ(cudaFree(memory), cudaSuccess) << "the parent goes on";
}

TEST(SimFork, TheChildOfAChildFailsToo) {
  const FaultCount fault("child_of_gpu_user", 1);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(
      in_child([] { return in_child([] { return cudaDeviceSynchronize() == cudaErrorInitializationError ? 7 : 1; }); }),
      7);
}

// Needs a process that has not used the device: run anew.
TEST(SimFork, DISABLED_PrintsWhatAnEarlyChildMayDo) {
  int version = 0, device = 0;
  cudaRuntimeGetVersion(&version);
  cudaGetDevice(&device);
  std::printf("EARLY=%d\n", in_child([] { return cudaDeviceSynchronize() == cudaSuccess ? 7 : 1; }));
}

TEST(SimFork, TheChildOfAProcessThatHasNotUsedTheDeviceMay) {
  const FaultCount fault("child_of_gpu_user", 1);
  EXPECT_EQ(rerun("", "SimFork.DISABLED_PrintsWhatAnEarlyChildMayDo", "EARLY="), "EARLY=7");
}

TEST(SimFork, AHostFunctionThatWaitsDoesNotHangTheChild) {
  const FaultCount fault("child_of_gpu_user", 1);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  static std::atomic<bool> release;
  release = false;
  const auto hold = [](void*) {
    while (!release) std::this_thread::yield();
  };
  launch_for(kLong, stream);
  ASSERT_EQ(cudaLaunchHostFunc(stream, hold, nullptr), cudaSuccess);
  EXPECT_EQ(in_child([] {
              cudaDeviceSynchronize();  // on the worker, which the child does not have
              return 7;
            }),
            7);
  release = true;
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
}  // namespace zerostall::testing
