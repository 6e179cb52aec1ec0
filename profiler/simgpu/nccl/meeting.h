// Where the ranks of a communicator meet: one memory object shared by their processes. It is an anonymous file
// (memfd_create), so it has no name in any folder and is gone with the last process that holds it, crashed or not.
// The unique id says which process made it and under which descriptor; the others open it through /proc. Hence all
// ranks live on one machine, in one PID namespace, under one user.
// Everything in here that several processes touch is atomic, or written by one rank before it raises a counter and read
// by others after they saw that counter.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "profiler/simgpu/core/contents.h"
#include "profiler/simgpu/nccl/abi.h"

namespace zerostall::simgpu::nccl {

inline constexpr std::size_t kDataBytes = std::size_t{1} << 20;  // of one rank in one collective; more does not travel
inline constexpr std::size_t kChannelBytes = std::size_t{2} << 20;  // in flight from one rank to another
inline constexpr std::uint64_t kMessages = 256;                     // in flight from one rank to another

// One rank's part in a collective.
struct Contribution {
  int kind, type, reduction, root;
  std::uint64_t count;
  std::int64_t ready_ns;  // when this rank's kernel could start, on its own virtual clock
  Certainty certainty;    // of the bytes
};

struct Message {
  std::uint64_t bytes;
  std::int64_t ready_ns;
  Certainty certainty;
  bool carried;
};

enum class Presence : int { absent, there, left, aborted };

struct alignas(64) RankState {
  std::atomic<Presence> presence;
  std::atomic<int> pid;
  std::atomic<std::uint64_t> process_start;  // tells a process from a later one with the same pid
  std::atomic<int> device;
  std::atomic<std::int64_t> joined_ns;
  std::atomic<std::uint64_t> posted, done;  // collectives: contribution in place; result taken
  Contribution contribution;
  std::atomic<std::uint64_t> shrinks;  // ids published in `shrink_id`
  UniqueId shrink_id;
};

struct alignas(64) Channel {  // from one rank to another
  std::atomic<std::uint64_t> sent, received;
  std::atomic<std::uint64_t> bytes_in, bytes_out;
  Message messages[kMessages];
  char data[kChannelBytes];
};

struct Header;

struct Meeting {
  char* base = nullptr;
  std::size_t bytes = 0;
  int ranks = 0;

  Header& header() const;
  RankState& rank(int r) const;
  char* data(int r) const;  // kDataBytes
  Channel& channel(int from, int to) const;
};

// Makes a meeting and its id. kSystemError: `why` says what failed.
Result create_meeting(UniqueId* id, std::string* why);
// Maps the meeting of `id` for `ranks` ranks. kInvalidArgument: not an id, or the ranks do not agree on their number;
// kSystemError: its maker is gone.
Result open_meeting(const UniqueId& id, int ranks, Meeting* meeting, std::string* why);
void close_meeting(Meeting* meeting);
// The maker's descriptor is not needed any more, since everybody is there. No effect in other processes.
void forget_id(const UniqueId& id);

// Takes the seat of `rank` for this process. false: somebody sits there.
bool take_seat(const Meeting& meeting, int rank, int device, std::int64_t now_ns);
// False once the process of that rank has ended (a zombie has).
bool is_alive(const RankState& state);

// Something changed; everybody looks again.
void ring(const Meeting& meeting);
std::uint32_t rings(const Meeting& meeting);
// Sleeps until the count of rings differs from `seen`, or `milliseconds` have passed.
void wait_for_ring(const Meeting& meeting, std::uint32_t seen, int milliseconds);

}  // namespace zerostall::simgpu::nccl
