// Collectives on small buffers give the values real ones give.
#include "tests/simgpu/nccl/ranks.h"

namespace zerostall::testing {
namespace {

template <class T>
std::vector<T> all_reduced(Handle comm, const std::vector<T>& mine, int type, int op) {
  Values<T> in(mine), out(mine.size());
  EXPECT_EQ(ncclAllReduce(in.data, out.data, mine.size(), type, op, comm, nullptr), kSuccess) << ncclGetLastError(comm);
  return out.get();
}

TEST(SimNccl, AllReduceReducesEveryTypeWithEveryOperator) {
  on_ranks(3, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 3);
    const float f = static_cast<float>(rank + 1);
    using Floats = std::vector<float>;
    EXPECT_EQ(all_reduced<float>(comm, {f, -f}, kFloat32, kSum), (Floats{6, -6}));
    EXPECT_EQ(all_reduced<float>(comm, {f, -f}, kFloat32, kProd), (Floats{6, -6}));
    EXPECT_EQ(all_reduced<float>(comm, {f, -f}, kFloat32, kMax), (Floats{3, -1}));
    EXPECT_EQ(all_reduced<float>(comm, {f, -f}, kFloat32, kMin), (Floats{1, -3}));
    EXPECT_EQ(all_reduced<float>(comm, {f, -f}, kFloat32, kAvg), (Floats{2, -2}));
    EXPECT_EQ(all_reduced<double>(comm, {f * 0.5}, kFloat64, kSum), (std::vector<double>{3}));
    EXPECT_EQ(all_reduced<std::int64_t>(comm, {rank - 5}, kInt64, kSum), (std::vector<std::int64_t>{-12}));
    EXPECT_EQ(all_reduced<std::int32_t>(comm, {rank - 5}, kInt32, kAvg), (std::vector<std::int32_t>{-4}));
    EXPECT_EQ(all_reduced<std::uint8_t>(comm, {200}, kUint8, kSum), (std::vector<std::uint8_t>{88})) << "wraps";
    EXPECT_EQ(all_reduced<std::int8_t>(comm, {static_cast<std::int8_t>(-rank)}, kInt8, kMin),
              (std::vector<std::int8_t>{-2}));
    EXPECT_EQ(ncclCommDestroy(comm), kSuccess);
  });
}

TEST(SimNccl, SixteenAndEightBitFloats) {
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    using Halves = std::vector<std::uint16_t>;
    using Bytes = std::vector<std::uint8_t>;
    // 1.0 + 1.0 = 2.0; 65504 + 65504 = infinity; smallest subnormal twice; 2048 + 1 rounds to even
    EXPECT_EQ(all_reduced<std::uint16_t>(comm, {0x3c00, 0x7bff, 0x0001}, kFloat16, kSum),
              (Halves{0x4000, 0x7c00, 0x0002}));
    EXPECT_EQ(all_reduced<std::uint16_t>(comm, {static_cast<std::uint16_t>(rank ? 0x6800 : 0x3c00)}, kFloat16, kSum),
              (Halves{0x6800}));
    EXPECT_EQ(all_reduced<std::uint16_t>(comm, {0x3f80, 0xc040}, kBfloat16, kSum), (Halves{0x4000, 0xc0c0}));
    EXPECT_EQ(all_reduced<std::uint16_t>(comm, {0x3f80}, kBfloat16, kAvg), (Halves{0x3f80}));
    EXPECT_EQ(all_reduced<std::uint8_t>(comm, {0x38, 0x7e}, kFloat8e4m3, kSum), (Bytes{0x40, 0x7f}));  // 448 + 448: NaN
    EXPECT_EQ(all_reduced<std::uint8_t>(comm, {0x3c, 0x7b}, kFloat8e5m2, kSum), (Bytes{0x40, 0x7c}));
    ncclCommDestroy(comm);
  });
}

