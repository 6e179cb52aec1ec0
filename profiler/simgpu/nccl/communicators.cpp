// Entry points: ids, communicators and their errors, registration.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/nccl/api.h"
#include "profiler/simgpu/nccl/group.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::nccl;

namespace {

bool is_blocking(const Config* config, bool otherwise) {
  return config && (config->blocking == 0 || config->blocking == 1) ? config->blocking == 1 : otherwise;
}

// Waits for the others; inside a group ncclGroupEnd does.
Result join(Comm* comm) {
  Operation op{};
  op.kind = Kind::join;
  op.comm = comm;
  return submit(std::move(op));
}

int init(void** out, int ranks, const UniqueId& id, int rank, int device, bool blocking) {
  if (!out || ranks < 1 || rank < 0 || rank >= ranks)
    return fail(nullptr, kInvalidArgument,
                "CommInitRank: rank " + std::to_string(rank) + " of " + std::to_string(ranks));
  Comm* comm = nullptr;
  *out = nullptr;
  if (const Result r = seat(&comm, ranks, id, rank, device, blocking)) return r;
  *out = comm;
  const Result r = join(comm);
  if (r == kSuccess || r == kInProgress) return r;
  leave(comm, Presence::aborted);
  *out = nullptr;
  return r;
}

// --- split
struct SplitEntry {
  int color, key;
  UniqueId id;  // of the communicator, should this rank be its first
};

// All ranks of `comm` learn each other's entry.
Result exchange_entries(Comm* comm, const SplitEntry& own, std::vector<SplitEntry>* all) {
  Operation op{};
  op.kind = Kind::all_gather;
  op.comm = comm;
  op.send = &own;
  op.count = sizeof own;
  op.type = kUint8;
  op.bookkeeping = true;
  std::vector<char> bytes;
  op.collected = &bytes;
  if (const Result r = submit(std::move(op))) return r;
  all->resize(static_cast<std::size_t>(comm->ranks));
  std::memcpy(static_cast<void*>(all->data()), bytes.data(), bytes.size());
  return kSuccess;
}

std::vector<int> members_of(const std::vector<SplitEntry>& all, int color) {
  std::vector<int> ranks;
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all[r].color == color) ranks.push_back(static_cast<int>(r));
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return all[static_cast<std::size_t>(a)].key < all[static_cast<std::size_t>(b)].key;
  });
  return ranks;
}

int position(const std::vector<int>& ranks, int rank) {
  return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

}  // namespace

EXPORT int ncclGetVersion(int* version) {
  if (!version) return kInvalidArgument;
  *version = kVersion;
  return kSuccess;
}
EXPORT int ncclGetUniqueId(UniqueId* id) {
  if (!id) return kInvalidArgument;
  std::string why;
  const Result r = create_meeting(id, &why);
  return r ? fail(nullptr, r, why) : kSuccess;
}

EXPORT int ncclCommInitRankConfig(void** comm, int ranks, UniqueId id, int rank, const Config* config) {
  return init(comm, ranks, id, rank, current_device(), is_blocking(config, true));
}
EXPORT int ncclCommInitRank(void** comm, int ranks, UniqueId id, int rank) {
  return init(comm, ranks, id, rank, current_device(), true);
}
EXPORT int ncclCommInitRankScalable(void** comm, int ranks, int rank, int ids, const UniqueId* id,
                                    const Config* config) {
  if (!id || ids < 1) return kInvalidArgument;
  return init(comm, ranks, id[0], rank, current_device(), is_blocking(config, true));
}
EXPORT int ncclCommInitAll(void** comms, int ranks, const int* devices) {
  if (!comms || ranks < 1) return kInvalidArgument;
  UniqueId id;
  if (const int r = ncclGetUniqueId(&id)) return r;
  group_start();
  int result = kSuccess;
  for (int rank = 0; rank < ranks && result == kSuccess; ++rank) {
    const int device = devices ? devices[rank] : rank;
    result = device < 0 || device >= device_count()
                 ? fail(nullptr, kInvalidUsage, "CommInitAll: no device " + std::to_string(device))
                 : init(&comms[rank], ranks, id, rank, device, true);
  }
  const int end = group_end();
  return result ? result : end;
}

EXPORT int ncclCommSplit(void* handle, int color, int key, void** out, const Config* config) {
  Comm* comm = comm_of(handle);
  if (!comm || !out || (color < 0 && color != kNoColor)) return fail(comm, kInvalidArgument, "CommSplit");
  *out = nullptr;
  SplitEntry own{color, key, {}};
  std::string why;
  if (const Result r = create_meeting(&own.id, &why)) return fail(comm, r, why);
  std::vector<SplitEntry> all;
  const Result exchanged = exchange_entries(comm, own, &all);
  const std::vector<int> members = exchanged || color == kNoColor ? std::vector<int>{} : members_of(all, color);
  if (members.empty() || members.front() != comm->rank) forget_id(own.id);
  if (members.empty()) return exchanged;
  const UniqueId& id = all[static_cast<std::size_t>(members.front())].id;
  return init(out, static_cast<int>(members.size()), id, position(members, comm->rank), comm->device,
              is_blocking(config, comm->blocking));
}

