// NCCL's functions as a program sees them, and running a function on several ranks, each a process of its own.
#pragma once
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/nccl/abi.h"
#include "tests/simgpu/device.h"

namespace zerostall::testing {
using namespace zerostall::simgpu::nccl;
using Handle = void*;  // ncclComm_t
}  // namespace zerostall::testing

extern "C" {
int ncclGetUniqueId(zerostall::simgpu::nccl::UniqueId*);
int ncclCommInitRank(void**, int, zerostall::simgpu::nccl::UniqueId, int);
int ncclCommInitRankConfig(void**, int, zerostall::simgpu::nccl::UniqueId, int, const zerostall::simgpu::nccl::Config*);
int ncclCommInitAll(void**, int, const int*);
int ncclCommSplit(void*, int, int, void**, const zerostall::simgpu::nccl::Config*);
int ncclCommShrink(void*, const int*, int, void**, const zerostall::simgpu::nccl::Config*, int);
int ncclCommCount(void*, int*);
int ncclCommUserRank(void*, int*);
int ncclCommDestroy(void*);
int ncclCommAbort(void*);
int ncclCommGetAsyncError(void*, int*);
const char* ncclGetLastError(void*);
int ncclAllReduce(const void*, void*, std::size_t, int, int, void*, cudaStream_t);
int ncclBroadcast(const void*, void*, std::size_t, int, int, void*, cudaStream_t);
int ncclReduce(const void*, void*, std::size_t, int, int, int, void*, cudaStream_t);
int ncclAllGather(const void*, void*, std::size_t, int, void*, cudaStream_t);
int ncclReduceScatter(const void*, void*, std::size_t, int, int, void*, cudaStream_t);
int ncclAlltoAll(const void*, void*, std::size_t, int, void*, cudaStream_t);
int ncclGather(const void*, void*, std::size_t, int, int, void*, cudaStream_t);
int ncclScatter(const void*, void*, std::size_t, int, int, void*, cudaStream_t);
int ncclSend(const void*, std::size_t, int, int, void*, cudaStream_t);
int ncclRecv(void*, std::size_t, int, int, void*, cudaStream_t);
int ncclGroupStart();
int ncclGroupEnd();
int ncclRedOpCreatePreMulSum(int*, void*, int, int, void*);
int ncclRedOpDestroy(int, void*);
}

namespace zerostall::testing {

// What the ranks of a test share besides NCCL.
struct Board {
  UniqueId id;
  std::atomic<bool> id_there;
  std::atomic<int> stage;
  std::atomic<long long> numbers[8];
};

inline Handle join(Board& board, int rank, int ranks) {
  if (rank == 0) {
    EXPECT_EQ(ncclGetUniqueId(&board.id), kSuccess);
    board.id_there = true;
  }
  while (!board.id_there) usleep(200);
  Handle comm = nullptr;
  EXPECT_EQ(ncclCommInitRank(&comm, ranks, board.id, rank), kSuccess) << ncclGetLastError(nullptr);
  return comm;
}

// Runs `body(board, rank)` in `ranks` processes, each with a device of its own, and reports their failures. The rank
// `doomed` must be killed by SIGKILL.
inline void on_ranks(int ranks, const std::function<void(Board&, int)>& body, int doomed = -1) {
  void* shared = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* board = new (shared) Board{};
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t pid = fork();
    if (pid == 0) {
      setenv("ZEROSTALL_SIM_GPUS", "8", 1);
      setenv("CUDA_VISIBLE_DEVICES", std::to_string(rank).c_str(), 1);
      body(*board, rank);
      fflush(stdout);
      _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    children.push_back(pid);
  }
  for (int rank = 0; rank < ranks; ++rank) {
    int status = 0;
    waitpid(children[static_cast<std::size_t>(rank)], &status, 0);
    if (rank == doomed) {
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "rank " << rank << ": status " << status;
      continue;
    }
    EXPECT_TRUE(WIFEXITED(status)) << "rank " << rank << " was killed by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "rank " << rank;
  }
  munmap(shared, sizeof(Board));
}

// Device memory with known values.
template <class T>
struct Values {
  explicit Values(const std::vector<T>& values) : Values(values.size()) { set(values); }
  explicit Values(std::initializer_list<T> values) : Values(std::vector<T>(values)) {}
  explicit Values(std::size_t n) : count(n) { EXPECT_EQ(cudaMalloc(&data, n * sizeof(T)), cudaSuccess); }
  ~Values() { cudaFree(data); }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  void set(const std::vector<T>& values) {
    EXPECT_EQ(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  std::vector<T> get() const {
    std::vector<T> values(count);
    EXPECT_EQ(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }
  std::size_t count = 0;
  void* data = nullptr;
};

}  // namespace zerostall::testing
