// Communicators: clocks, non-blocking start, split, shrink, and what happens when ranks disagree or die.
#include <dirent.h>

#include <algorithm>
#include <thread>

#include "tests/faults/fault_count.h"
#include "tests/simgpu/nccl/ranks.h"

namespace zerostall::testing {
namespace {

using Seconds = std::chrono::duration<double>;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return Seconds(std::chrono::steady_clock::now() - begin).count();
}

std::size_t open_files() {
  std::size_t n = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++n;
  closedir(folder);
  return n;
}

TEST(SimNcclLife, ACollectiveEndsWhenTheLatestRankIsThere) {
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    cudaDeviceSynchronize();
    simgpu::simulator().clock.advance(rank ? 50'000'000 : 0);  // rank 1 computes for 50 ms
    Values<int> v({1});
    const std::int64_t begin = simgpu::simulator().clock.now();
    ASSERT_EQ(ncclAllReduce(v.data, v.data, 1, kInt32, kSum, comm, nullptr), kSuccess);
    EXPECT_LT(simgpu::simulator().clock.now() - begin, 1'000'000) << "the host goes on";
    cudaDeviceSynchronize();
    board.numbers[rank] = simgpu::simulator().clock.now();
    ncclAllReduce(v.data, v.data, 1, kInt32, kSum, comm, nullptr);  // both have written
    EXPECT_NEAR(static_cast<double>(board.numbers[0]), static_cast<double>(board.numbers[1]), 10'000.0);
    ncclCommDestroy(comm);
  });
}

TEST(SimNcclLife, NonBlockingCommunicatorsBecomeReady) {
  on_ranks(2, [](Board& board, int rank) {
    const Config config{sizeof(Config), 0xcafebeef, kVersion, 0};
    Handle comm = nullptr;
    if (rank == 0) {
      ASSERT_EQ(ncclGetUniqueId(&board.id), kSuccess);
      EXPECT_EQ(ncclCommInitRankConfig(&comm, 2, board.id, 0, &config), kInProgress);
      int error = kSuccess;
      EXPECT_EQ(ncclCommGetAsyncError(comm, &error), kSuccess);
      EXPECT_EQ(error, kInProgress);
      board.id_there = true;
    } else {
      while (!board.id_there) usleep(200);
      ncclCommInitRankConfig(&comm, 2, board.id, 1, &config);
    }
    int error = kInProgress;
    for (int i = 0; i < 10000 && error == kInProgress; ++i) {
      ncclCommGetAsyncError(comm, &error);
      usleep(500);
    }
    EXPECT_EQ(error, kSuccess);
    Values<int> v({rank + 1});
    EXPECT_EQ(ncclAllReduce(v.data, v.data, 1, kInt32, kSum, comm, nullptr), kSuccess);
    EXPECT_EQ(v.get(), (std::vector<int>{3}));
    ncclCommDestroy(comm);
  });
}

TEST(SimNcclLife, SplitMakesGroupsOrderedByKey) {
  on_ranks(3, [](Board& board, int rank) {
    const std::size_t files = open_files();
    const Handle comm = join(board, rank, 3);
    Handle part = nullptr;
    // ranks 0 and 2, the other way round; rank 1 stays out
    ASSERT_EQ(ncclCommSplit(comm, rank == 1 ? -1 : 4, -rank, &part, nullptr), kSuccess) << ncclGetLastError(comm);
    if (rank == 1) {
      EXPECT_EQ(part, nullptr);
    } else {
      int count = 0, place = -1;
      ncclCommCount(part, &count);
      ncclCommUserRank(part, &place);
      EXPECT_EQ(count, 2);
      EXPECT_EQ(place, rank == 2 ? 0 : 1);
      Values<int> mine({rank}), all(2);
      ASSERT_EQ(ncclAllGather(mine.data, all.data, 1, kInt32, part, nullptr), kSuccess);
      EXPECT_EQ(all.get(), (std::vector<int>{2, 0}));
      ncclCommDestroy(part);
    }
    ncclCommDestroy(comm);
    EXPECT_EQ(open_files(), files) << "nothing is left behind";
  });
}

