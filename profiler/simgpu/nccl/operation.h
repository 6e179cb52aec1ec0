// One collective, send or receive of one rank, and how a group of them makes progress together with the peers.
//
// The host thread waits in real time, inside the enqueuing call, until all ranks have issued the same collective,
// because its end on the virtual clock and its values depend on them. Virtual host time does not pass meanwhile. Sends
// do not wait (256 messages and 2 MiB may be in flight to a peer), receives wait for their send. A program is only
// stopped by this if it makes a rank wait for its peer outside of NCCL between two matching calls. It is never stopped
// for ever: a peer that ended, left or aborted is an error at once, and so is a different collective; anything else
// after ZEROSTALL_SIM_NCCL_TIMEOUT seconds (default 600).
#pragma once
#include <cstdint>
#include <vector>

#include "profiler/simgpu/nccl/comm.h"

namespace zerostall::simgpu::nccl {

enum class Kind : int {
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  send,
  receive,
  join,    // waiting for all ranks to be there
  shrink,  // waiting for the id of a smaller communicator
};
const char* kind_name(Kind kind);  // "AllReduce"

struct Operation {
  Kind kind;
  Comm* comm;
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t count = 0;
  int type = kInt8;
  int reduction = kSum;
  int root = 0;  // or the peer
  const void* stream = nullptr;
  bool bookkeeping = false;                // of the library itself, on host memory: launches nothing
  std::vector<char>* collected = nullptr;  // where the result of that goes

  // Progress.
  std::uint64_t number = 0;  // of the collectives of this communicator, from 1
  bool posted = false, finished = false;
  std::int64_t ready_ns = 0;   // when this rank's kernel could start
  std::int64_t latest_ns = 0;  // when the last participant's could
  std::vector<char> result;
  Certainty certainty = Certainty::unknown;  // of `result`
};

// Bytes that this rank's peers get from it at most; the same on all ranks.
std::size_t contributed_bytes(const Operation& op);
// Bytes this rank's receive buffer gets; 0 if it gets none.
std::size_t received_bytes(const Operation& op);

// Returns when all have finished or one has failed. `ready_ns` must be set.
Result progress(std::vector<Operation>& operations);

// Until `rank` has published its id for the `wanted`-th shrink of the communicator.
Result wait_for_shrink(Comm* comm, int rank, std::uint64_t wanted);

}  // namespace zerostall::simgpu::nccl
