// The simulated libcupti through its public API: callbacks on the calling thread, records, one subscriber.
#include <cupti.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/simgpu/device.h"

namespace zerostall::testing {
namespace {

struct Seen {
  std::vector<std::string> calls;                    // "name enter", "name exit 0"
  std::map<int, std::vector<std::uint64_t>> begins;  // by activity kind
  std::size_t copy_bytes = 0;
  int copy_kind = 0, source = 0;
  std::string kernel;
};
Seen* g_seen = nullptr;

void CUPTIAPI on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void* raw) {
  const auto& d = *static_cast<const CUpti_CallbackData*>(raw);
  const bool enter = d.callbackSite == CUPTI_API_ENTER;
  if (enter)
    *d.correlationData = d.correlationId;
  else
    EXPECT_EQ(*d.correlationData, d.correlationId) << "correlationData is kept from enter to exit";
  g_seen->calls.push_back(std::string(d.functionName) +
                          (enter ? " enter" : " exit " + std::to_string(*static_cast<int*>(d.functionReturnValue))));
  int device = 0;
  cudaGetDevice(&device);  // a call made inside a callback is not reported to it
}
void CUPTIAPI on_request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *bytes = 4096;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *bytes));
  *max_records = 0;
}
void CUPTIAPI on_complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  CUpti_Activity* r = nullptr;
  while (valid && cuptiActivityGetNextRecord(buffer, valid, &r) == CUPTI_SUCCESS) {
    if (r->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto* k = reinterpret_cast<const CUpti_ActivityKernel10*>(r);
      g_seen->begins[r->kind].push_back(k->start);
      g_seen->kernel = k->name;
    }
    if (r->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const auto* c = reinterpret_cast<const CUpti_ActivityMemcpy6*>(r);
      g_seen->begins[r->kind].push_back(c->start);
      g_seen->copy_bytes = c->bytes;
      g_seen->copy_kind = c->copyKind;
      g_seen->source = c->srcKind;
    }
  }
  std::free(buffer);
}

TEST(SimCupti, CallbacksComeInPairsForTheEnabledIdsOnly) {
  Seen seen;
  g_seen = &seen;
  CUpti_SubscriberHandle s = nullptr, second = nullptr;
  ASSERT_EQ(cuptiSubscribe(&s, on_call, nullptr), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiSubscribe(&second, on_call, nullptr), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  ASSERT_EQ(
      cuptiEnableCallback(1, s, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020),
      CUPTI_SUCCESS);
  void* p = nullptr;
  cudaMalloc(&p, 16);
  cudaDeviceSynchronize();
  cudaFree(p);
  EXPECT_EQ(seen.calls,
            (std::vector<std::string>{"cudaDeviceSynchronize_v3020 enter", "cudaDeviceSynchronize_v3020 exit 0"}));
  ASSERT_EQ(cuptiUnsubscribe(s), CUPTI_SUCCESS);
  cudaDeviceSynchronize();
  EXPECT_EQ(seen.calls.size(), 2u);
}

TEST(SimCupti, RecordsOfEveryLaunchAndCopyArriveOnceInManyBuffers) {
  Seen seen;
  g_seen = &seen;
  ASSERT_EQ(cuptiActivityRegisterCallbacks(on_request, on_complete), CUPTI_SUCCESS);
  ASSERT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_SUCCESS);
  ASSERT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY), CUPTI_SUCCESS);
  for (int i = 0; i < 100; ++i) launch_for(1000);
  void* p = nullptr;
  char host[100] = {};
  cudaMalloc(&p, sizeof host);
  cudaMemcpyAsync(p, host, sizeof host, cudaMemcpyHostToDevice, nullptr);
  cuptiActivityFlushAll(1);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY);
  launch_for(1000);
  cuptiActivityFlushAll(1);
  EXPECT_EQ(seen.begins[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL].size(), 100u);
  EXPECT_EQ(seen.begins[CUPTI_ACTIVITY_KIND_MEMCPY].size(), 1u);
  EXPECT_EQ(seen.kernel, "test_kernel");
  EXPECT_EQ(seen.copy_bytes, 100u);
  EXPECT_EQ(seen.copy_kind, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
  EXPECT_EQ(seen.source, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
  std::size_t dropped = 1;
  EXPECT_EQ(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), CUPTI_SUCCESS);
  EXPECT_EQ(dropped, 0u);
  cudaFree(p);
}

TEST(SimCupti, TimestampsAreThoseOfTheVirtualClockAndNeverEqual) {
  std::uint64_t a = 0, b = 0;
  cuptiGetTimestamp(&a);
  cuptiGetTimestamp(&b);
  EXPECT_LT(a, b);
  EXPECT_EQ(static_cast<std::int64_t>(b), now());
}

TEST(SimCupti, WhatIsNotModelledSaysSo) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_PCIE), CUPTI_ERROR_NOT_COMPATIBLE);
  EXPECT_EQ(cuptiActivityEnableHWTrace(1), CUPTI_ERROR_NOT_SUPPORTED);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("cuptiActivityEnable of this activity kind"), std::string::npos);
  EXPECT_NE(text.find("cuptiActivityEnableHWTrace"), std::string::npos);
}

}  // namespace
}  // namespace zerostall::testing
