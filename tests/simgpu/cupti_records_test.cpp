// What stands in activity records: correlation, waits, events, allocations, layouts of older clients.
#include "tests/simgpu/cupti_client.h"

extern "C" void zerostall_sim_cupti_set_client_major(int cuda_major);

namespace zerostall::testing {
namespace {

using SimCuptiRecords = CuptiClient;

CUpti_ActivityKind kind_at(const std::vector<std::uint8_t>& raw) {
  CUpti_ActivityKind kind;
  std::memcpy(&kind, raw.data(), sizeof kind);
  return kind;
}

TEST_F(SimCuptiRecords, ExternalIdsComeBeforeTheCallTheyBelongTo) {
  enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  enable(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 11);
  cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 12);
  cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, 21);
  cudaDeviceSynchronize();
  std::uint64_t last = 0;
  EXPECT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last), CUPTI_SUCCESS);
  EXPECT_EQ(last, 12u);
  cudaDeviceSynchronize();
  cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, nullptr);
  cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, nullptr);
  EXPECT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, nullptr),
            CUPTI_ERROR_QUEUE_EMPTY);
  const auto ids = records<CUpti_ActivityExternalCorrelation>(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  const auto syncs = calls(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020);
  ASSERT_EQ(ids.size(), 4u);
  ASSERT_EQ(syncs.size(), 2u);
  EXPECT_EQ(ids[0].externalId, 12u);
  EXPECT_EQ(ids[1].externalId, 21u);
  EXPECT_EQ(ids[0].correlationId, syncs[0].correlationId);
  EXPECT_EQ(ids[2].externalId, 11u);
  EXPECT_EQ(ids[2].correlationId, syncs[1].correlationId);
  EXPECT_EQ(kind_at(raw_records[0]), CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  EXPECT_EQ(kind_at(raw_records[2]), CUPTI_ACTIVITY_KIND_RUNTIME);
}

TEST_F(SimCuptiRecords, SingleFunctionsCanBeLeftOutOrTakenAlone) {
  int n = 0;
  enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  cuptiActivityEnableRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, 0);
  cudaGetDevice(&n);
  cudaDeviceSynchronize();
  EXPECT_TRUE(calls(CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020).empty());
  EXPECT_EQ(calls(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020).size(), 1u);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_RUNTIME);
  cuptiActivityEnableRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, 1);
  cudaGetDevice(&n);
  cudaDeviceSynchronize();
  EXPECT_EQ(calls(CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020).size(), 1u);
  EXPECT_EQ(calls(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020).size(), 1u);
}

