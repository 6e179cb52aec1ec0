#include "profiler/simgpu/nccl/comm.h"

#include <unistd.h>

#include <cstdlib>
#include <set>

#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu::nccl {
namespace {

std::mutex g_lock;
std::set<void*>& living() {
  static auto* comms = new std::set<void*>;
  return *comms;
}
thread_local std::string t_text;  // of errors that belong to no communicator

// Which physical device that is, so that two ranks on one can be told although each process numbers from 0.
int physical_device(int device) {
  const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!text || !*text) return device;
  const std::string list = text;
  std::size_t begin = 0;
  for (int i = 0; i < device && begin != std::string::npos; ++i) {
    begin = list.find(',', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos) return device;
  const std::string entry = list.substr(begin, list.find(',', begin) - begin);
  char* end = nullptr;
  const long number = std::strtol(entry.c_str(), &end, 10);
  return end != entry.c_str() && *end == 0 ? static_cast<int>(number) : device;
}

}  // namespace

Comm* comm_of(void* handle) {
  std::lock_guard guard(g_lock);
  return living().count(handle) ? static_cast<Comm*>(handle) : nullptr;
}

Result fail(Comm* comm, Result result, const std::string& text) {
  t_text = text;
  if (!comm) return result;
  std::lock_guard guard(comm->text_lock);
  comm->text = text;
  return result;
}

Result break_comm(Comm* comm, Result result, const std::string& text) {
  int none = kSuccess;
  comm->error.compare_exchange_strong(none, result);
  return fail(comm, result, text);
}

std::string last_error(Comm* comm) {
  if (!comm) return t_text;
  std::lock_guard guard(comm->text_lock);
  return comm->text;
}

Result seat(Comm** out, int ranks, const UniqueId& id, int rank, int device, bool blocking) {
  Meeting meeting;
  std::string why;
  if (const Result r = open_meeting(id, ranks, &meeting, &why)) return fail(nullptr, r, why);
  if (!take_seat(meeting, rank, physical_device(device), simulator().clock.now())) {
    close_meeting(&meeting);
    return fail(nullptr, kInvalidUsage, "two ranks have the number " + std::to_string(rank));
  }
  auto* comm = new Comm;
  comm->rank = rank;
  comm->ranks = ranks;
  comm->device = device;
  comm->blocking = blocking;
  comm->id = id;
  comm->meeting = meeting;
  {
    std::lock_guard guard(g_lock);
    living().insert(comm);
  }
  *out = comm;
  return kSuccess;
}

Result check_joined(Comm* comm) {
  if (comm->joined) return kSuccess;
  std::int64_t latest = 0;
  for (int r = 0; r < comm->ranks; ++r) {
    const RankState& state = comm->meeting.rank(r);
    if (state.presence == Presence::absent) return kInProgress;
    latest = std::max<std::int64_t>(latest, state.joined_ns);
  }
  forget_id(comm->id);
  for (int a = 0; a < comm->ranks; ++a)
    for (int b = 0; b < a; ++b)
      if (comm->meeting.rank(a).device == comm->meeting.rank(b).device)
        return break_comm(comm, kInvalidUsage,
                          "Duplicate GPU: ranks " + std::to_string(b) + " and " + std::to_string(a) +
                              " both use device " + std::to_string(comm->meeting.rank(a).device));
  simulator().clock.wait_until(latest);
  comm->joined = true;
  return kSuccess;
}

void leave(Comm* comm, Presence how) {
  {
    std::lock_guard guard(g_lock);
    if (!living().erase(comm)) return;
  }
  comm->aborted = true;
  RankState& own = comm->meeting.rank(comm->rank);
  if (own.presence != Presence::aborted) own.presence = how;
  ring(comm->meeting);
  while (comm->users) usleep(1000);  // a call that waits in another thread sees `aborted` and returns
  forget_id(comm->id);
  close_meeting(&comm->meeting);
  comm->magic = 0;
  delete comm;
}

}  // namespace zerostall::simgpu::nccl