TEST(SimNccl, PreMulSumScalesEachRanksValues) {
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    float factor = rank ? 10.0f : 0.5f;
    int op = 0;
    ASSERT_EQ(ncclRedOpCreatePreMulSum(&op, &factor, kFloat32, 1, comm), kSuccess);
    EXPECT_EQ(all_reduced<float>(comm, {4}, kFloat32, op), (std::vector<float>{42}));
    EXPECT_EQ(ncclRedOpDestroy(op, comm), kSuccess);
    Values<float> v({1});
    EXPECT_EQ(ncclAllReduce(v.data, v.data, 1, kFloat32, op, comm, nullptr), kInvalidArgument);
    ncclCommDestroy(comm);
  });
}

TEST(SimNccl, DataMovesAsDocumented) {
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    using Ints = std::vector<int>;
    const int ten = 10 * rank;
    Values<int> pair(2), one(1), two(2), four(4);
    const auto again = [&] { pair.set({ten, ten + 1}); };  // values are certain until the next launch only
    again();
    ASSERT_EQ(ncclAllGather(pair.data, four.data, 2, kInt32, comm, nullptr), kSuccess);
    EXPECT_EQ(four.get(), (Ints{0, 1, 10, 11}));
    again();
    ASSERT_EQ(ncclReduceScatter(pair.data, one.data, 1, kInt32, kSum, comm, nullptr), kSuccess);
    EXPECT_EQ(one.get(), (Ints{rank ? 12 : 10}));
    again();
    ASSERT_EQ(ncclAlltoAll(pair.data, two.data, 1, kInt32, comm, nullptr), kSuccess);
    EXPECT_EQ(two.get(), (Ints{rank, 10 + rank}));
    again();
    ASSERT_EQ(ncclBroadcast(pair.data, two.data, 2, kInt32, 1, comm, nullptr), kSuccess);
    EXPECT_EQ(two.get(), (Ints{10, 11}));
    four.set({7, 7, 7, 7});
    again();
    ASSERT_EQ(ncclReduce(pair.data, four.data, 2, kInt32, kMax, 1, comm, nullptr), kSuccess);
    EXPECT_EQ(four.get(), rank ? (Ints{10, 11, 7, 7}) : (Ints{7, 7, 7, 7})) << "only the root's buffer is written";
    again();
    ASSERT_EQ(ncclGather(pair.data, rank ? nullptr : four.data, 2, kInt32, 0, comm, nullptr), kSuccess);
    again();
    ASSERT_EQ(ncclScatter(rank ? pair.data : nullptr, one.data, 1, kInt32, 1, comm, nullptr), kSuccess);
    EXPECT_EQ(one.get(), (Ints{10 + rank}));
    again();
    ASSERT_EQ(ncclAllReduce(pair.data, pair.data, 2, kInt32, kSum, comm, nullptr), kSuccess) << "in place";
    EXPECT_EQ(pair.get(), (Ints{10, 12}));
    ncclCommDestroy(comm);
  });
}

TEST(SimNccl, SendAndReceiveInAGroupExchange) {
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    Values<int> mine({rank + 5}), theirs(1), own(1);
    ncclGroupStart();
    ASSERT_EQ(ncclRecv(theirs.data, 1, kInt32, 1 - rank, comm, nullptr), kSuccess);
    ASSERT_EQ(ncclSend(mine.data, 1, kInt32, 1 - rank, comm, nullptr), kSuccess);
    ASSERT_EQ(ncclSend(mine.data, 1, kInt32, rank, comm, nullptr), kSuccess);  // to itself
    ASSERT_EQ(ncclRecv(own.data, 1, kInt32, rank, comm, nullptr), kSuccess);
    ASSERT_EQ(ncclGroupEnd(), kSuccess);
    EXPECT_EQ(theirs.get(), (std::vector<int>{6 - rank}));
    EXPECT_EQ(own.get(), (std::vector<int>{rank + 5}));
    ncclCommDestroy(comm);
  });
}

