// What threads share and what each has of its own; isolation of stream capture between threads.
#include <thread>

#include "tests/gpu/contract.h"

namespace zerostall::contract {
namespace {

std::string error_of_another_thread() {
  (void)cudaGetLastError();
  cudaError_t there = cudaSuccess;
  std::thread([&] {
    (void)cudaSetDevice(-1);
    there = cudaPeekAtLastError();
  }).join();
  return name_of(there) + ", " + name_of(cudaGetLastError());
}

std::string handles_cross_threads() {
  const Stream stream;
  const Event event;
  std::string there;
  std::thread([&] {
    CONTRACT_CHECK(cudaEventRecord(event, stream));
    CONTRACT_CHECK(cudaStreamSynchronize(stream));
    there = name_of(cudaEventQuery(event));
  }).join();
  return there;
}

std::string event_of_another_thread() {
  const Event event(cudaEventDisableTiming);
  std::thread([&] {
    keep_busy(cudaStreamPerThread);
    CONTRACT_CHECK(cudaEventRecord(event, cudaStreamPerThread));
  }).join();
  const bool pending = cudaEventQuery(event) == cudaErrorNotReady;
  CONTRACT_CHECK(cudaEventSynchronize(event));
  return pending ? "pending after the thread's end" : "complete";
}

// What cudaMalloc on a second thread answers while this thread captures, and how the capture ends.
std::string allocate_beside(cudaStreamCaptureMode mode, bool relaxed_there) {
  const Stream stream;
  CONTRACT_CHECK(cudaStreamBeginCapture(stream, mode));
  cudaError_t there = cudaSuccess;
  std::thread([&] {
    auto own = cudaStreamCaptureModeRelaxed;
    if (relaxed_there) (void)cudaThreadExchangeStreamCaptureMode(&own);
    void* p = nullptr;
    there = cudaMalloc(&p, 1024);
    (void)cudaGetLastError();
  }).join();
  cudaGraph_t graph = nullptr;
  const cudaError_t end = cudaStreamEndCapture(stream, &graph);
  (void)cudaGetLastError();
  if (graph != nullptr) cudaGraphDestroy(graph);
  return name_of(there) + ", " + name_of(end);
}
std::string beside_global() { return allocate_beside(cudaStreamCaptureModeGlobal, false); }
std::string beside_thread_local() { return allocate_beside(cudaStreamCaptureModeThreadLocal, false); }
std::string relaxed_beside_global() { return allocate_beside(cudaStreamCaptureModeGlobal, true); }

std::string end_elsewhere(cudaStreamCaptureMode mode) {
  const Stream stream;
  CONTRACT_CHECK(cudaStreamBeginCapture(stream, mode));
  cudaGraph_t graph = nullptr;
  cudaError_t there = cudaSuccess;
  std::thread([&] {
    there = cudaStreamEndCapture(stream, &graph);
    (void)cudaGetLastError();
  }).join();
  if (there != cudaSuccess) (void)cudaStreamEndCapture(stream, &graph);
  (void)cudaGetLastError();
  if (graph != nullptr) cudaGraphDestroy(graph);
  return name_of(there);
}
std::string end_thread_local_elsewhere() { return end_elsewhere(cudaStreamCaptureModeThreadLocal); }
std::string end_relaxed_elsewhere() { return end_elsewhere(cudaStreamCaptureModeRelaxed); }

std::string threads_feed_one_stream() {
  const Stream stream;
  const Buffer buffer(Kind::device, 1024);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) CONTRACT_CHECK(cudaMemsetAsync(buffer.data, 7, 1024, stream));
    });
  for (auto& t : threads) t.join();
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  unsigned char byte = 0;
  CONTRACT_CHECK(cudaMemcpy(&byte, buffer.data, 1, cudaMemcpyDeviceToHost));
  return byte == 7 ? "all done" : "lost";
}

}  // namespace

std::vector<Contract> thread_contracts() {
  return {
      {"last error of another thread", "cudaErrorInvalidDevice, cudaSuccess", error_of_another_thread},
      {"stream and event used by another thread", "cudaSuccess", handles_cross_threads},
      {"event on the per-thread stream of a thread that ended", "pending after the thread's end",
       event_of_another_thread},
      {"cudaMalloc of another thread beside a global capture",
       "cudaErrorStreamCaptureUnsupported, cudaErrorStreamCaptureInvalidated", beside_global},
      {"cudaMalloc of another thread beside a thread-local capture", "cudaSuccess, cudaSuccess", beside_thread_local},
      {"cudaMalloc of a relaxed thread beside a global capture", "cudaSuccess, cudaSuccess", relaxed_beside_global},
      {"ending a thread-local capture elsewhere", "cudaErrorStreamCaptureWrongThread", end_thread_local_elsewhere},
      {"ending a relaxed capture elsewhere", "cudaSuccess", end_relaxed_elsewhere},
      {"four threads on one stream", "all done", threads_feed_one_stream},
  };
}

}  // namespace zerostall::contract
