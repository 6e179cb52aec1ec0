// Contracts: small CUDA programs whose answers must be the same on the simulated and on a real GPU. They use the public
// runtime API only, and decide "did the host wait?" without a clock: after the call the stream is asked whether its
// long work is still running.
#pragma once
#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace zerostall::contract {

struct Contract {
  const char* name;
  const char* expected;
  std::string (*run)();
  // The documentation leaves this open ("may be synchronous"): a different answer of a real GPU is printed, and tells
  // us what to model; it is no failure there.
  bool open = false;
};

std::vector<Contract> waiting_contracts();       // which calls wait, and for what
std::vector<Contract> stream_contracts();        // order between streams, events, host functions
std::vector<Contract> graph_contracts();         // capture and its rules
std::vector<Contract> graph_update_contracts();  // executable graphs: update, destroy, events and host functions
std::vector<Contract> thread_contracts();        // what threads share
std::vector<Contract> support_contracts();       // pools, pinned and managed memory, functions, priorities
std::vector<Contract> memory_contracts();        // kinds of memory, bytes, errors

// --- what the programs are written with

// Throws std::runtime_error with the call's text and the error's name: the contract then answers that.
void check(cudaError_t error, const char* call);
#define CONTRACT_CHECK(call) ::zerostall::contract::check(call, #call)

std::string name_of(cudaError_t error);

// Queues work of several milliseconds on the stream (memsets of a large buffer: no kernel, hence no nvcc).
void keep_busy(cudaStream_t stream, int times = 8);
bool is_busy(cudaStream_t stream);
// "waits" if the stream's work is over, else "returns at once".
std::string waited(cudaStream_t stream);

struct Stream {  // a stream of its own, destroyed at the end, after its work
  explicit Stream(unsigned flags = cudaStreamNonBlocking);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return handle; }
  cudaStream_t handle = nullptr;
};

struct Event {
  explicit Event(unsigned flags = cudaEventDefault);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return handle; }
  cudaEvent_t handle = nullptr;
};

enum class Kind { device, pinned, pageable, managed };
struct Buffer {
  Buffer(Kind kind, std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Kind kind;
  void* data = nullptr;
};

}  // namespace zerostall::contract
