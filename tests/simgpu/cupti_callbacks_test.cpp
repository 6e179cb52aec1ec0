// Callbacks: the driver's inside the runtime's, resources, synchronisation, one subscriber, leaving from inside.
#include <algorithm>
#include <string>

#include "tests/simgpu/cupti_client.h"

namespace zerostall::testing {
namespace {

struct Heard {
  std::vector<std::string> sites;  // "name enter", "name exit"
  std::vector<std::uint32_t> correlations;
  std::vector<std::uint64_t> bytes;  // of copies
  std::vector<std::uint32_t> resources, waits;
  CUstream stream = nullptr;
  CUpti_SubscriberHandle leave = nullptr;  // to unsubscribe at the next callback
};
Heard* g_heard = nullptr;

void hear_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& d) {
  Heard& h = *g_heard;
  h.sites.push_back(std::string(d.functionName) + (d.callbackSite == CUPTI_API_ENTER ? " enter" : " exit"));
  h.correlations.push_back(d.correlationId);
  std::uint32_t context = 0;
  EXPECT_EQ(cuptiGetContextId(d.context, &context), CUPTI_SUCCESS);
  EXPECT_EQ(context, d.contextUid);
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id == CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2)
    h.bytes.push_back(static_cast<const cuMemcpyHtoDAsync_v2_params*>(d.functionParams)->ByteCount);
  if (h.leave) {
    EXPECT_EQ(cuptiUnsubscribe(h.leave), CUPTI_SUCCESS);
    h.leave = nullptr;
  }
}

void CUPTIAPI hear(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* raw) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    g_heard->resources.push_back(id);
    g_heard->stream = static_cast<const CUpti_ResourceData*>(raw)->resourceHandle.stream;
  } else if (domain == CUPTI_CB_DOMAIN_SYNCHRONIZE) {
    g_heard->waits.push_back(id);
    g_heard->stream = static_cast<const CUpti_SynchronizeData*>(raw)->stream;
  } else {
    hear_call(domain, id, *static_cast<const CUpti_CallbackData*>(raw));
  }
}

class SimCuptiCallbacks : public ::testing::Test {
 public:
  void SetUp() override {
    g_heard = &heard;
    ASSERT_EQ(cuptiSubscribe(&subscriber, hear, nullptr), CUPTI_SUCCESS);
  }
  void TearDown() override { cuptiFinalize(); }
  void listen(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    ASSERT_EQ(cuptiEnableCallback(1, subscriber, domain, id), CUPTI_SUCCESS);
  }

  Heard heard;
  CUpti_SubscriberHandle subscriber = nullptr;
};

TEST_F(SimCuptiCallbacks, ARuntimeCallContainsItsDriverCall) {
  void* p = nullptr;
  char host[64] = {};
  cudaMalloc(&p, sizeof host);
  listen(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020);
  listen(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2);
  cudaMemcpyAsync(p, host, sizeof host, cudaMemcpyHostToDevice, nullptr);
  EXPECT_EQ(heard.sites, (std::vector<std::string>{"cudaMemcpyAsync_v3020 enter", "cuMemcpyHtoDAsync_v2 enter",
                                                   "cuMemcpyHtoDAsync_v2 exit", "cudaMemcpyAsync_v3020 exit"}));
  EXPECT_EQ(heard.bytes, (std::vector<std::uint64_t>{64, 64}));
  EXPECT_EQ(std::count(heard.correlations.begin(), heard.correlations.end(), heard.correlations[0]), 4)
      << "the same correlation id";
  cudaFree(p);
}

TEST_F(SimCuptiCallbacks, DriverCallsAreHeardAloneOrNotAtAll) {
  listen(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
  launch_for(1000);
  EXPECT_EQ(heard.sites, (std::vector<std::string>{"cuLaunchKernel enter", "cuLaunchKernel exit"}));
  cuptiEnableDomain(0, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
  listen(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
  heard.sites.clear();
  launch_for(1000);
  EXPECT_EQ(heard.sites, (std::vector<std::string>{"cudaLaunchKernel_v7000 enter", "cudaLaunchKernel_v7000 exit"}));
}

TEST_F(SimCuptiCallbacks, ASubscriberMayLeaveInsideACallback) {
  listen(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020);
  heard.leave = subscriber;
  cudaDeviceSynchronize();
  cudaDeviceSynchronize();
  EXPECT_EQ(heard.sites, (std::vector<std::string>{"cudaDeviceSynchronize_v3020 enter"}));
  EXPECT_EQ(cuptiUnsubscribe(subscriber), CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API), CUPTI_ERROR_INVALID_PARAMETER);
}

TEST_F(SimCuptiCallbacks, StreamsAreAnnounced) {
  ASSERT_EQ(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE), CUPTI_SUCCESS);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  ASSERT_FALSE(heard.resources.empty());
  EXPECT_EQ(heard.resources.back(), CUPTI_CBID_RESOURCE_STREAM_CREATED);
  EXPECT_EQ(heard.stream, stream);
  cudaStreamDestroy(stream);
  EXPECT_EQ(heard.resources.back(), CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING);
  EXPECT_TRUE(heard.sites.empty());
}

TEST_F(SimCuptiCallbacks, WaitsAreToldWhenTheyHaveEnded) {
  ASSERT_EQ(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_SYNCHRONIZE), CUPTI_SUCCESS);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(heard.stream, stream);
  cudaDeviceSynchronize();
  EXPECT_EQ(heard.waits, (std::vector<std::uint32_t>{CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED,
                                                     CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED}));
  cudaStreamDestroy(stream);
}

TEST_F(SimCuptiCallbacks, ASecondSubscriberLearnsWhoIsThere) {
  cuptiUnsubscribe(subscriber);
  CUpti_SubscriberParams params{};
  params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  params.subscriberName = "first tool";
  ASSERT_EQ(cuptiSubscribe_v2(&subscriber, hear, nullptr, &params), CUPTI_SUCCESS);
  char holder[64] = {};
  params.oldSubscriberName = holder;
  params.oldSubscriberSize = sizeof holder;
  CUpti_SubscriberHandle second = nullptr;
  EXPECT_EQ(cuptiSubscribe_v2(&second, hear, nullptr, &params), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  EXPECT_STREQ(holder, "CUPTI for first tool");
  EXPECT_EQ(cuptiSubscribe(&second, hear, nullptr), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
}

TEST_F(SimCuptiCallbacks, SubscribingManyTimesWorks) {
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(cuptiUnsubscribe(subscriber), CUPTI_SUCCESS);
    ASSERT_EQ(cuptiSubscribe(&subscriber, hear, nullptr), CUPTI_SUCCESS);
    listen(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020);
    cudaDeviceSynchronize();
  }
  EXPECT_EQ(heard.sites.size(), 2000u);
  std::uint32_t on = 0;
  EXPECT_EQ(cuptiGetCallbackState(&on, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                                  CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020),
            CUPTI_SUCCESS);
  EXPECT_EQ(on, 1u);
}

}  // namespace
}  // namespace zerostall::testing
