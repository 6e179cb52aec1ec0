// Stream capture and its rules; graph launches. Rules: CUDA programming guide, "Prohibited and unhandled operations".
#include "tests/gpu/contract.h"

namespace zerostall::contract {
namespace {

// Begins a capture, makes the call, ends the capture: the answers of the call and of the end.
template <class Call>
std::string during_capture(cudaStreamCaptureMode mode, Call call) {
  const Stream stream;
  CONTRACT_CHECK(cudaStreamBeginCapture(stream, mode));
  const cudaError_t answer = call(static_cast<cudaStream_t>(stream));
  cudaGraph_t graph = nullptr;
  const cudaError_t end = cudaStreamEndCapture(stream, &graph);
  (void)cudaGetLastError();
  if (graph != nullptr) cudaGraphDestroy(graph);
  return name_of(answer) + ", " + name_of(end);
}

std::string nothing() {
  return during_capture(cudaStreamCaptureModeGlobal, [](cudaStream_t) { return cudaSuccess; });
}
std::string stream_sync() {
  return during_capture(cudaStreamCaptureModeGlobal, [](cudaStream_t s) { return cudaStreamSynchronize(s); });
}
std::string stream_sync_relaxed() {
  return during_capture(cudaStreamCaptureModeRelaxed, [](cudaStream_t s) { return cudaStreamSynchronize(s); });
}
std::string stream_query() {
  return during_capture(cudaStreamCaptureModeGlobal, [](cudaStream_t s) { return cudaStreamQuery(s); });
}
std::string device_sync() {
  return during_capture(cudaStreamCaptureModeGlobal, [](cudaStream_t) { return cudaDeviceSynchronize(); });
}
std::string allocate(cudaStreamCaptureMode mode) {
  void* p = nullptr;
  const std::string answer = during_capture(mode, [&](cudaStream_t) { return cudaMalloc(&p, 1024); });
  if (p != nullptr) cudaFree(p);
  return answer;
}
std::string allocate_global() { return allocate(cudaStreamCaptureModeGlobal); }
std::string allocate_relaxed() { return allocate(cudaStreamCaptureModeRelaxed); }
std::string legacy_work() {
  const Buffer buffer(Kind::device, 1024);
  const Stream stream(cudaStreamDefault);  // a blocking stream: the legacy stream would depend on it
  CONTRACT_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const cudaError_t answer = cudaMemsetAsync(buffer.data, 1, 1024, nullptr);
  cudaGraph_t graph = nullptr;
  const cudaError_t end = cudaStreamEndCapture(stream, &graph);
  (void)cudaGetLastError();
  if (graph != nullptr) cudaGraphDestroy(graph);
  return name_of(answer) + ", " + name_of(end);
}
std::string unjoined() {
  const Buffer buffer(Kind::device, 1024);
  const Stream other;
  const Event event(cudaEventDisableTiming);
  return during_capture(cudaStreamCaptureModeGlobal, [&](cudaStream_t s) {
    CONTRACT_CHECK(cudaEventRecord(event, s));
    CONTRACT_CHECK(cudaStreamWaitEvent(other, event, 0));
    return cudaMemsetAsync(buffer.data, 1, 1024, other);
  });
}
std::string joined() {
  const Buffer buffer(Kind::device, 1024);
  const Stream other;
  const Event fork(cudaEventDisableTiming), join(cudaEventDisableTiming);
  return during_capture(cudaStreamCaptureModeGlobal, [&](cudaStream_t s) {
    CONTRACT_CHECK(cudaEventRecord(fork, s));
    CONTRACT_CHECK(cudaStreamWaitEvent(other, fork, 0));
    CONTRACT_CHECK(cudaMemsetAsync(buffer.data, 1, 1024, other));
    CONTRACT_CHECK(cudaEventRecord(join, other));
    return cudaStreamWaitEvent(s, join, 0);
  });
}
std::string captured_event_query() {
  const Event event(cudaEventDisableTiming);
  return during_capture(cudaStreamCaptureModeGlobal, [&](cudaStream_t s) {
    CONTRACT_CHECK(cudaEventRecord(event, s));
    return cudaEventQuery(event);
  });
}
std::string capture_twice() {
  return during_capture(cudaStreamCaptureModeGlobal,
                        [](cudaStream_t s) { return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); });
}
std::string end_without_begin() {
  const Stream stream;
  cudaGraph_t graph = nullptr;
  const cudaError_t answer = cudaStreamEndCapture(stream, &graph);
  (void)cudaGetLastError();
  return name_of(answer);
}
std::string capture_of_legacy() {
  const cudaError_t answer = cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal);
  (void)cudaGetLastError();
  return name_of(answer);
}