TEST_F(SimCuptiRecords, WaitsAndQuestionsNameTheEventAndItsLastRecord) {
  enable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  enable(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  cuptiActivityEnableCudaEventDeviceTimestamps(1);
  cudaStream_t stream = nullptr, other = nullptr;
  cudaEvent_t event = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaEventCreate(&event);
  launch_for(kLong, stream);
  cudaEventRecord(event, stream);
  cudaEventRecord(event, stream);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  cuptiActivityEnableAllSyncRecords(0);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);  // not to be told
  cuptiActivityEnableAllSyncRecords(1);
  cudaStreamWaitEvent(other, event, 0);
  cudaEventSynchronize(event);
  cudaStreamSynchronize(other);
  cudaDeviceSynchronize();
  const auto events = records<CUpti_ActivityCudaEvent2>(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_NE(events[0].cudaEventSyncId, events[1].cudaEventSyncId);
  EXPECT_GE(events[1].deviceTimestamp, static_cast<std::uint64_t>(kLong));
  const auto syncs = records<CUpti_ActivitySynchronization2>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  ASSERT_EQ(syncs.size(), 5u);
  EXPECT_EQ(syncs[0].type, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE);
  EXPECT_EQ(syncs[0].returnValue, static_cast<std::uint32_t>(cudaErrorNotReady));
  EXPECT_EQ(syncs[1].type, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT);
  EXPECT_EQ(syncs[2].type, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE);
  EXPECT_EQ(syncs[2].returnValue, 0u);
  EXPECT_EQ(syncs[2].streamId, CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  EXPECT_EQ(syncs[3].type, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE);
  EXPECT_EQ(syncs[4].type, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(syncs[static_cast<std::size_t>(i)].cudaEventId, events[1].eventId);
    EXPECT_EQ(syncs[static_cast<std::size_t>(i)].cudaEventSyncId, events[1].cudaEventSyncId) << "the last record";
  }
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
  cudaStreamDestroy(other);
}

TEST_F(SimCuptiRecords, AllocationsAndReleasesArePaired) {
  enable(CUPTI_ACTIVITY_KIND_MEMORY2);
  void *device = nullptr, *host = nullptr;
  cudaMalloc(&device, 1 << 20);
  cudaHostAlloc(&host, 4096, 0);
  cudaFreeHost(host);
  cudaFree(device);
  cudaFree(nullptr);  // nothing released
  const auto memory = records<CUpti_ActivityMemory4>(CUPTI_ACTIVITY_KIND_MEMORY2);
  ASSERT_EQ(memory.size(), 4u);
  EXPECT_EQ(memory[0].memoryOperationType, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION);
  EXPECT_EQ(memory[0].memoryKind, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
  EXPECT_EQ(memory[0].address, reinterpret_cast<std::uint64_t>(device));
  EXPECT_EQ(memory[1].memoryKind, CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
  EXPECT_EQ(memory[2].bytes, 4096u);
  EXPECT_EQ(memory[3].memoryOperationType, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE);
  EXPECT_EQ(memory[3].bytes, std::uint64_t{1} << 20);
}

TEST_F(SimCuptiRecords, DevicesContextsAndStreamsAreDescribed) {
  cuptiActivityEnableAndDump(CUPTI_ACTIVITY_KIND_DEVICE);
  cuptiActivityEnableAndDump(CUPTI_ACTIVITY_KIND_CONTEXT);
  enable(CUPTI_ACTIVITY_KIND_STREAM);
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  const auto devices = records<CUpti_ActivityDevice5>(CUPTI_ACTIVITY_KIND_DEVICE);
  const auto contexts = records<CUpti_ActivityContext3>(CUPTI_ACTIVITY_KIND_CONTEXT);
  const auto streams = records<CUpti_ActivityStream>(CUPTI_ACTIVITY_KIND_STREAM);
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(devices[0].numMultiprocessors, static_cast<std::uint32_t>(model().sm_count));
  ASSERT_FALSE(contexts.empty());
  EXPECT_EQ(contexts[0].contextId, 1u);
  EXPECT_EQ(contexts[0].nullStreamId, 7u);
  ASSERT_EQ(streams.size(), 1u);
  std::uint32_t id = 0;
  EXPECT_EQ(cuptiGetStreamIdEx(nullptr, stream, 0, &id), CUPTI_SUCCESS);
  EXPECT_EQ(streams[0].streamId, id);
  EXPECT_EQ(streams[0].flag, CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING);
  cudaStreamDestroy(stream);
}

TEST_F(SimCuptiRecords, AClientOfCuda12GetsItsShorterRecords) {
  zerostall_sim_cupti_set_client_major(12);
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  enable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  max_records = 1;  // each record alone in its buffer: its size is what is valid there
  launch_for(1000);
  cudaDeviceSynchronize();
  const auto sizes = sizes_of_buffers();
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_EQ(sizes[0], 208u) << "CUpti_ActivityKernel9";
  EXPECT_EQ(sizes[1], 40u) << "CUpti_ActivitySynchronization";
  EXPECT_STREQ(kernels()[0].name, "test_kernel");
  zerostall_sim_cupti_set_client_major(13);
}

TEST_F(SimCuptiRecords, ThreadIdsAreOfTheKindAskedFor) {
  enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  cudaDeviceSynchronize();
  cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  cudaDeviceSynchronize();
  cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT);
  const auto syncs = calls(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020);
  ASSERT_EQ(syncs.size(), 2u);
  EXPECT_EQ(syncs[0].threadId, static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(pthread_self())));
  EXPECT_EQ(syncs[1].threadId, static_cast<std::uint32_t>(gettid()));
}

TEST_F(SimCuptiRecords, LatencyTimeStampsLieBetweenTheCallAndTheStart) {
  cuptiActivityEnableLatencyTimestamps(1);
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  const auto before = static_cast<std::uint64_t>(now());
  launch_for(1000);
  cuptiActivityEnableLatencyTimestamps(0);
  launch_for(1000);
  const auto k = kernels();
  ASSERT_EQ(k.size(), 2u);
  EXPECT_GE(k[0].queued, before);
  EXPECT_LE(k[0].queued, k[0].submitted);
  EXPECT_LE(k[0].submitted, k[0].start);
  EXPECT_EQ(k[1].queued, 0u) << "unknown unless asked for";
}

TEST_F(SimCuptiRecords, AttributesAreKeptAndTheirSizesChecked) {
  std::size_t value = 0, bytes = sizeof value;
  EXPECT_EQ(cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &bytes, &value), CUPTI_SUCCESS);
  EXPECT_EQ(value, 250u);
  value = 8;
  EXPECT_EQ(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &bytes, &value), CUPTI_SUCCESS);
  value = 0;
  cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &bytes, &value);
  EXPECT_EQ(value, 8u);
  bytes = 2;
  EXPECT_EQ(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &bytes, &value),
            CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT);
}

TEST_F(SimCuptiRecords, KindsThatNeverComeAreAcceptedQuietly) {
  ::testing::internal::CaptureStderr();
  enable(CUPTI_ACTIVITY_KIND_MARKER);
  enable(CUPTI_ACTIVITY_KIND_NAME);
  enable(CUPTI_ACTIVITY_KIND_OVERHEAD);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_INVALID), CUPTI_ERROR_INVALID_KIND);
  EXPECT_EQ(cuptiActivityEnable(static_cast<CUpti_ActivityKind>(999)), CUPTI_ERROR_INVALID_KIND);
}

}  // namespace
}  // namespace zerostall::testing