TEST(SimNccl, ManyMessagesInFlightStayInOrder) {
  constexpr int kCount = 1000;  // more than the channel holds, of changing size
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    Values<int> buffer(20000);
    for (int i = 0; i < kCount; ++i) {
      const std::size_t n = 1 + static_cast<std::size_t>(i) * 37 % 20000;
      if (rank == 0) {
        buffer.set({i});
        ASSERT_EQ(ncclSend(buffer.data, n, kInt32, 1, comm, nullptr), kSuccess);
      } else {
        ASSERT_EQ(ncclRecv(buffer.data, n, kInt32, 0, comm, nullptr), kSuccess) << ncclGetLastError(comm);
        int first = -1;
        cudaMemcpy(&first, buffer.data, sizeof first, cudaMemcpyDeviceToHost);
      }
    }
    ncclCommDestroy(comm);
  });
}

TEST(SimNccl, ManyCollectivesInARowKeepTheirValuesApart) {
  on_ranks(3, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 3);
    for (int i = 0; i < 500; ++i) {
      ASSERT_EQ(all_reduced<int>(comm, {i + rank}, kInt32, kSum), (std::vector<int>{3 * i + 3})) << i;
      if (rank == i % 3) usleep(100);
    }
    ncclCommDestroy(comm);
  });
}

TEST(SimNccl, WhatWasExchangedStaysKnownThroughCopiesAndLaunches) {
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    Values<std::int64_t> size({100 + rank}), sizes(2), one(1);
    ASSERT_EQ(ncclAllGather(size.data, sizes.data, 1, kInt64, comm, nullptr), kSuccess);
    launch_for(1000);  // compares them, say
    cudaMemcpy(one.data, static_cast<std::int64_t*>(sizes.data) + 1, sizeof(std::int64_t), cudaMemcpyDeviceToDevice);
    launch_for(1000);
    EXPECT_EQ(one.get(), (std::vector<std::int64_t>{101})) << "frameworks read sizes of objects like this";
    Values<float> loss({7}), sum(1);
    launch_for(1000);  // the scalar may be its result: neither input nor result is known
    ASSERT_EQ(ncclAllReduce(loss.data, sum.data, 1, kFloat32, kSum, comm, nullptr), kSuccess);
    EXPECT_EQ(sum.get(), (std::vector<float>{0}));
    ncclCommDestroy(comm);
  });
}

bool is_real(const void* data, std::size_t bytes) { return simgpu::simulator().memory.is_real(data, bytes); }

TEST(SimNccl, WhatAKernelMayHaveComputedIsNeverReal) {
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    Values<std::int64_t> size({100 + rank}), sizes(2), copied(2);
    ASSERT_EQ(ncclAllGather(size.data, sizes.data, 1, kInt64, comm, nullptr), kSuccess);
    EXPECT_TRUE(is_real(sizes.data, 16)) << "uploaded by all ranks";
    if (rank == 1) launch_for(1000);  // may have changed the one rank's size
    ASSERT_EQ(ncclAllGather(size.data, sizes.data, 1, kInt64, comm, nullptr), kSuccess);
    EXPECT_FALSE(is_real(sizes.data, 16));
    ASSERT_EQ(ncclAllReduce(size.data, size.data, 1, kInt64, kSum, comm, nullptr), kSuccess);
    EXPECT_FALSE(is_real(size.data, 8));
    cudaMemcpy(copied.data, sizes.data, 16, cudaMemcpyDeviceToDevice);
    EXPECT_FALSE(is_real(copied.data, 16));
    EXPECT_EQ(copied.get(), (std::vector<std::int64_t>{100, 101})) << "stored: returned, and reported";
    Values<std::uint8_t> text(4), longer(8), texts(16);
    text.set({1, 2, 3, 4});
    cudaMemcpy(longer.data, text.data, 4, cudaMemcpyDeviceToDevice);
    ASSERT_EQ(ncclAllGather(longer.data, texts.data, 8, kUint8, comm, nullptr), kSuccess);
    EXPECT_FALSE(is_real(texts.data, 16)) << "nobody wrote the ends";
    ncclCommDestroy(comm);
  });
}

