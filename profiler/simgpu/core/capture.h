// Stream capture: while a stream is captured, what is submitted to it becomes nodes of a graph instead of running.
// Rules: CUDA programming guide, "stream capture"; each broken rule gives the documented error and spoils the capture.
// Functions marked "locked" want the caller to hold Simulator::lock; the others take it.
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "profiler/simgpu/core/graph.h"

namespace zerostall::simgpu {

struct Capture {
  std::uint64_t id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  Graph* graph = nullptr;
  bool into_existing = false;  // cudaStreamBeginCaptureToGraph
  bool invalidated = false;
  Stream* origin = nullptr;
  std::vector<Stream*> streams;  // origin and all that joined through events
  std::thread::id thread;
};

cudaError_t begin_capture(const void* stream, cudaStreamCaptureMode mode, Graph* into, const std::vector<Node*>& from);
cudaError_t end_capture(const void* stream, Graph** graph);

struct CaptureInfo {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  std::uint64_t id = 0;
  Graph* graph = nullptr;
  Node* const* dependencies = nullptr;  // valid until the stream's next captured operation
  std::size_t dependency_count = 0;
};
cudaError_t capture_info(const void* stream, CaptureInfo* info);
cudaError_t update_capture_dependencies(const void* stream, const std::vector<Node*>& nodes, bool add);
cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode);  // of this thread

// For calls that could break a capture going on (cudaMalloc, event queries...): an error if this thread may not make
// them now. Such a call spoils the captures that forbid it. Costs one load when nothing is captured.
cudaError_t check_unsafe_call();

// Locked. For calls that wait for a stream, or ask about it.
cudaError_t check_wait(const Stream& stream);
cudaError_t check_device_wait(int device);
cudaError_t check_event_wait(const Event& event);
// Locked. The legacy stream may not be used while a blocking stream of its device is captured.
cudaError_t check_legacy(const Stream& stream);

// Locked. The operation becomes a node of the stream's capture.
cudaError_t capture_operation(Stream& stream, NodeKind kind, Operation&& operation, const void* event, Node** made);
cudaError_t capture_record(Stream& stream, Event& event, bool external);
cudaError_t capture_wait(Stream& stream, const Event& event, bool external);
void forget_capture(Stream& stream);  // the stream is destroyed

}  // namespace zerostall::simgpu
