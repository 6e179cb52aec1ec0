#include "profiler/simgpu/nccl/meeting.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <vector>

namespace zerostall::simgpu::nccl {

struct alignas(64) Header {
  std::uint64_t token[2];
  std::atomic<int> ranks;  // 0 until the first rank is there
  std::atomic<std::uint32_t> rings;
};

namespace {

constexpr char kMagic[8] = "zs-nccl";

// What the 128 bytes of a unique id hold.
struct Id {
  char magic[8];
  std::uint64_t token[2];
  std::uint64_t process_start;
  int pid, descriptor;
};
static_assert(sizeof(Id) <= sizeof(UniqueId));
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<Presence>::is_always_lock_free,
              "shared between processes");

std::mutex g_made_lock;
std::vector<Id>& made() {  // by this process, descriptors still open
  static auto* ids = new std::vector<Id>;
  return *ids;
}

Id decode(const UniqueId& id) {
  Id out;
  std::memcpy(&out, id.internal, sizeof out);
  return out;
}

// State and start time of a process, from /proc/PID/stat. `start` 0: there is none, or it has ended.
std::uint64_t process_start(int pid) {
  char path[64], text[1024];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t n = read(file, text, sizeof text - 1);
  close(file);
  if (n <= 0) return 0;
  text[n] = 0;
  const char* after_name = std::strrchr(text, ')');  // the name may hold anything, brackets included
  if (!after_name) return 0;
  char state = 0;
  unsigned long long start = 0;
  // field 3 is the state, field 22 the start time
  if (std::sscanf(after_name + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                  &state, &start) != 2)
    return 0;
  return state == 'Z' || state == 'X' ? 0 : start;
}

std::size_t size_for(int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  return sizeof(Header) + n * (sizeof(RankState) + kDataBytes) + n * n * sizeof(Channel);
}

Result fail(std::string* why, Result result, const std::string& text) {
  if (why) *why = text;
  return result;
}

}  // namespace

Header& Meeting::header() const { return *reinterpret_cast<Header*>(base); }
RankState& Meeting::rank(int r) const { return reinterpret_cast<RankState*>(base + sizeof(Header))[r]; }
char* Meeting::data(int r) const {
  const auto n = static_cast<std::size_t>(ranks);
  return base + sizeof(Header) + n * sizeof(RankState) + static_cast<std::size_t>(r) * kDataBytes;
}
Channel& Meeting::channel(int from, int to) const {
  const auto n = static_cast<std::size_t>(ranks);
  char* first = base + sizeof(Header) + n * (sizeof(RankState) + kDataBytes);
  return reinterpret_cast<Channel*>(first)[static_cast<std::size_t>(from) * n + static_cast<std::size_t>(to)];
}

Result create_meeting(UniqueId* id, std::string* why) {
  Id out{};
  std::memcpy(out.magic, kMagic, sizeof kMagic);
  if (getrandom(out.token, sizeof out.token, 0) != static_cast<ssize_t>(sizeof out.token))
    return fail(why, kSystemError, std::string("no random numbers: ") + std::strerror(errno));
  out.pid = getpid();
  out.process_start = process_start(out.pid);
  out.descriptor = memfd_create("zerostall-nccl", MFD_CLOEXEC);
  Header header{};
  std::memcpy(header.token, out.token, sizeof out.token);
  if (out.descriptor < 0 ||
      pwrite(out.descriptor, header.token, sizeof header.token, 0) != static_cast<ssize_t>(sizeof header.token)) {
    const std::string text = std::string("cannot make shared memory: ") + std::strerror(errno);
    if (out.descriptor >= 0) close(out.descriptor);
    return fail(why, kSystemError, text);
  }
  std::memset(id, 0, sizeof *id);
  std::memcpy(id->internal, &out, sizeof out);
  std::lock_guard guard(g_made_lock);
  made().push_back(out);
  return kSuccess;
}

Result open_meeting(const UniqueId& unique_id, int ranks, Meeting* meeting, std::string* why) {
  const Id id = decode(unique_id);
  if (std::memcmp(id.magic, kMagic, sizeof kMagic) != 0)
    return fail(why, kInvalidArgument, "the unique id was not made by ncclGetUniqueId of the simulated GPU");
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", id.pid, id.descriptor);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0 || process_start(id.pid) != id.process_start) {
    if (file >= 0) close(file);
    return fail(why, kSystemError, "the process that made the unique id (pid " + std::to_string(id.pid) + ") is gone");
  }
  const std::size_t bytes = size_for(ranks);
  struct stat status {};
  std::uint64_t token[2] = {};
  const bool ours = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                    pread(file, token, sizeof token, 0) == static_cast<ssize_t>(sizeof token) &&
                    std::memcmp(token, id.token, sizeof token) == 0;
  if (!ours) {
    close(file);
    return fail(why, kSystemError, "the unique id has been used up: its communicator is complete");
  }
  // Grows only: with another number of ranks the check below ends it.
  const bool sized =
      static_cast<std::size_t>(status.st_size) >= bytes || ftruncate(file, static_cast<off_t>(bytes)) == 0;
  void* base = sized ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0) : MAP_FAILED;
  close(file);
  if (base == MAP_FAILED)
    return fail(why, kSystemError, std::string("cannot map shared memory: ") + std::strerror(errno));
  *meeting = {static_cast<char*>(base), bytes, ranks};
  int known = 0;
  if (!meeting->header().ranks.compare_exchange_strong(known, ranks) && known != ranks) {
    close_meeting(meeting);
    return fail(why, kInvalidArgument,
                "ranks disagree on their number: " + std::to_string(known) + " and " + std::to_string(ranks));
  }
  return kSuccess;
}

void close_meeting(Meeting* meeting) {
  if (meeting->base) munmap(meeting->base, meeting->bytes);
  *meeting = {};
}

void forget_id(const UniqueId& unique_id) {
  const Id id = decode(unique_id);
  if (id.pid != getpid()) return;
  std::lock_guard guard(g_made_lock);
  for (auto it = made().begin(); it != made().end(); ++it)
    if (std::memcmp(it->token, id.token, sizeof id.token) == 0) {
      close(it->descriptor);
      made().erase(it);
      return;
    }
}

bool take_seat(const Meeting& meeting, int rank, int device, std::int64_t now_ns) {
  RankState& state = meeting.rank(rank);
  int nobody = 0;
  if (!state.pid.compare_exchange_strong(nobody, getpid())) return false;
  state.process_start = process_start(getpid());
  state.device = device;
  state.joined_ns = now_ns;
  state.presence = Presence::there;
  ring(meeting);
  return true;
}

bool is_alive(const RankState& state) {
  const int pid = state.pid;
  return pid == getpid() || process_start(pid) == state.process_start;
}

void ring(const Meeting& meeting) {
  auto& count = meeting.header().rings;
  count.fetch_add(1);
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&count), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

std::uint32_t rings(const Meeting& meeting) { return meeting.header().rings; }

void wait_for_ring(const Meeting& meeting, std::uint32_t seen, int milliseconds) {
  const timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&meeting.header().rings), FUTEX_WAIT, seen, &time, nullptr, 0);
}

}  // namespace zerostall::simgpu::nccl
