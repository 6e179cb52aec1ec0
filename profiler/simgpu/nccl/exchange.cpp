#include "profiler/simgpu/nccl/exchange.h"

#include <algorithm>
#include <cstring>

#include "profiler/simgpu/nccl/reduce.h"
#include "profiler/simgpu/nccl/values.h"

namespace zerostall::simgpu::nccl {
namespace {

bool everybody(const Comm& comm, std::atomic<std::uint64_t> RankState::*counter, std::uint64_t at_least) {
  for (int r = 0; r < comm.ranks; ++r)
    if (comm.meeting.rank(r).*counter < at_least) return false;
  return true;
}

bool travels(const Operation& op) { return contributed_bytes(op) <= kDataBytes; }

bool has_data(const Operation& op) {
  return (op.kind != Kind::broadcast && op.kind != Kind::scatter) || op.comm->rank == op.root;
}

// Returns how certain the operator's factor is.
Certainty apply_operator(const Operation& op, void* data) {
  if (op.reduction < kOps) return Certainty::real;
  const Operator& made = op.comm->operators[static_cast<std::size_t>(op.reduction - kOps)];
  char factor[8] = {};
  Certainty certainty = Certainty::real;
  if (made.device_factor)
    certainty = take(factor, made.device_factor, type_bytes(made.type), made.type);
  else
    std::memcpy(factor, made.factor, sizeof factor);
  scale(data, contributed_bytes(op) / type_bytes(op.type), op.type, factor);
  return certainty;
}

void post(Operation& op) {
  Comm& comm = *op.comm;
  RankState& own = comm.meeting.rank(comm.rank);
  const int reduction = std::min<int>(op.reduction, kOps);  // each rank numbers its operators by itself
  own.contribution = {static_cast<int>(op.kind), op.type, reduction, op.root, op.count, op.ready_ns, Certainty::real};
  if (travels(op) && has_data(op)) {
    const Certainty taken = take(comm.meeting.data(comm.rank), op.send, contributed_bytes(op), op.type);
    own.contribution.certainty = std::max(taken, apply_operator(op, comm.meeting.data(comm.rank)));
  }
  own.posted.store(op.number);
  op.posted = true;
  ring(comm.meeting);
}

std::string text_of(const Contribution& c) {
  return std::string(kind_name(static_cast<Kind>(c.kind))) + "(count " + std::to_string(c.count) + ", type " +
         std::to_string(c.type) + ", op " + std::to_string(c.reduction) + ", root " + std::to_string(c.root) + ")";
}

// Real NCCL hangs or mixes up data when the ranks' calls differ.
Result compare(const Operation& op) {
  const Contribution& own = op.comm->meeting.rank(op.comm->rank).contribution;
  for (int r = 0; r < op.comm->ranks; ++r) {
    const Contribution& other = op.comm->meeting.rank(r).contribution;
    if (other.kind != own.kind || other.type != own.type || other.reduction != own.reduction ||
        other.root != own.root || other.count != own.count)
      return break_comm(op.comm, kInvalidUsage,
                        "the ranks' calls differ (a real GPU would hang): collective " + std::to_string(op.number) +
                            " is " + text_of(own) + " on rank " + std::to_string(op.comm->rank) + " but " +
                            text_of(other) + " on rank " + std::to_string(r));
  }
  return kSuccess;
}

Certainty least_certain(const Operation& op) {
  Certainty least = Certainty::real;
  for (int r = 0; r < op.comm->ranks; ++r)
    least = std::max(least, op.comm->meeting.rank(r).contribution.certainty);  // in the order of the enumeration
  return least;
}

void compute(Operation& op) {
  const Comm& comm = *op.comm;
  const std::size_t block = op.count * type_bytes(op.type), own = static_cast<std::size_t>(comm.rank);
  op.result.resize(received_bytes(op));
  if (op.result.empty()) return;
  char* out = op.result.data();
  switch (op.kind) {
    case Kind::all_reduce:
    case Kind::reduce:
    case Kind::reduce_scatter: {
      const std::size_t offset = op.kind == Kind::reduce_scatter ? own * block : 0;
      std::vector<const void*> inputs;
      for (int r = 0; r < comm.ranks; ++r) inputs.push_back(comm.meeting.data(r) + offset);
      reduce(out, inputs.data(), comm.ranks, op.count, op.type, op.reduction);
      return;
    }
    case Kind::broadcast:
      std::memcpy(out, comm.meeting.data(op.root), block);
      return;
    case Kind::scatter:
      std::memcpy(out, comm.meeting.data(op.root) + own * block, block);
      return;
    default:  // all_gather, gather, all_to_all: one block from each rank
      for (int r = 0; r < comm.ranks; ++r)
        std::memcpy(out + static_cast<std::size_t>(r) * block,
                    comm.meeting.data(r) + (op.kind == Kind::all_to_all ? own * block : 0), block);
  }
}

Advance take_result(Operation& op) {
  Comm& comm = *op.comm;
  if (const Result r = compare(op)) return {r};
  op.latest_ns = 0;
  for (int r = 0; r < comm.ranks; ++r)
    op.latest_ns = std::max(op.latest_ns, comm.meeting.rank(r).contribution.ready_ns);
  op.certainty = travels(op) ? least_certain(op) : Certainty::unknown;
  if (travels(op)) compute(op);
  comm.meeting.rank(comm.rank).done.store(op.number);
  op.finished = true;
  ring(comm.meeting);
  return {kSuccess, true};
}

Advance collective(Operation& op) {
  const Comm& comm = *op.comm;
  if (!op.posted) {
    if (!everybody(comm, &RankState::done, op.number - 1)) return {};
    post(op);
    return {kSuccess, true};
  }
  return everybody(comm, &RankState::posted, op.number) ? take_result(op) : Advance{};
}

// A channel's bytes form a ring.
void ring_write(Channel& channel, std::uint64_t at, const char* data, std::size_t bytes) {
  const std::size_t offset = at % kChannelBytes, first = std::min(bytes, kChannelBytes - offset);
  std::memcpy(channel.data + offset, data, first);
  std::memcpy(channel.data, data + first, bytes - first);
}
void ring_read(const Channel& channel, std::uint64_t at, char* data, std::size_t bytes) {
  const std::size_t offset = at % kChannelBytes, first = std::min(bytes, kChannelBytes - offset);
  std::memcpy(data, channel.data + offset, first);
  std::memcpy(data + first, channel.data, bytes - first);
}

Advance send(Operation& op) {
  Comm& comm = *op.comm;
  Channel& channel = comm.meeting.channel(comm.rank, op.root);
  const std::uint64_t sent = channel.sent, at = channel.bytes_in;
  const std::size_t bytes = contributed_bytes(op);
  const bool carried = travels(op);
  if (sent - channel.received >= kMessages) return {};
  if (carried && at + bytes - channel.bytes_out > kChannelBytes) return {};
  Message& message = channel.messages[sent % kMessages];
  message = {bytes, op.ready_ns, Certainty::unknown, carried};
  if (carried) {
    std::vector<char> data(bytes);
    message.certainty = take(data.data(), op.send, bytes, op.type);
    ring_write(channel, at, data.data(), bytes);
    channel.bytes_in.store(at + bytes);
  }
  channel.sent.store(sent + 1);
  op.latest_ns = op.ready_ns;
  op.posted = op.finished = true;
  ring(comm.meeting);
  return {kSuccess, true};
}

Advance receive(Operation& op) {
  Comm& comm = *op.comm;
  Channel& channel = comm.meeting.channel(op.root, comm.rank);
  const std::uint64_t received = channel.received, at = channel.bytes_out;
  if (channel.sent == received) return {};
  const Message message = channel.messages[received % kMessages];
  const std::size_t wanted = received_bytes(op);
  if (message.bytes != wanted)
    return {break_comm(&comm, kInvalidUsage,
                       "rank " + std::to_string(comm.rank) + " receives " + std::to_string(wanted) +
                           " bytes, but rank " + std::to_string(op.root) + " sends " + std::to_string(message.bytes))};
  if (message.carried) {
    op.result.resize(wanted);
    ring_read(channel, at, op.result.data(), wanted);
    channel.bytes_out.store(at + wanted);
  }
  op.certainty = message.carried ? message.certainty : Certainty::unknown;
  op.latest_ns = std::max(op.ready_ns, message.ready_ns);
  channel.received.store(received + 1);
  op.posted = op.finished = true;
  ring(comm.meeting);
  return {kSuccess, true};
}

}  // namespace

std::size_t contributed_bytes(const Operation& op) {
  const std::size_t block = op.count * type_bytes(op.type);
  const bool block_for_each =
      op.kind == Kind::reduce_scatter || op.kind == Kind::all_to_all || op.kind == Kind::scatter;
  return block_for_each ? block * static_cast<std::size_t>(op.comm->ranks) : block;
}

std::size_t received_bytes(const Operation& op) {
  const std::size_t block = op.count * type_bytes(op.type);
  switch (op.kind) {
    case Kind::send:
    case Kind::join:
    case Kind::shrink:
      return 0;
    case Kind::reduce:
      return op.comm->rank == op.root ? block : 0;
    case Kind::gather:
      return op.comm->rank == op.root ? block * static_cast<std::size_t>(op.comm->ranks) : 0;
    case Kind::all_gather:
    case Kind::all_to_all:
      return block * static_cast<std::size_t>(op.comm->ranks);
    default:
      return block;
  }
}

Advance advance(Operation& op) {
  if (op.kind == Kind::join) {
    const Result r = check_joined(op.comm);
    if (r != kSuccess && r != kInProgress) return {r};
    op.finished = r == kSuccess;
    return {kSuccess, op.finished};
  }
  if (op.kind == Kind::shrink) {
    op.finished = op.comm->meeting.rank(op.root).shrinks >= op.number;
    return {kSuccess, op.finished};
  }
  if (!op.comm->joined) {  // a non-blocking communicator used before it was ready
    const Result r = check_joined(op.comm);
    if (r != kSuccess) return {r == kInProgress ? kSuccess : r};
  }
  if (op.kind == Kind::send) return send(op);
  if (op.kind == Kind::receive) return receive(op);
  return collective(op);
}

}  // namespace zerostall::simgpu::nccl
