#include "profiler/tracer/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace zerostall::tracer {

using format::FileHeader;
using format::SegmentHeader;
using format::StopReason;

namespace {

constexpr std::size_t kReadyAhead = 2;

std::size_t to_pages(std::size_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

int create_at(const std::string& path) { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644); }

// What is there belongs to somebody else: a second process of one recording adds its pid.
int create_file(std::string& path) {
  const char* wanted = std::getenv("ZEROSTALL_TRACE");
  const std::string pid = std::to_string(getpid());
  path = wanted && *wanted ? wanted : "zerostall." + pid + ".zstall";
  int file = create_at(path);
  if (file < 0 && errno == EEXIST) {
    struct stat existing {};
    if (stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
      std::fprintf(stderr, "[zerostall] tracing is off: %s is no file; ZEROSTALL_TRACE wants one to create\n",
                   path.c_str());
      return -1;
    }
    path += "." + pid;
    // A program that replaced itself (exec) keeps its pid.
    for (int n = 2; (file = create_at(path)) < 0 && errno == EEXIST && n < 100; ++n)
      path = path.substr(0, path.rfind(pid) + pid.size()) + "-" + std::to_string(n);
  }
  if (file < 0)
    std::fprintf(stderr, "[zerostall] tracing is off: cannot create %s: %s\n", path.c_str(), std::strerror(errno));
  return file;
}

// A file that would grow over `ulimit -f` gets its writer a signal, which ends programs that do not expect it. The
// others wait too: a timer's would interrupt the reservation of space again and again.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() {
    const timespec now{};
    if (!was_pending_)
      while (sigtimedwait(&set_, nullptr, &now) == SIGXFSZ) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t set_{}, before_{};
  bool was_pending_ = false;
};

void* map(int file, std::size_t bytes, std::uint64_t place) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(place));
  return memory == MAP_FAILED ? nullptr : memory;
}

void* private_memory(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

std::uint32_t committed(const SegmentHeader& segment) {
  return std::atomic_ref(const_cast<SegmentHeader&>(segment).committed_bytes).load(std::memory_order_acquire);
}

}  // namespace

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

