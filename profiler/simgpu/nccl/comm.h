// A communicator as one rank holds it. One thread at a time makes calls on it, except that any thread may ask for its
// error or abort it.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "profiler/simgpu/nccl/abi.h"
#include "profiler/simgpu/nccl/meeting.h"

namespace zerostall::simgpu::nccl {

struct Operator {  // of ncclRedOpCreatePreMulSum
  bool used = false;
  int type = 0;
  const void* device_factor = nullptr;  // read when the collective runs, if not null
  char factor[8] = {};
};

struct Comm {
  static constexpr std::uint64_t kMagic = 0x7a734e43434c0001;

  std::uint64_t magic = kMagic;
  int rank = 0, ranks = 1;
  int device = 0;  // as the process numbers devices
  bool blocking = true;
  UniqueId id{};
  Meeting meeting;
  std::uint64_t collectives = 0;  // queued by this rank
  std::uint64_t shrinks = 0;      // begun by this rank
  std::vector<Operator> operators;

  std::atomic<bool> joined{false};   // all ranks have been seen
  std::atomic<bool> aborted{false};  // by another thread
  std::atomic<int> error{kSuccess};  // a communicator that failed once stays so
  std::atomic<int> users{0};         // calls that are using `meeting`
  std::mutex text_lock;
  std::string text;  // of the last error
};

// Null unless `handle` is a living communicator.
Comm* comm_of(void* handle);

// Keeps the text for ncclGetLastError and returns `result`. `comm` may be null.
Result fail(Comm* comm, Result result, const std::string& text);
// The communicator's first failure: also its asynchronous error from now on.
Result break_comm(Comm* comm, Result result, const std::string& text);
std::string last_error(Comm* comm);

// Seats a rank; does not wait for the others. `config` may be null.
Result seat(Comm** out, int ranks, const UniqueId& id, int rank, int device, bool blocking);
// kInProgress until all ranks are there; then moves the host's clock to the latest of them.
Result check_joined(Comm* comm);
// Ends this rank's part and frees the communicator. `how`: left or aborted.
void leave(Comm* comm, Presence how);

}  // namespace zerostall::simgpu::nccl
