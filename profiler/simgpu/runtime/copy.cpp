// cudaMemcpy and cudaMemset of one piece of memory, between devices, in batches, and to variables of device code.
#include "profiler/simgpu/core/copy.h"

#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/core/symbols.h"
#include "profiler/simgpu/runtime/copy_kind.h"
#include "profiler/simgpu/runtime/support.h"
#include "runtime_behaviours.h"

using namespace zerostall::simgpu;

namespace {

cudaError_t status(CopyStatus s) { return static_cast<cudaError_t>(s); }

cudaError_t linear(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind, const void* stream,
                   bool async, const char* api) {
  if (!known_kind(kind)) return cudaErrorInvalidMemcpyDirection;
  return status(copy({target, source, bytes, stream, async, api, copy_kind(kind)}));
}

bool known_device(int device) { return device >= 0 && device < device_count(); }

cudaError_t peer(void* target, int target_device, const void* source, int source_device, std::size_t bytes,
                 const void* stream, bool async, const char* api) {
  if (!known_device(target_device) || !known_device(source_device)) return cudaErrorInvalidDevice;
  return status(copy({target, source, bytes, stream, async, api, CopyKind::on_device}));
}

// Address of a part of a symbol, or the error.
cudaError_t part_of(const void* symbol, std::size_t offset, std::size_t bytes, char** address) {
  const SymbolMemory memory = symbol_memory(symbol, current_device());
  if (!memory.address) return cudaErrorInvalidSymbol;
  if (offset > memory.bytes || bytes > memory.bytes - offset) return cudaErrorInvalidValue;
  *address = static_cast<char*>(memory.address) + offset;
  return cudaSuccess;
}

cudaError_t to_symbol(const void* symbol, const void* source, std::size_t bytes, std::size_t offset,
                      cudaMemcpyKind kind, const void* stream, bool async, const char* api) {
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost) return cudaErrorInvalidMemcpyDirection;
  char* target = nullptr;
  const cudaError_t error = part_of(symbol, offset, bytes, &target);
  return error ? error : linear(target, source, bytes, kind, stream, async, api);
}

cudaError_t from_symbol(void* target, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                        const void* stream, bool async, const char* api) {
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice) return cudaErrorInvalidMemcpyDirection;
  char* source = nullptr;
  const cudaError_t error = part_of(symbol, offset, bytes, &source);
  return error ? error : linear(target, source, bytes, kind, stream, async, api);
}

}  // namespace

extern "C" {

cudaError_t sim_cudaMemcpy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind) {
  return linear(target, source, bytes, kind, nullptr, false, "cudaMemcpy");
}
cudaError_t sim_cudaMemcpyAsync(void* target, const void* source, size_t bytes, cudaMemcpyKind kind,
                                cudaStream_t stream) {
  return linear(target, source, bytes, kind, stream, true, "cudaMemcpyAsync");
}
cudaError_t sim_cudaMemcpyPeer(void* target, int target_device, const void* source, int source_device, size_t bytes) {
  return peer(target, target_device, source, source_device, bytes, nullptr, false, "cudaMemcpyPeer");
}
cudaError_t sim_cudaMemcpyPeerAsync(void* target, int target_device, const void* source, int source_device,
                                    size_t bytes, cudaStream_t stream) {
  return peer(target, target_device, source, source_device, bytes, stream, true, "cudaMemcpyPeerAsync");
}

cudaError_t sim_cudaMemcpyBatchAsync(void* const* targets, const void* const* sources, const size_t* bytes,
                                     size_t count, cudaMemcpyAttributes* attributes, size_t* first_of_attribute,
                                     size_t attribute_count, cudaStream_t stream) {
  // Each attribute applies from its first copy on, so there must be one for copy 0 and not more than copies.
  if (!targets || !sources || !bytes || !count || !attributes || !first_of_attribute || !attribute_count ||
      attribute_count > count || first_of_attribute[0] != 0 || !stream || stream == cudaStreamLegacy)
    return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (const auto s = copy({targets[i], sources[i], bytes[i], stream, true, "cudaMemcpyBatchAsync"});
        s != CopyStatus::ok)
      return status(s);
  return cudaSuccess;
}

cudaError_t sim_cudaMemcpyToSymbol(const void* symbol, const void* source, size_t bytes, size_t offset,
                                   cudaMemcpyKind kind) {
  return to_symbol(symbol, source, bytes, offset, kind, nullptr, false, "cudaMemcpyToSymbol");
}
cudaError_t sim_cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t bytes, size_t offset,
                                        cudaMemcpyKind kind, cudaStream_t stream) {
  return to_symbol(symbol, source, bytes, offset, kind, stream, true, "cudaMemcpyToSymbolAsync");
}
cudaError_t sim_cudaMemcpyFromSymbol(void* target, const void* symbol, size_t bytes, size_t offset,
                                     cudaMemcpyKind kind) {
  return from_symbol(target, symbol, bytes, offset, kind, nullptr, false, "cudaMemcpyFromSymbol");
}
cudaError_t sim_cudaMemcpyFromSymbolAsync(void* target, const void* symbol, size_t bytes, size_t offset,
                                          cudaMemcpyKind kind, cudaStream_t stream) {
  return from_symbol(target, symbol, bytes, offset, kind, stream, true, "cudaMemcpyFromSymbolAsync");
}
cudaError_t sim_cudaGetSymbolAddress(void** address, const void* symbol) {
  if (!address) return cudaErrorInvalidValue;
  *address = symbol_memory(symbol, current_device()).address;
  return *address ? cudaSuccess : cudaErrorInvalidSymbol;
}
cudaError_t sim_cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  if (!bytes) return cudaErrorInvalidValue;
  *bytes = symbol_memory(symbol, current_device()).bytes;
  return *bytes ? cudaSuccess : cudaErrorInvalidSymbol;
}

cudaError_t sim_cudaMemset(void* target, int value, size_t bytes) {
  return status(set({target, value, bytes, nullptr, false}));
}
cudaError_t sim_cudaMemsetAsync(void* target, int value, size_t bytes, cudaStream_t stream) {
  return status(set({target, value, bytes, stream, true}));
}

}  // extern "C"