bool TraceFile::create(std::uint64_t max_bytes) {
  std::lock_guard guard(lock_);
  std::string path;
  file_ = create_file(path);
  if (file_ < 0) return false;
  protect();
  max_bytes_ = max_bytes;
  const WithoutSignals quiet;
  const int error = posix_fallocate(file_, 0, static_cast<off_t>(page_bytes()));
  void* page = error ? nullptr : map(file_, page_bytes(), 0);
  if (!error && !page) {
    mapped_ = false;
    page = private_memory(page_bytes());
  }
  if (!page) {
    std::fprintf(stderr, "[zerostall] tracing is off: cannot write the trace: %s\n",
                 std::strerror(error ? error : ENOMEM));
    ::close(file_);
    file_ = -1;
    ::unlink(path.c_str());
    return false;
  }
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  auto* header = static_cast<FileHeader*>(page);
  *header = {format::kMagic, format::kVersion, static_cast<std::uint32_t>(page_bytes()),
             static_cast<std::uint64_t>(getpid()), now.tv_sec * 1'000'000'000 + now.tv_nsec};
  end_ = page_bytes();
  if (!mapped_) write(header, sizeof *header, 0);
  header_.store(header, std::memory_order_release);
  return true;
}

// Whoever shortened the file while it is mapped would end the program with SIGBUS: nobody may write it until it is
// closed. (Root may; nothing keeps it from that.)
void TraceFile::protect() {
  struct stat info {};
  if (::fstat(file_, &info) != 0) return;
  mode_ = info.st_mode & 07777;
  ::fchmod(file_, mode_ & ~0222u);
}

void TraceFile::write(const void* data, std::size_t bytes, std::uint64_t place) const {
  const auto* p = static_cast<const char*>(data);
  const WithoutSignals quiet;
  while (bytes > 0) {
    const ssize_t n = pwrite(file_, p, bytes, static_cast<off_t>(place));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // reserved before: what fails now is damage, and the checksum tells
    p += n;
    place += static_cast<std::uint64_t>(n);
    bytes -= static_cast<std::size_t>(n);
  }
}

void TraceFile::stop(StopReason reason, int error) {
  if (stopped()) return;
  FileHeader* header = this->header();
  header->stop_errno = error;
  std::atomic_ref(header->stop_reason).store(reason);
  const char* why = reason == StopReason::max_bytes ? "its largest size is reached" : std::strerror(error);
  std::fprintf(stderr, "[zerostall] the trace ends early: %s\n", why);
}

bool TraceFile::reserve(std::uint64_t end, bool ahead) {
  if (max_bytes_ && end > max_bytes_) {
    if (!ahead) stop(StopReason::max_bytes, 0);
    return false;
  }
  const WithoutSignals quiet;
  const int error = posix_fallocate(file_, static_cast<off_t>(end_), static_cast<off_t>(end - end_));
  if (error && !ahead)
    stop(error == ENOSPC || error == EDQUOT ? StopReason::no_space
         : error == EFBIG                   ? StopReason::file_limit
                                            : StopReason::failed,
         error);
  return error == 0;
}

SegmentHeader* TraceFile::make(std::size_t bytes, bool ahead) {
  if (stopped() || closed_ || !reserve(end_ + bytes, ahead)) return nullptr;
  void* memory = mapped_ ? map(file_, bytes, end_) : private_memory(bytes);
  if (!memory) {
    if (!ahead) stop(StopReason::failed, errno);
    return nullptr;
  }
  auto* segment = static_cast<SegmentHeader*>(memory);
  segment->bytes = static_cast<std::uint32_t>(bytes);
  segment->place = end_;
  segment->magic = format::kSegmentMagic;
  end_ += bytes;
  return segment;
}

SegmentHeader* TraceFile::take(std::size_t segment_bytes, std::size_t least_bytes) {
  std::size_t bytes = to_pages(least_bytes + sizeof(SegmentHeader));
  if (bytes < segment_bytes) bytes = to_pages(segment_bytes);
  std::lock_guard guard(lock_);
  if (closed_) return nullptr;
  if (bytes == kLargeSegmentBytes) {
    wants_more_ = true;
    if (!ready_.empty()) {
      SegmentHeader* segment = ready_.back();
      ready_.pop_back();
      return segment;
    }
  }
  return make(bytes, false);
}

void TraceFile::give_back(SegmentHeader* segment) {
  std::lock_guard guard(lock_);
  full_.push_back(segment);
}

void TraceFile::prepare() {
  for (;;) {
    std::lock_guard guard(lock_);
    if (!wants_more_ || closed_ || stopped() || ready_.size() >= kReadyAhead) break;
    SegmentHeader* segment = make(kLargeSegmentBytes, true);
    if (!segment) break;
    // Touched here and not by the program: a page's first use costs a fault.
    for (std::size_t at = page_bytes(); at < kLargeSegmentBytes; at += page_bytes())
      *(reinterpret_cast<volatile std::uint8_t*>(segment) + at) = 0;
    ready_.push_back(segment);
  }
  wants_more_ = false;
}

void TraceFile::seal(SegmentHeader& segment) {
  segment.sealed_bytes = committed(segment);
  segment.crc32 = format::crc32(&segment + 1, segment.sealed_bytes);
  std::atomic_ref(segment.sealed).store(1, std::memory_order_release);
  write_back(segment);
}

void TraceFile::write_back(const SegmentHeader& segment) {
  if (!mapped_) write(&segment, sizeof segment + committed(segment), segment.place);
}

void TraceFile::release(SegmentHeader* segment) {
  seal(*segment);
  munmap(segment, segment->bytes);
}

void TraceFile::seal_full() {
  std::lock_guard sealing(sealing_);
  std::vector<SegmentHeader*> full;
  {
    std::lock_guard guard(lock_);
    full.swap(full_);
  }
  for (SegmentHeader* segment : full) release(segment);
}

void TraceFile::close() {
  seal_full();
  std::lock_guard guard(lock_);
  FileHeader* header = this->header();
  if (!header || closed_) return;
  closed_ = true;
  // Those made ahead and not used; most often they are the file's last.
  while (!ready_.empty()) {
    SegmentHeader* last = ready_.back();
    ready_.pop_back();
    const bool at_the_end = last->place + last->bytes == end_;
    if (at_the_end) end_ = last->place;
    if (!at_the_end) seal(*last);
    munmap(last, kLargeSegmentBytes);
  }
  if (ftruncate(file_, static_cast<off_t>(end_)) != 0) {
    // Longer than it need be; the reader skips what is empty.
  }
  header->file_bytes = end_;
  std::atomic_ref(header->state).store(format::FileState::closed, std::memory_order_release);
  if (!mapped_) write(header, sizeof *header, 0);
  if (mode_ != 0) ::fchmod(file_, mode_);
  ::close(file_);
  file_ = -1;
}

void TraceFile::abandon() {
  header_ = nullptr;
  closed_ = true;
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace zerostall::tracer
