// Entry points: collectives, point to point, groups, operators.
#include <cstring>

#include "profiler/simgpu/nccl/api.h"
#include "profiler/simgpu/nccl/group.h"

using namespace zerostall::simgpu::nccl;

namespace {

Result check(const Operation& op) {
  Comm* comm = op.comm;
  const auto bad = [&](const char* what) {
    return fail(comm, kInvalidArgument, std::string(kind_name(op.kind)) + ": " + what);
  };
  if (!type_bytes(op.type)) return bad("invalid data type");
  if (op.root < 0 || op.root >= comm->ranks) return bad("invalid root or peer");
  const auto made = static_cast<std::size_t>(op.reduction - kOps);
  if (op.reduction < 0 || (op.reduction >= kOps && (made >= comm->operators.size() || !comm->operators[made].used)))
    return bad("invalid reduction operator");
  if (op.count == 0) return kSuccess;
  const bool sends =
      op.kind != Kind::receive && ((op.kind != Kind::broadcast && op.kind != Kind::scatter) || comm->rank == op.root);
  if (sends && !op.send) return bad("no send buffer");
  if (received_bytes(op) && !op.receive) return bad("no receive buffer");
  return kSuccess;
}

Result queue(Operation&& op, void* handle) {
  op.comm = comm_of(handle);
  if (!op.comm) return fail(nullptr, kInvalidArgument, "invalid communicator");
  if (const Result r = check(op)) return r;
  if (op.comm->error) return static_cast<Result>(op.comm->error.load());
  if (op.count == 0 && (op.kind == Kind::send || op.kind == Kind::receive)) return kSuccess;
  return submit(std::move(op));
}

Operation make(Kind kind, const void* send, void* receive, std::size_t count, int type, const void* stream) {
  Operation op{};
  op.kind = kind;
  op.send = send;
  op.receive = receive;
  op.count = count;
  op.type = type;
  op.stream = stream;
  return op;
}

}  // namespace

EXPORT int ncclAllReduce(const void* send, void* receive, std::size_t count, int type, int reduction, void* comm,
                         cudaStream_t stream) {
  Operation op = make(Kind::all_reduce, send, receive, count, type, stream);
  op.reduction = reduction;
  return queue(std::move(op), comm);
}
EXPORT int ncclReduce(const void* send, void* receive, std::size_t count, int type, int reduction, int root, void* comm,
                      cudaStream_t stream) {
  Operation op = make(Kind::reduce, send, receive, count, type, stream);
  op.reduction = reduction;
  op.root = root;
  return queue(std::move(op), comm);
}
EXPORT int ncclReduceScatter(const void* send, void* receive, std::size_t count, int type, int reduction, void* comm,
                             cudaStream_t stream) {
  Operation op = make(Kind::reduce_scatter, send, receive, count, type, stream);
  op.reduction = reduction;
  return queue(std::move(op), comm);
}
EXPORT int ncclBroadcast(const void* send, void* receive, std::size_t count, int type, int root, void* comm,
                         cudaStream_t stream) {
  Operation op = make(Kind::broadcast, send, receive, count, type, stream);
  op.root = root;
  return queue(std::move(op), comm);
}
EXPORT int ncclBcast(void* buffer, std::size_t count, int type, int root, void* comm, cudaStream_t stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}
EXPORT int ncclAllGather(const void* send, void* receive, std::size_t count, int type, void* comm,
                         cudaStream_t stream) {
  return queue(make(Kind::all_gather, send, receive, count, type, stream), comm);
}
EXPORT int ncclAlltoAll(const void* send, void* receive, std::size_t count, int type, void* comm, cudaStream_t stream) {
  return queue(make(Kind::all_to_all, send, receive, count, type, stream), comm);
}
EXPORT int ncclGather(const void* send, void* receive, std::size_t count, int type, int root, void* comm,
                      cudaStream_t stream) {
  Operation op = make(Kind::gather, send, receive, count, type, stream);
  op.root = root;
  return queue(std::move(op), comm);
}
EXPORT int ncclScatter(const void* send, void* receive, std::size_t count, int type, int root, void* comm,
                       cudaStream_t stream) {
  Operation op = make(Kind::scatter, send, receive, count, type, stream);
  op.root = root;
  return queue(std::move(op), comm);
}
EXPORT int ncclSend(const void* send, std::size_t count, int type, int peer, void* comm, cudaStream_t stream) {
  Operation op = make(Kind::send, send, nullptr, count, type, stream);
  op.root = peer;
  return queue(std::move(op), comm);
}
EXPORT int ncclRecv(void* receive, std::size_t count, int type, int peer, void* comm, cudaStream_t stream) {
  Operation op = make(Kind::receive, nullptr, receive, count, type, stream);
  op.root = peer;
  return queue(std::move(op), comm);
}

EXPORT int ncclGroupStart() {
  group_start();
  return kSuccess;
}
EXPORT int ncclGroupEnd() { return group_end(); }
EXPORT int ncclGroupSimulateEnd(SimulationInfo* info) {
  float estimated_us = 0;
  if (const Result r = group_simulate_end(&estimated_us)) return r;
  if (info) info->estimated_us = estimated_us;
  return kSuccess;
}

EXPORT int ncclRedOpCreatePreMulSum(int* op, void* factor, int type, int residence, void* handle) {
  Comm* comm = comm_of(handle);
  const std::size_t bytes = type_bytes(type);
  if (!comm || !op || !factor || !bytes) return fail(comm, kInvalidArgument, "RedOpCreatePreMulSum: invalid argument");
  Operator made{true, type, residence == kScalarDevice ? factor : nullptr, {}};
  if (residence != kScalarDevice) std::memcpy(made.factor, factor, bytes);
  auto& all = comm->operators;
  std::size_t place = 0;
  while (place < all.size() && all[place].used) ++place;
  if (place == all.size()) all.emplace_back();
  all[place] = made;
  *op = kOps + static_cast<int>(place);
  return kSuccess;
}
EXPORT int ncclRedOpDestroy(int op, void* handle) {
  Comm* comm = comm_of(handle);
  const auto place = static_cast<std::size_t>(op - kOps);
  if (!comm || op < kOps || place >= comm->operators.size() || !comm->operators[place].used)
    return fail(comm, kInvalidArgument, "RedOpDestroy: no such operator");
  comm->operators[place].used = false;
  return kSuccess;
}
