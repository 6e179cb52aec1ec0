// Copies and memsets: which of them wait, how long they take, and which bytes really move. Rules: CUDA runtime API
// documentation, "API synchronization behavior", and the programming guide on staging of pageable memory.
#pragma once
#include <cstddef>

namespace zerostall::simgpu {

struct CopyRequest {
  void* target;
  const void* source;
  std::size_t bytes;
  const void* stream;
  bool async;       // issued by an API with "Async" in its name
  const char* api;  // for the book: "cudaMemcpyAsync"
};

// Numbers are those of cudaError_t and CUresult alike. Errors of stream capture (900 and on) pass through unnamed.
enum class CopyStatus : int { ok = 0, invalid_value = 1, invalid_stream = 400 };

// Queues the copy, lets the host wait as the real call would, and moves the bytes. Direction follows from the
// addresses.
CopyStatus copy(const CopyRequest& request);

struct SetRequest {
  void* target;
  int value;
  std::size_t bytes;
  const void* stream;
  bool async;
};
CopyStatus set(const SetRequest& request);

}  // namespace zerostall::simgpu