TEST(SimNcclLife, ShrinkGoesOnWithoutADeadRank) {
  on_ranks(3, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 3);
    if (rank == 1) _exit(0);
    Values<int> v({rank + 1});
    EXPECT_EQ(ncclAllReduce(v.data, v.data, 1, kInt32, kSum, comm, nullptr), kRemoteError);
    int error = kSuccess;
    ncclCommGetAsyncError(comm, &error);
    EXPECT_EQ(error, kRemoteError) << "a watchdog sees it";
    const int lost = 1;
    Handle rest = nullptr;
    ASSERT_EQ(ncclCommShrink(comm, &lost, 1, &rest, nullptr, 1), kSuccess) << ncclGetLastError(comm);
    EXPECT_EQ(ncclAllReduce(v.data, v.data, 1, kInt32, kSum, rest, nullptr), kSuccess);
    EXPECT_EQ(v.get(), (std::vector<int>{4}));
    ncclCommDestroy(rest);
    ncclCommAbort(comm);
  });
}

TEST(SimNcclLife, ADeadPeerIsAnErrorAtOnce) {
  const FaultCount fault("rank_dies", 1);
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    if (rank == 1) _exit(0);
    const auto begin = std::chrono::steady_clock::now();
    Values<int> v({1});
    EXPECT_EQ(ncclRecv(v.data, 1, kInt32, 1, comm, nullptr), kRemoteError);
    EXPECT_LT(seconds_since(begin), 5);
    EXPECT_NE(std::string(ncclGetLastError(comm)).find("rank 1 has ended"), std::string::npos)
        << ncclGetLastError(comm);
    ncclCommAbort(comm);
  });
}

// A step of training, as far as NCCL sees it.
int step(Values<float>& gradients, Handle comm) {
  launch_for(1000);
  return ncclAllReduce(gradients.data, gradients.data, gradients.count, kFloat32, kSum, comm, nullptr);
}

void fails_when_rank_1_dies(const std::function<void()>& die, int doomed) {
  on_ranks(
      3,
      [&](Board& board, int rank) {
        const Handle comm = join(board, rank, 3);
        Values<float> gradients(1000);
        for (int i = 0; i < 20; ++i) ASSERT_EQ(step(gradients, comm), kSuccess);
        if (rank == 1) die();
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_EQ(step(gradients, comm), kRemoteError);
        const std::string text = ncclGetLastError(comm);
        EXPECT_NE(text.find("rank 1 has ended"), std::string::npos) << text;
        EXPECT_NE(text.find("AllReduce"), std::string::npos) << text;
        EXPECT_EQ(step(gradients, comm), kRemoteError) << "and so it stays";
        EXPECT_LT(seconds_since(begin), 10);
        board.stage.fetch_add(1);
        while (board.stage < 2) usleep(1000);  // or the other one sees this rank leave first
        EXPECT_EQ(ncclCommAbort(comm), kSuccess);
      },
      doomed);
}

TEST(SimNcclLife, ARankKilledInTheMiddleFailsAllOthers) {
  const FaultCount fault("rank_dies", 1);
  fails_when_rank_1_dies([] { kill(getpid(), SIGKILL); }, 1);
}

TEST(SimNcclLife, ARankThatExitsInTheMiddleFailsAllOthers) {
  const FaultCount fault("rank_dies", 1);
  fails_when_rank_1_dies([] { _exit(0); }, -1);
}

TEST(SimNcclLife, ASlowRankIsWaitedFor) {
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    Values<int> v({1 + rank});
    if (rank == 1) usleep(2'500'000);  // many looks whether it still lives
    ASSERT_EQ(ncclAllReduce(v.data, v.data, 1, kInt32, kSum, comm, nullptr), kSuccess) << ncclGetLastError(comm);
    EXPECT_EQ(v.get(), std::vector<int>{3});
    ncclCommDestroy(comm);
  });
}