EXPORT int ncclCommShrink(void* handle, const int* excluded, int count, void** out, const Config* config, int) {
  Comm* comm = comm_of(handle);
  if (!comm || !out || count < 0 || (count && !excluded)) return fail(comm, kInvalidArgument, "CommShrink");
  std::vector<int> members;
  for (int r = 0; r < comm->ranks; ++r)
    if (std::find(excluded, excluded + count, r) == excluded + count) members.push_back(r);
  const int place = position(members, comm->rank);
  if (members.empty() || place == static_cast<int>(members.size()))
    return fail(comm, kInvalidArgument, "CommShrink: an excluded rank must not take part");
  RankState& first = comm->meeting.rank(members.front());
  const std::uint64_t wanted = ++comm->shrinks;
  if (place == 0) {
    std::string why;
    UniqueId id;
    if (const Result r = create_meeting(&id, &why)) return fail(comm, r, why);
    first.shrink_id = id;
    first.shrinks.store(wanted);
    ring(comm->meeting);
  }
  if (const Result r = wait_for_shrink(comm, members.front(), wanted)) return r;
  return init(out, static_cast<int>(members.size()), first.shrink_id, place, comm->device,
              is_blocking(config, comm->blocking));
}

EXPORT int ncclCommCount(void* handle, int* count) {
  Comm* comm = comm_of(handle);
  if (!comm || !count) return kInvalidArgument;
  *count = comm->ranks;
  return kSuccess;
}
EXPORT int ncclCommUserRank(void* handle, int* rank) {
  Comm* comm = comm_of(handle);
  if (!comm || !rank) return kInvalidArgument;
  *rank = comm->rank;
  return kSuccess;
}
EXPORT int ncclCommCuDevice(void* handle, int* device) {
  Comm* comm = comm_of(handle);
  if (!comm || !device) return kInvalidArgument;
  *device = comm->device;
  return kSuccess;
}

EXPORT int ncclCommGetAsyncError(void* handle, int* error) {
  Comm* comm = comm_of(handle);
  if (!comm || !error) return kInvalidArgument;
  *error = comm->error;
  if (!comm->error && !comm->joined) *error = check_joined(comm);
  return kSuccess;
}
EXPORT const char* ncclGetErrorString(int error) {
  static const char* texts[] = {"no error",
                                "unhandled cuda error",
                                "unhandled system error",
                                "internal error",
                                "invalid argument",
                                "invalid usage",
                                "remote process exited or there was a network error",
                                "NCCL operation in progress"};
  return error >= 0 && error <= kInProgress ? texts[error] : "unknown result code";
}
EXPORT const char* ncclGetLastError(void* handle) {
  thread_local std::string text;
  text = last_error(comm_of(handle));
  return text.c_str();
}

// Work that is queued has been exchanged already: there is nothing to flush.
EXPORT int ncclCommFinalize(void* handle) { return comm_of(handle) ? kSuccess : kInvalidArgument; }
EXPORT int ncclCommDestroy(void* handle) {
  if (!handle) return kSuccess;
  Comm* comm = comm_of(handle);
  if (!comm) return kInvalidArgument;
  leave(comm, Presence::left);
  return kSuccess;
}
EXPORT int ncclCommAbort(void* handle) {
  if (!handle) return kSuccess;
  Comm* comm = comm_of(handle);
  if (!comm) return kInvalidArgument;
  leave(comm, Presence::aborted);
  return kSuccess;
}

// Registration makes transfers faster on a real machine; here a handle is all there is to it.
EXPORT int ncclCommRegister(void* handle, void* buffer, std::size_t, void** registration) {
  if (!comm_of(handle) || !registration) return kInvalidArgument;
  *registration = buffer;
  return kSuccess;
}
EXPORT int ncclCommDeregister(void* handle, void*) { return comm_of(handle) ? kSuccess : kInvalidArgument; }
EXPORT int ncclCommWindowRegister(void* handle, void* buffer, std::size_t, void** window, int) {
  if (!comm_of(handle) || !window) return kInvalidArgument;
  *window = buffer;
  return kSuccess;
}
EXPORT int ncclCommWindowDeregister(void* handle, void*) { return comm_of(handle) ? kSuccess : kInvalidArgument; }

EXPORT int ncclMemAlloc(void** pointer, std::size_t bytes) {
  const auto allocate = reinterpret_cast<cudaError_t (*)(void**, std::size_t)>(dlsym(RTLD_DEFAULT, "cudaMalloc"));
  if (!pointer) return kInvalidArgument;
  return allocate && allocate(pointer, bytes) == cudaSuccess
             ? kSuccess
             : fail(nullptr, kUnhandledCudaError, "cudaMalloc of " + std::to_string(bytes) + " bytes failed");
}
EXPORT int ncclMemFree(void* pointer) {
  const auto release = reinterpret_cast<cudaError_t (*)(void*)>(dlsym(RTLD_DEFAULT, "cudaFree"));
  return release && release(pointer) == cudaSuccess ? kSuccess : kUnhandledCudaError;
}