struct Captured {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ~Captured() {
    if (exec != nullptr) cudaGraphExecDestroy(exec);
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
};
void capture(Captured& captured, cudaStream_t stream, void* data, int value, int times) {
  CONTRACT_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  keep_busy(stream, times);
  CONTRACT_CHECK(cudaMemsetAsync(data, value, 1024, stream));
  CONTRACT_CHECK(cudaStreamEndCapture(stream, &captured.graph));
  CONTRACT_CHECK(cudaGraphInstantiate(&captured.exec, captured.graph, 0));
}
int first_byte(const void* device) {
  unsigned char byte = 0;
  CONTRACT_CHECK(cudaMemcpy(&byte, device, 1, cudaMemcpyDeviceToHost));
  return byte;
}

std::string capture_does_nothing() {
  const Buffer buffer(Kind::device, 1024);
  const Stream stream;
  CONTRACT_CHECK(cudaMemset(buffer.data, 1, 1024));
  Captured captured;
  capture(captured, stream, buffer.data, 7, 0);
  return std::to_string(first_byte(buffer.data));
}
std::string launch() {
  const Buffer buffer(Kind::device, 1024);
  const Stream stream;
  Captured captured;
  CONTRACT_CHECK(cudaMemset(buffer.data, 1, 1024));
  CONTRACT_CHECK(cudaDeviceSynchronize());
  capture(captured, stream, buffer.data, 7, 8);
  CONTRACT_CHECK(cudaGraphLaunch(captured.exec, stream));
  const std::string answer = waited(stream);
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  return answer + ", " + std::to_string(first_byte(buffer.data));
}
std::string relaunch() {
  const Buffer buffer(Kind::device, 1024);
  const Stream stream;
  Captured captured;
  capture(captured, stream, buffer.data, 7, 1);
  CONTRACT_CHECK(cudaGraphLaunch(captured.exec, stream));
  CONTRACT_CHECK(cudaMemsetAsync(buffer.data, 3, 1024, stream));
  CONTRACT_CHECK(cudaGraphLaunch(captured.exec, stream));
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  return std::to_string(first_byte(buffer.data));
}
std::string nodes() {
  const Buffer buffer(Kind::device, 1024);
  const Stream stream;
  Captured captured;
  capture(captured, stream, buffer.data, 7, 2);
  std::size_t count = 0;
  CONTRACT_CHECK(cudaGraphGetNodes(captured.graph, nullptr, &count));
  std::size_t roots = 0;
  CONTRACT_CHECK(cudaGraphGetRootNodes(captured.graph, nullptr, &roots));
  return std::to_string(count) + " nodes, " + std::to_string(roots) + " root";
}
std::string status_during_capture() {
  const Stream stream;
  cudaStreamCaptureStatus before{}, during{}, after{};
  CONTRACT_CHECK(cudaStreamIsCapturing(stream, &before));
  CONTRACT_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CONTRACT_CHECK(cudaStreamIsCapturing(stream, &during));
  cudaGraph_t graph = nullptr;
  CONTRACT_CHECK(cudaStreamEndCapture(stream, &graph));
  CONTRACT_CHECK(cudaStreamIsCapturing(stream, &after));
  CONTRACT_CHECK(cudaGraphDestroy(graph));
  return std::to_string(before) + std::to_string(during) + std::to_string(after);
}

}  // namespace

std::vector<Contract> graph_contracts() {
  constexpr const char *kFine = "cudaSuccess, cudaSuccess",
                       *kUnsupported = "cudaErrorStreamCaptureUnsupported, cudaErrorStreamCaptureInvalidated";
  return {
      {"capture of nothing", kFine, nothing},
      {"cudaStreamSynchronize in a capture", kUnsupported, stream_sync},
      {"cudaStreamSynchronize in a relaxed capture", kUnsupported, stream_sync_relaxed},
      {"cudaStreamQuery in a capture", kUnsupported, stream_query},
      {"cudaDeviceSynchronize in a capture", kUnsupported, device_sync},
      {"cudaMalloc in a global capture", kUnsupported, allocate_global},
      {"cudaMalloc in a relaxed capture", kFine, allocate_relaxed},
      {"legacy stream beside a captured blocking stream",
       "cudaErrorStreamCaptureImplicit, cudaErrorStreamCaptureInvalidated", legacy_work},
      {"fork without join", "cudaSuccess, cudaErrorStreamCaptureUnjoined", unjoined},
      {"fork and join", kFine, joined},
      {"query of an event recorded in a capture", "cudaErrorCapturedEvent, cudaErrorStreamCaptureInvalidated",
       captured_event_query, true},
      {"second begin of a capture", "cudaErrorIllegalState, cudaSuccess", capture_twice, true},
      {"end without begin", "cudaErrorIllegalState", end_without_begin, true},
      {"capture of the legacy stream", "cudaErrorStreamCaptureUnsupported", capture_of_legacy},
      {"status before, in and after a capture", "010", status_during_capture},
      {"captured work before the launch", "1", capture_does_nothing},
      {"cudaGraphLaunch", "returns at once, 7", launch},
      {"second launch of a graph", "7", relaunch},
      {"nodes of a captured chain", "3 nodes, 1 root", nodes},
  };
}

}  // namespace zerostall::contract