TEST(SimNcclLife, APeerThatAbortsIsAnErrorAtOnce) {
  const FaultCount fault("rank_dies", 1);
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    Values<int> v({1});
    if (rank == 1) {
      EXPECT_EQ(ncclCommAbort(comm), kSuccess);
      while (board.stage == 0) usleep(1000);  // alive all the time
      return;
    }
    EXPECT_EQ(ncclAllReduce(v.data, v.data, 1, kInt32, kSum, comm, nullptr), kRemoteError);
    EXPECT_NE(std::string(ncclGetLastError(comm)).find("aborted"), std::string::npos);
    board.stage = 1;
    ncclCommDestroy(comm);
  });
}

TEST(SimNcclLife, ASilentPeerIsAnErrorAfterTheTimeout) {
  on_ranks(2, [](Board& board, int rank) {
    setenv("ZEROSTALL_SIM_NCCL_TIMEOUT", "1", 1);
    const Handle comm = join(board, rank, 2);
    if (rank == 0) {
      Values<int> v({1});
      EXPECT_EQ(ncclAllReduce(v.data, v.data, 1, kInt32, kSum, comm, nullptr), kRemoteError);
      EXPECT_NE(std::string(ncclGetLastError(comm)).find("timeout"), std::string::npos);
      board.stage = 1;
    }
    while (board.stage == 0) usleep(1000);
    ncclCommAbort(comm);
  });
}

TEST(SimNcclLife, RanksThatCallInDifferentOrderAreToldSo) {
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    Values<int> v({1});
    const int result = rank ? ncclBroadcast(v.data, v.data, 1, kInt32, 0, comm, nullptr)
                            : ncclAllReduce(v.data, v.data, 1, kInt32, kSum, comm, nullptr);
    EXPECT_EQ(result, kInvalidUsage);
    const std::string text = ncclGetLastError(comm);
    EXPECT_NE(text.find("AllReduce"), std::string::npos) << text;
    EXPECT_NE(text.find("Broadcast"), std::string::npos) << text;
    ncclCommAbort(comm);
  });
}

TEST(SimNcclLife, TwoRanksOnOneDeviceAreRefused) {
  on_ranks(2, [](Board& board, int rank) {
    setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    if (rank == 0) {
      ncclGetUniqueId(&board.id);
      board.id_there = true;
    }
    while (!board.id_there) usleep(200);
    Handle comm = nullptr;
    EXPECT_EQ(ncclCommInitRank(&comm, 2, board.id, rank), kInvalidUsage);
    board.stage.fetch_add(1);
    while (board.stage < 2) usleep(200);
  });
}

TEST(SimNcclLife, AnIdWhoseMakerIsGoneIsAnError) {
  on_ranks(2, [](Board& board, int rank) {
    if (rank == 0) {
      ncclGetUniqueId(&board.id);
      board.id_there = true;
      _exit(0);
    }
    while (!board.id_there) usleep(200);
    usleep(50'000);
    Handle comm = nullptr;
    EXPECT_EQ(ncclCommInitRank(&comm, 2, board.id, 1), kSystemError);
  });
}

TEST(SimNcclLife, IdsDifferAndForeignOnesAreRefused) {
  UniqueId a, b;
  ASSERT_EQ(ncclGetUniqueId(&a), kSuccess);
  ASSERT_EQ(ncclGetUniqueId(&b), kSuccess);
  EXPECT_NE(std::memcmp(&a, &b, sizeof a), 0);
  UniqueId foreign{};
  Handle comm = nullptr;
  EXPECT_EQ(ncclCommInitRank(&comm, 2, foreign, 0), kInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&comm, 2, a, 2), kInvalidArgument);
}

TEST(SimNcclLife, AnotherThreadsAbortEndsAWaitingCall) {
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    if (rank == 0) {
      std::thread watchdog([&] {
        usleep(100'000);
        ncclCommAbort(comm);
      });
      Values<int> v({1});
      EXPECT_NE(ncclAllReduce(v.data, v.data, 1, kInt32, kSum, comm, nullptr), kSuccess);
      watchdog.join();
      board.stage = 1;
    }
    while (board.stage == 0) usleep(1000);
  });
}

}  // namespace
}  // namespace zerostall::testing
