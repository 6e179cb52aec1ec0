// Overhead records: full launch queues, code loaded when first needed. And what tests of tracers may ask for.
#include "tests/simgpu/cupti_client.h"
#include "tests/simgpu/rerun.h"

namespace zerostall::testing {
namespace {

class SimCuptiOverhead : public CuptiClient {
 public:
  std::vector<CUpti_ActivityOverhead3> overheads(CUpti_ActivityOverheadKind kind) {
    std::vector<CUpti_ActivityOverhead3> out;
    for (const auto& o : records<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD))
      if (o.overheadKind == kind) out.push_back(o);
    return out;
  }
};

TEST_F(SimCuptiOverhead, ALaunchThatWaitsForAPlaceInTheQueueLeavesARecordWithItsCorrelation) {
  enable(CUPTI_ACTIVITY_KIND_OVERHEAD);
  enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  for (std::int64_t i = 0; i < model().launch_queue; ++i) launch_for(kLong);
  EXPECT_TRUE(overheads(CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL).empty());
  launch_for(kLong);
  const auto full = overheads(CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL);
  ASSERT_EQ(full.size(), 1u);
  const auto launches = calls(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
  EXPECT_EQ(full[0].correlationId, launches.back().correlationId);
  EXPECT_GT(full[0].end - full[0].start, static_cast<std::uint64_t>(kLong / 2));
  EXPECT_GE(full[0].start, launches.back().start);
  EXPECT_LE(full[0].end, launches.back().end);
  EXPECT_EQ(full[0].objectKind, CUPTI_ACTIVITY_OBJECT_THREAD);
  ASSERT_NE(full[0].overheadData, nullptr);
  for (const auto& o : full) std::free(o.overheadData);
}

TEST_F(SimCuptiOverhead, AKernelIsLoadedWhenItIsFirstLaunched) {
  static char stub;
  static char name[] = "never_seen_before";
  __cudaRegisterFunction(nullptr, &stub, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  enable(CUPTI_ACTIVITY_KIND_OVERHEAD);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaLaunchKernel(&stub, dim3(1), dim3(1), nullptr, 0, nullptr), cudaSuccess);
  EXPECT_EQ(overheads(CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING).size(), 1u);
  cudaDeviceSynchronize();
}

TEST_F(SimCuptiOverhead, NoneUnlessAskedFor) {
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  for (std::int64_t i = 0; i <= model().launch_queue; ++i) launch_for(kLong);
  EXPECT_TRUE(records<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD).empty());
}

TEST_F(SimCuptiOverhead, DISABLED_KernelsWithoutTimes) {
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  for (int i = 0; i < 9; ++i) launch_for(1000);
  int without = 0;
  for (const auto& k : kernels()) without += k.start == 0 && k.end == 0;
  std::printf("without=%d\n", without);
}

TEST(SimCuptiKnobs, TimesCanBeLost) {
  const std::string test = "SimCuptiOverhead.DISABLED_KernelsWithoutTimes";
  EXPECT_EQ(rerun("", test, "without="), "without=0");
  EXPECT_EQ(rerun("ZEROSTALL_SIM_CUPTI_ZERO_TIMES=3", test, "without="), "without=3");
}

int g_new_calls = 0, g_old_calls = 0;
void CUPTIAPI on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId id, const void* raw) {
  const std::string name = static_cast<const CUpti_CallbackData*>(raw)->functionName;
  g_new_calls += id == CUPTI_RUNTIME_TRACE_CBID_SIZE && name == "cudaNewWait_v14000";
  g_old_calls += id == CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020;
}

TEST_F(SimCuptiOverhead, DISABLED_CallsOfANewFunction) {
  CUpti_SubscriberHandle subscriber = nullptr;
  ASSERT_EQ(cuptiSubscribe(&subscriber, on_call, nullptr), CUPTI_SUCCESS);
  ASSERT_EQ(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API), CUPTI_SUCCESS);
  cudaDeviceSynchronize();
  const char* name = nullptr;
  const auto known = cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_SIZE, &name);
  std::printf("seen=%s %d %d\n", known == CUPTI_SUCCESS ? name : "none", g_new_calls, g_old_calls);
}

TEST(SimCuptiKnobs, TheLibraryCanKnowAFunctionThatItsHeadersDoNot) {
  const std::string test = "SimCuptiOverhead.DISABLED_CallsOfANewFunction";
  EXPECT_EQ(rerun("", test, "seen="), "seen=none 0 2") << "on entering and on leaving";
  EXPECT_EQ(rerun("ZEROSTALL_SIM_CUPTI_NEW_API=cudaDeviceSynchronize_v3020:cudaNewWait_v14000", test, "seen="),
            "seen=cudaNewWait_v14000 2 0");
}

}  // namespace
}  // namespace zerostall::testing