TEST(SimNccl, ANewOwnersScalarIsNotReadFromAnExchangedSize) {
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    Values<std::int64_t> size({-1}), sizes(2);
    ASSERT_EQ(ncclAllGather(size.data, sizes.data, 1, kInt64, comm, nullptr), kSuccess);
    launch_for(1000);  // writes a loss or a flag to where the sizes were
    float loss = 1;
    bool flag = true;
    cudaMemcpy(&loss, sizes.data, sizeof loss, cudaMemcpyDeviceToHost);
    cudaMemcpy(&flag, sizes.data, sizeof flag, cudaMemcpyDeviceToHost);
    EXPECT_EQ(loss, 0);
    EXPECT_FALSE(flag);
    ncclCommDestroy(comm);
  });
}

TEST(SimNccl, ByteBuffersMayBeLongerThanWhatWasWritten) {
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    using Bytes = std::vector<std::uint8_t>;
    Values<std::uint8_t> text(12), texts(24);  // pickled objects, padded to the longest
    text.set(rank ? Bytes(12, 'b') : Bytes(9, 'a'));
    launch_for(1000);
    ASSERT_EQ(ncclAllGather(text.data, texts.data, 12, kUint8, comm, nullptr), kSuccess);
    Bytes wanted(24, 'b');
    std::fill_n(wanted.begin(), 9, 'a');
    std::fill_n(wanted.begin() + 9, 3, 0);
    EXPECT_EQ(texts.get(), wanted);
    ncclCommDestroy(comm);
  });
}

TEST(SimNccl, LargeBuffersTakeTimeButCarryNoValues) {
  on_ranks(2, [](Board& board, int rank) {
    const Handle comm = join(board, rank, 2);
    constexpr std::size_t kBytes = std::size_t{3600} << 20;
    void* big = nullptr;
    ASSERT_EQ(cudaMalloc(&big, kBytes), cudaSuccess);
    const std::int64_t begin = simgpu::simulator().clock.now();
    ASSERT_EQ(ncclAllReduce(big, big, kBytes, kUint8, kSum, comm, nullptr), kSuccess);
    EXPECT_LT(simgpu::simulator().clock.now() - begin, 100'000) << "enqueuing blocks nobody";
    cudaDeviceSynchronize();
    const double ms = static_cast<double>(simgpu::simulator().clock.now() - begin) / 1e6;
    const auto rate = static_cast<double>(simgpu::simulator().model.link_bytes_per_us);
    EXPECT_NEAR(ms, static_cast<double>(kBytes) / rate / 1000, 0.5);
    ncclCommDestroy(comm);
  });
}

TEST(SimNccl, OneProcessWithTwoDevices) {
  on_ranks(1, [](Board&, int) {
    unsetenv("CUDA_VISIBLE_DEVICES");
    setenv("ZEROSTALL_SIM_GPUS", "2", 1);
    Handle comms[2] = {};
    ASSERT_EQ(ncclCommInitAll(comms, 2, nullptr), kSuccess) << ncclGetLastError(nullptr);
    Values<int> a({1}), b({2});
    ncclGroupStart();
    ncclAllReduce(a.data, a.data, 1, kInt32, kSum, comms[0], nullptr);
    ncclAllReduce(b.data, b.data, 1, kInt32, kSum, comms[1], nullptr);
    ASSERT_EQ(ncclGroupEnd(), kSuccess);
    EXPECT_EQ(a.get(), (std::vector<int>{3}));
    EXPECT_EQ(b.get(), (std::vector<int>{3}));
    for (Handle comm : comms) EXPECT_EQ(ncclCommDestroy(comm), kSuccess);
  });
}

}  // namespace
}  // namespace zerostall::testing
