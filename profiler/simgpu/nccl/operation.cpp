#include "profiler/simgpu/nccl/operation.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "profiler/simgpu/nccl/exchange.h"

namespace zerostall::simgpu::nccl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookMs = 100;    // how often a waiting rank looks whether its peers still live
constexpr int kLookManyMs = 2;  // the same for groups over several communicators: only one of them can wake us

Clock::duration patience() {
  static const long seconds = [] {
    const char* text = std::getenv("ZEROSTALL_SIM_NCCL_TIMEOUT");
    const long value = text ? std::atol(text) : 0;
    return value > 0 ? value : 600;
  }();
  return std::chrono::seconds(seconds);
}

std::string describe(const Operation& op) {
  if (op.kind == Kind::join) return "the communicator's initialisation";
  if (op.kind == Kind::send || op.kind == Kind::receive)
    return std::string(kind_name(op.kind)) + " with rank " + std::to_string(op.root);
  return std::string(kind_name(op.kind)) + ", collective " + std::to_string(op.number) + " of its communicator";
}

// Ranks that an unfinished operation waits for.
std::vector<int> awaited(const Operation& op) {
  if (op.kind == Kind::send || op.kind == Kind::receive || op.kind == Kind::shrink) return {op.root};
  std::vector<int> ranks;
  for (int r = 0; r < op.comm->ranks; ++r) {
    const RankState& state = op.comm->meeting.rank(r);
    const bool missing = op.kind == Kind::join ? state.presence == Presence::absent
                         : op.posted           ? state.posted < op.number
                                               : state.done + 1 < op.number;
    if (missing) ranks.push_back(r);
  }
  return ranks;
}

// An error if one of the awaited ranks can never come.
Result look_for_the_lost(Operation& op) {
  Comm* comm = op.comm;
  if (comm->aborted) return fail(comm, kInternalError, "the communicator was aborted during " + describe(op));
  for (const int r : awaited(op)) {
    const RankState& state = comm->meeting.rank(r);
    const Presence presence = state.presence;
    if (presence == Presence::absent && state.pid == 0) continue;  // has not come yet
    const char* fate = presence == Presence::left      ? " has left the communicator"
                       : presence == Presence::aborted ? " has aborted the communicator"
                       : !is_alive(state)              ? " has ended"
                                                       : nullptr;
    // What it did before it went counts: look once more.
    if (fate && !advance(op).moved && !op.finished)
      return break_comm(comm, kRemoteError,
                        "rank " + std::to_string(r) + fate + "; rank " + std::to_string(comm->rank) +
                            " waits for it in " + describe(op));
  }
  return kSuccess;
}

Result give_up(const Operation& op) {
  std::string who;
  for (const int r : awaited(op)) who += (who.empty() ? "" : ", ") + std::to_string(r);
  return break_comm(op.comm, kRemoteError,
                    "timeout: rank " + std::to_string(op.comm->rank) + " waited " +
                        std::to_string(std::chrono::duration_cast<std::chrono::seconds>(patience()).count()) +
                        " s in " + describe(op) + " for rank " + who + " (ZEROSTALL_SIM_NCCL_TIMEOUT)");
}

// One look at each operation. `moved`: at least one made progress.
Result pass(std::vector<Operation>& operations, bool* moved, Operation** waiting) {
  *moved = false;
  *waiting = nullptr;
  for (Operation& op : operations) {
    if (op.finished) continue;
    if (op.comm->error && op.kind != Kind::shrink) return static_cast<Result>(op.comm->error.load());
    const Advance a = advance(op);
    if (a.error) return a.error;
    *moved |= a.moved;
    if (!op.finished && !*waiting) *waiting = &op;
  }
  return kSuccess;
}

struct Using {  // the communicators' memory stays mapped meanwhile
  explicit Using(std::vector<Operation>& ops) : operations(ops) {
    for (Operation& op : operations) ++op.comm->users;
  }
  ~Using() {
    for (Operation& op : operations) --op.comm->users;
  }
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;
  std::vector<Operation>& operations;
};

}  // namespace

const char* kind_name(Kind kind) {
  static const char* names[] = {"AllReduce", "Broadcast", "Reduce", "AllGather", "ReduceScatter", "AlltoAll",
                                "Gather",    "Scatter",   "Send",   "Recv",      "CommInitRank",  "CommShrink"};
  return names[static_cast<int>(kind)];
}

Result progress(std::vector<Operation>& operations) {
  if (operations.empty()) return kSuccess;
  Using in_use(operations);
  const bool one_comm = std::all_of(operations.begin(), operations.end(),
                                    [&](const Operation& op) { return op.comm == operations.front().comm; });
  Clock::time_point since = Clock::now(), looked = since;
  for (;;) {
    const std::uint32_t seen = rings(operations.front().comm->meeting);
    bool moved = false;
    Operation* waiting = nullptr;
    if (const Result r = pass(operations, &moved, &waiting)) return r;
    if (!waiting) return kSuccess;
    const Clock::time_point now = Clock::now();
    if (moved) {
      since = now;
      continue;
    }
    if (now - looked >= std::chrono::milliseconds(kLookMs) || waiting->comm->aborted) {
      looked = now;
      for (Operation& op : operations)
        if (!op.finished)
          if (const Result r = look_for_the_lost(op)) return r;
    }
    if (now - since > patience()) return give_up(*waiting);
    wait_for_ring(operations.front().comm->meeting, seen, one_comm ? kLookMs : kLookManyMs);
  }
}

Result wait_for_shrink(Comm* comm, int rank, std::uint64_t wanted) {
  std::vector<Operation> one(1);
  one[0].kind = Kind::shrink;
  one[0].comm = comm;
  one[0].root = rank;
  one[0].number = wanted;
  return progress(one);
}

}  // namespace zerostall::simgpu::nccl
