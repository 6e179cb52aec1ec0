// Copies and memsets: which of them wait, how long they take, and which bytes really move. Rules: CUDA runtime API
// documentation, "API synchronization behavior", and the programming guide on staging of pageable memory.
#pragma once
#include <cstddef>
#include <cstdint>

namespace zerostall::simgpu {

// What a 2D or 3D copy covers: `slices` of `rows` of `width` bytes; pitches in bytes. Zero rows: one piece of memory.
struct Shape {
  std::size_t width = 0, rows = 0, slices = 1;
  std::size_t target_pitch = 0, target_slice = 0;  // from row to row, from slice to slice
  std::size_t source_pitch = 0, source_slice = 0;
};

enum class CopyKind : std::uint8_t { any, host_to_host, upload, download, on_device };

struct CopyRequest {
  void* target;
  const void* source;
  std::size_t bytes;  // in all
  const void* stream;
  bool async;                     // issued by an API with "Async" in its name
  const char* api;                // for the book: "cudaMemcpyAsync"
  CopyKind kind = CopyKind::any;  // refused when the addresses contradict it
  Shape shape = {};
};

// Numbers are those of cudaError_t and CUresult alike. Errors of stream capture (900 and on) pass through unnamed.
enum class CopyStatus : int { ok = 0, invalid_value = 1, invalid_stream = 400 };

// Queues the copy, lets the host wait as the real call would, and moves the bytes. Direction follows from the
// addresses.
CopyStatus copy(const CopyRequest& request);

// The request of a 2D or 3D copy (width x rows x slices), with `bytes` filled in. A width above a pitch it needs is an
// error of the caller's to report: see fits_pitch.
CopyRequest shaped(CopyRequest request, const Shape& shape);
bool fits_pitch(const Shape& shape);

struct SetRequest {
  void* target;
  int value;
  std::size_t bytes;  // in all
  const void* stream;
  bool async;
  int width = 1;     // of an element: 1, 2 or 4 bytes; the target must be a multiple of it
  Shape shape = {};  // target side only
};
CopyStatus set(const SetRequest& request);
SetRequest shaped(SetRequest request, const Shape& shape);

}  // namespace zerostall::simgpu
