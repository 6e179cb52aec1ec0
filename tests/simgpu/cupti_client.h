// A CUPTI client for tests: gathers records of all kinds, on whatever thread they are handed over.
#pragma once
#include <cupti.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/simgpu/device.h"

namespace zerostall::testing {

class CuptiClient : public ::testing::Test {
 public:
  void SetUp() override {
    current() = this;
    ASSERT_EQ(cuptiActivityRegisterCallbacks(on_request, on_complete), CUPTI_SUCCESS);
  }
  void TearDown() override {
    cuptiActivityFlushAll(1);
    cuptiFinalize();
    std::size_t dropped = 0;
    cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
    cudaDeviceSynchronize();
  }

  void enable(CUpti_ActivityKind kind) { ASSERT_EQ(cuptiActivityEnable(kind), CUPTI_SUCCESS) << kind; }

  // The records of a kind so far, flushed. The layouts are those of CUDA 13.
  template <class Record>
  std::vector<Record> records(CUpti_ActivityKind kind) {
    EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
    std::lock_guard guard(lock);
    std::vector<Record> out;
    for (const auto& raw : raw_records)
      if (kind_of(raw) == kind) std::memcpy(&out.emplace_back(), raw.data(), sizeof(Record));
    return out;
  }
  std::vector<CUpti_ActivityKernel10> kernels() {
    return records<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  }
  std::vector<CUpti_ActivityAPI> calls(std::uint32_t id) {
    std::vector<CUpti_ActivityAPI> out;
    for (const auto& call : records<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME))
      if (call.cbid == id) out.push_back(call);
    return out;
  }
  std::vector<std::size_t> sizes_of_buffers() {  // valid bytes of each, in the order of hand-over
    cuptiActivityFlushAll(0);
    std::lock_guard guard(lock);
    return sizes;
  }
  static std::size_t dropped() {
    std::size_t n = 0;
    EXPECT_EQ(cuptiActivityGetNumDroppedRecords(nullptr, 0, &n), CUPTI_SUCCESS);
    return n;
  }

  std::mutex lock;
  std::vector<std::vector<std::uint8_t>> raw_records;  // in the order of hand-over
  std::vector<std::size_t> sizes;
  std::atomic<std::size_t> buffer_bytes{8192}, max_records{0}, requests{0}, hand_overs{0};
  std::atomic<bool> refuse{false}, flush_inside{false};
  std::thread::id hand_over_thread;

 private:
  static CUpti_ActivityKind kind_of(const std::vector<std::uint8_t>& raw) {
    CUpti_ActivityKind kind;
    std::memcpy(&kind, raw.data(), sizeof kind);
    return kind;
  }
  static CuptiClient*& current() {
    static CuptiClient* client = nullptr;
    return client;
  }
  static void CUPTIAPI on_request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most) {
    CuptiClient& c = *current();
    ++c.requests;
    *bytes = c.buffer_bytes;
    *buffer = c.refuse ? nullptr : static_cast<std::uint8_t*>(std::aligned_alloc(8, *bytes));
    *most = c.max_records;
    int device = 0;
    cudaGetDevice(&device);  // leaves no record, and cannot deadlock
  }
  static void CUPTIAPI on_complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
    CuptiClient& c = *current();
    ++c.hand_overs;
    if (c.flush_inside) cuptiActivityFlushAll(0);
    std::lock_guard guard(c.lock);
    c.sizes.push_back(valid);
    c.hand_over_thread = std::this_thread::get_id();
    CUpti_Activity* r = nullptr;
    const std::uint8_t* last = nullptr;
    const auto keep = [&](const std::uint8_t* end) {
      if (last) c.raw_records.emplace_back(last, end).resize(256);
    };
    while (valid && cuptiActivityGetNextRecord(buffer, valid, &r) == CUPTI_SUCCESS) {
      keep(reinterpret_cast<const std::uint8_t*>(r));
      last = reinterpret_cast<const std::uint8_t*>(r);
    }
    keep(buffer + valid);
    std::free(buffer);
  }
};

}  // namespace zerostall::testing
