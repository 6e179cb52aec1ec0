#include "profiler/simgpu/core/capture.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <unordered_set>

namespace zerostall::simgpu {
namespace {

std::vector<std::unique_ptr<Capture>>& captures() {  // guarded by Simulator::lock
  static auto* all = new std::vector<std::unique_ptr<Capture>>;
  return *all;
}
std::atomic<int> g_captures{0};
std::uint64_t g_next_capture = 1;
thread_local cudaStreamCaptureMode t_mode = cudaStreamCaptureModeGlobal;

Capture* capture_by_id(std::uint64_t id) {
  for (const auto& c : captures())
    if (c->id == id) return c.get();
  return nullptr;
}

cudaError_t spoil(Capture& capture, cudaError_t error) {
  capture.invalidated = true;
  return error;
}

void finish(Capture& capture) {
  for (Stream* stream : capture.streams) {
    stream->capture = nullptr;
    stream->capture_tail.clear();
  }
  std::erase_if(captures(), [&](const auto& c) { return c.get() == &capture; });
  g_captures = static_cast<int>(captures().size());
}

// Whether everything the other streams captured is waited for by the origin.
bool joined(const Capture& capture) {
  std::unordered_set<const Node*> before;
  std::vector<const Node*> open(capture.origin->capture_tail.begin(), capture.origin->capture_tail.end());
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (!before.insert(node).second) continue;
    open.insert(open.end(), node->from.begin(), node->from.end());
  }
  for (const Stream* stream : capture.streams)
    for (const Node* node : stream->capture_tail)
      if (!before.count(node)) return false;
  return true;
}

Operation marker() {
  Operation o{};
  o.kind = OperationKind::empty;
  return o;
}

void add_once(std::vector<Node*>& nodes, Node* node) {
  if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
}

}  // namespace

cudaError_t begin_capture(const void* handle, cudaStreamCaptureMode mode, Graph* into, const std::vector<Node*>& from) {
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  Stream* stream = s.timeline.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (stream->legacy) return cudaErrorStreamCaptureUnsupported;
  if (stream->capture) return cudaErrorIllegalState;
  auto capture = std::make_unique<Capture>();
  capture->id = g_next_capture++;
  capture->mode = mode;
  capture->graph = into ? into : create_graph();
  capture->into_existing = into != nullptr;
  capture->origin = stream;
  capture->streams = {stream};
  capture->thread = std::this_thread::get_id();
  stream->capture = capture.get();
  stream->capture_tail = from;
  captures().push_back(std::move(capture));
  g_captures = static_cast<int>(captures().size());
  return cudaSuccess;
}

cudaError_t end_capture(const void* handle, Graph** graph) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  *graph = nullptr;
  Stream* stream = s.timeline.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  Capture* capture = stream->capture;
  if (!capture) return cudaErrorIllegalState;
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
    return spoil(*capture, cudaErrorStreamCaptureWrongThread);
  if (capture->origin != stream) return spoil(*capture, cudaErrorStreamCaptureUnmatched);
  cudaError_t result = cudaSuccess;
  if (capture->invalidated)
    result = cudaErrorStreamCaptureInvalidated;
  else if (!joined(*capture))
    result = cudaErrorStreamCaptureUnjoined;
  if (result == cudaSuccess)
    *graph = capture->graph;
  else if (!capture->into_existing)
    destroy_graph(capture->graph);
  finish(*capture);
  return result;
}

cudaError_t capture_info(const void* handle, CaptureInfo* info) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  const Stream* stream = s.timeline.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  // Asking about the legacy stream is a use of it, but does not spoil the capture.
  if (stream->legacy)
    for (const auto& c : captures())
      for (const Stream* other : c->streams)
        if (!other->non_blocking && other->device == stream->device) return cudaErrorStreamCaptureImplicit;
  const Capture* capture = stream->capture;
  if (!capture) return cudaSuccess;
  info->status = capture->invalidated ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  if (capture->invalidated) return cudaSuccess;
  info->id = capture->id;
  info->graph = capture->graph;
  info->dependencies = stream->capture_tail.data();
  info->dependency_count = stream->capture_tail.size();
  return cudaSuccess;
}

cudaError_t update_capture_dependencies(const void* handle, const std::vector<Node*>& nodes, bool add) {
  Simulator& s = simulator();
  std::lock_guard guard(s.lock);
  Stream* stream = s.timeline.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (!stream->capture) return cudaErrorIllegalState;
  if (stream->capture->invalidated) return cudaErrorStreamCaptureInvalidated;
  for (const Node* node : nodes)
    if (!node || node->graph != stream->capture->graph) return cudaErrorInvalidValue;
  if (!add) stream->capture_tail.clear();
  for (Node* node : nodes) add_once(stream->capture_tail, node);
  return cudaSuccess;
}

cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode) { return std::exchange(t_mode, mode); }

cudaError_t check_unsafe_call() {
  if (g_captures.load(std::memory_order_relaxed) == 0 || t_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  std::lock_guard guard(simulator().lock);
  cudaError_t result = cudaSuccess;
  for (const auto& c : captures()) {
    const bool own = c->thread == std::this_thread::get_id();
    const bool forbids = own ? c->mode != cudaStreamCaptureModeRelaxed
                             : c->mode == cudaStreamCaptureModeGlobal && t_mode == cudaStreamCaptureModeGlobal;
    if (forbids) result = spoil(*c, cudaErrorStreamCaptureUnsupported);
  }
  return result;
}

cudaError_t check_wait(const Stream& stream) {
  if (stream.capture) return spoil(*stream.capture, cudaErrorStreamCaptureUnsupported);
  return check_legacy(stream);
}

cudaError_t check_device_wait(int device) {
  cudaError_t result = cudaSuccess;
  if (g_captures.load(std::memory_order_relaxed) == 0) return result;
  for (const auto& c : captures())
    for (const Stream* stream : c->streams)
      if (stream->device == device) result = spoil(*c, cudaErrorStreamCaptureUnsupported);
  return result;
}

cudaError_t check_event_wait(const Event& event) {
  if (!event.capture) return cudaSuccess;
  if (Capture* capture = capture_by_id(event.capture)) capture->invalidated = true;
  return cudaErrorCapturedEvent;
}

cudaError_t check_legacy(const Stream& stream) {
  cudaError_t result = cudaSuccess;
  if (!stream.legacy || g_captures.load(std::memory_order_relaxed) == 0) return result;
  for (const auto& c : captures())
    for (const Stream* other : c->streams)
      if (!other->non_blocking && other->device == stream.device) result = spoil(*c, cudaErrorStreamCaptureImplicit);
  return result;
}

cudaError_t capture_operation(Stream& stream, NodeKind kind, Operation&& operation, const void* event, Node** made) {
  Capture& capture = *stream.capture;
  if (capture.invalidated) return cudaErrorStreamCaptureInvalidated;
  Node* node = add_node(*capture.graph, kind, stream.capture_tail);
  if (!node) return spoil(capture, cudaErrorInvalidValue);
  node->operation = std::move(operation);
  node->event = event;
  stream.capture_tail.assign(1, node);
  if (made) *made = node;
  return cudaSuccess;
}

cudaError_t capture_record(Stream& stream, Event& event, bool external) {
  Capture& capture = *stream.capture;
  if (capture.invalidated) return cudaErrorStreamCaptureInvalidated;
  if (external) return capture_operation(stream, NodeKind::record_event, marker(), &event, nullptr);
  event.capture = capture.id;
  event.capture_nodes = stream.capture_tail;
  return cudaSuccess;
}

cudaError_t capture_wait(Stream& stream, const Event& event, bool external) {
  if (external && stream.capture) return capture_operation(stream, NodeKind::wait_event, marker(), &event, nullptr);
  Capture* capture = stream.capture;
  if (capture && capture->invalidated) return cudaErrorStreamCaptureInvalidated;
  if (!event.capture) return spoil(*capture, cudaErrorStreamCaptureIsolation);
  Capture* source = capture_by_id(event.capture);
  if (!source) {
    if (capture) capture->invalidated = true;
    return cudaErrorCapturedEvent;
  }
  if (source->invalidated) return cudaErrorStreamCaptureInvalidated;
  if (capture && capture != source) {
    source->invalidated = true;
    return spoil(*capture, cudaErrorStreamCaptureMerge);
  }
  if (!capture) {
    if (stream.legacy) return spoil(*source, cudaErrorStreamCaptureImplicit);
    stream.capture = source;
    source->streams.push_back(&stream);
  }
  for (Node* node : event.capture_nodes) add_once(stream.capture_tail, node);
  return cudaSuccess;
}

void forget_capture(Stream& stream) {
  Capture* capture = stream.capture;
  if (!capture) return;
  if (capture->origin == &stream) {
    if (!capture->into_existing) destroy_graph(capture->graph);
    finish(*capture);
    return;
  }
  capture->invalidated = true;
  std::erase(capture->streams, &stream);
}

}  // namespace zerostall::simgpu
