// Order between streams; events; host functions. Rules: CUDA programming guide, streams; runtime API, "Stream
// synchronization behavior".
#include <atomic>
#include <thread>

#include "tests/gpu/contract.h"

namespace zerostall::contract {
namespace {

// Small work on `second` after long work on `first`: does it wait for that?
std::string order(cudaStream_t first, cudaStream_t second) {
  const Buffer buffer(Kind::device, 1024);
  const Event event(cudaEventDisableTiming);
  keep_busy(first);
  CONTRACT_CHECK(cudaMemsetAsync(buffer.data, 1, 1024, second));
  CONTRACT_CHECK(cudaEventRecord(event, second));
  CONTRACT_CHECK(cudaEventSynchronize(event));
  const std::string answer = is_busy(first) ? "runs beside it" : "runs after it";
  CONTRACT_CHECK(cudaDeviceSynchronize());
  return answer;
}

std::string legacy_after_blocking() {
  const Stream stream(cudaStreamDefault);
  return order(stream, nullptr);
}
std::string blocking_after_legacy() {
  const Stream stream(cudaStreamDefault);
  return order(nullptr, stream);
}
std::string non_blocking_after_legacy() {
  const Stream stream(cudaStreamNonBlocking);
  return order(nullptr, stream);
}
std::string legacy_after_non_blocking() {
  const Stream stream(cudaStreamNonBlocking);
  return order(stream, nullptr);
}
std::string per_thread_after_legacy() { return order(nullptr, cudaStreamPerThread); }
std::string blocking_after_blocking() {
  const Stream first(cudaStreamDefault), second(cudaStreamDefault);
  return order(first, second);
}
std::string per_thread_streams() {
  keep_busy(cudaStreamPerThread);
  std::thread([] { cudaStreamSynchronize(cudaStreamPerThread); }).join();
  const std::string answer = is_busy(cudaStreamPerThread) ? "one for each thread" : "shared";
  CONTRACT_CHECK(cudaDeviceSynchronize());
  return answer;
}
std::string legacy_sync_and_blocking_stream() {
  const Stream stream(cudaStreamDefault);
  keep_busy(stream);
  CONTRACT_CHECK(cudaStreamSynchronize(nullptr));
  return waited(stream);
}

std::string wait_event() {
  const Stream first, second;
  const Event event(cudaEventDisableTiming);
  keep_busy(first);
  CONTRACT_CHECK(cudaEventRecord(event, first));
  CONTRACT_CHECK(cudaStreamWaitEvent(second, event, 0));
  const bool host_free = is_busy(first);
  CONTRACT_CHECK(cudaStreamSynchronize(second));
  return std::string(host_free ? "host goes on, " : "host waits, ") +
         (is_busy(first) ? "stream does not wait" : "stream waits");
}
std::string event_version() {
  const Stream first, second;
  const Event event(cudaEventDisableTiming);
  keep_busy(first, 1);
  CONTRACT_CHECK(cudaEventRecord(event, first));
  CONTRACT_CHECK(cudaStreamWaitEvent(second, event, 0));
  keep_busy(first);
  CONTRACT_CHECK(cudaEventRecord(event, first));
  CONTRACT_CHECK(cudaStreamSynchronize(second));
  return is_busy(first) ? "the version it had" : "the new version";
}
std::string unrecorded_event() {
  const Event event;
  return name_of(cudaEventQuery(event)) + ", " + name_of(cudaEventSynchronize(event));
}
std::string pending_event() {
  const Stream stream;
  const Event event(cudaEventDisableTiming);
  keep_busy(stream);
  CONTRACT_CHECK(cudaEventRecord(event, stream));
  return name_of(cudaEventQuery(event));
}
std::string elapsed_without_record() {
  const Event a, b;
  float ms = 0;
  return name_of(cudaEventElapsedTime(&ms, a, b));
}
std::string elapsed_without_timing() {
  const Event a(cudaEventDisableTiming), b(cudaEventDisableTiming);
  float ms = 0;
  CONTRACT_CHECK(cudaEventRecord(a, nullptr));
  CONTRACT_CHECK(cudaEventRecord(b, nullptr));
  CONTRACT_CHECK(cudaDeviceSynchronize());
  return name_of(cudaEventElapsedTime(&ms, a, b));
}
std::string elapsed_pending() {
  const Stream stream;
  const Event a, b;
  float ms = 0;
  CONTRACT_CHECK(cudaEventRecord(a, stream));
  keep_busy(stream);
  CONTRACT_CHECK(cudaEventRecord(b, stream));
  return name_of(cudaEventElapsedTime(&ms, a, b));
}
std::string elapsed() {
  const Stream stream;
  const Event a, b;
  float ms = 0;
  CONTRACT_CHECK(cudaEventRecord(a, stream));
  keep_busy(stream);
  CONTRACT_CHECK(cudaEventRecord(b, stream));
  CONTRACT_CHECK(cudaEventSynchronize(b));
  CONTRACT_CHECK(cudaEventElapsedTime(&ms, a, b));
  return ms > 0 ? "positive" : "not positive";
}

std::atomic<int> g_called{0};
void count_call(void*) { ++g_called; }
std::string host_function() {
  g_called = 0;
  const Stream stream;
  keep_busy(stream);
  CONTRACT_CHECK(cudaLaunchHostFunc(stream, count_call, nullptr));
  const bool host_free = is_busy(stream);
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  return std::string(host_free ? "host goes on, " : "host waits, ") + (g_called == 1 ? "called once" : "not called");
}
std::string host_function_seen_by_spinning() {
  g_called = 0;
  const Stream stream;
  CONTRACT_CHECK(cudaLaunchHostFunc(
      stream, [](void*) { ++g_called; }, nullptr));
  while (g_called == 0) std::this_thread::yield();
  return "called";
}
std::string work_after_host_function() {
  const Buffer device(Kind::device, 64), host(Kind::pinned, 64);
  const Stream stream;
  CONTRACT_CHECK(cudaLaunchHostFunc(
      stream, [](void* p) { *static_cast<int*>(p) = 42; }, host.data));
  CONTRACT_CHECK(cudaMemcpyAsync(device.data, host.data, 64, cudaMemcpyHostToDevice, stream));
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  int value = 0;
  CONTRACT_CHECK(cudaMemcpy(&value, device.data, sizeof value, cudaMemcpyDeviceToHost));
  return value == 42 ? "sees its effect" : "does not see its effect";
}
std::string stream_flags() {
  const Stream a(cudaStreamDefault), b(cudaStreamNonBlocking);
  unsigned fa = 9, fb = 9;
  CONTRACT_CHECK(cudaStreamGetFlags(a, &fa));
  CONTRACT_CHECK(cudaStreamGetFlags(b, &fb));
  return std::to_string(fa) + std::to_string(fb);
}
std::string query_leaves_error() {
  const Stream stream;
  keep_busy(stream);
  (void)cudaGetLastError();
  (void)cudaStreamQuery(stream);
  return name_of(cudaGetLastError());
}

}  // namespace

std::vector<Contract> stream_contracts() {
  constexpr const char *kAfter = "runs after it", *kBeside = "runs beside it";
  return {
      {"legacy stream after blocking stream", kAfter, legacy_after_blocking},
      {"blocking stream after legacy stream", kAfter, blocking_after_legacy},
      {"non-blocking stream after legacy stream", kBeside, non_blocking_after_legacy},
      {"legacy stream after non-blocking stream", kBeside, legacy_after_non_blocking},
      {"per-thread stream after legacy stream", kAfter, per_thread_after_legacy},
      {"blocking stream after blocking stream", kBeside, blocking_after_blocking},
      {"per-thread default stream", "one for each thread", per_thread_streams},
      {"sync of the idle legacy stream, a blocking stream busy", "waits", legacy_sync_and_blocking_stream, true},
      {"cudaStreamWaitEvent", "host goes on, stream waits", wait_event},
      {"cudaStreamWaitEvent, event recorded again later", "the version it had", event_version},
      {"event never recorded", "cudaSuccess, cudaSuccess", unrecorded_event},
      {"query of a pending event", "cudaErrorNotReady", pending_event},
      {"elapsed time, not recorded", "cudaErrorInvalidResourceHandle", elapsed_without_record},
      {"elapsed time, timing disabled", "cudaErrorInvalidResourceHandle", elapsed_without_timing},
      {"elapsed time, pending", "cudaErrorNotReady", elapsed_pending},
      {"elapsed time", "positive", elapsed},
      {"cudaLaunchHostFunc", "host goes on, called once", host_function},
      {"cudaLaunchHostFunc, effect awaited by spinning", "called", host_function_seen_by_spinning},
      {"copy behind a host function", "sees its effect", work_after_host_function},
      {"cudaStreamGetFlags", "01", stream_flags},
      {"last error after a query that was not ready", "cudaErrorNotReady", query_leaves_error, true},
  };
}

}  // namespace zerostall::contract
