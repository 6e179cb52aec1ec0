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

enum class CopyStatus { ok, invalid_value, invalid_stream };

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
