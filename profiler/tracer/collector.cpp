#include "profiler/tracer/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "profiler/base/late_local.h"
#include "profiler/tracer/cupti_api.h"

namespace zerostall::tracer {

using format::ChunkKind;

namespace {

// What a killed process may lose per thread: 36 KB of calls, and what it did in this time (a slow program without marks
// may make few calls in hours).
constexpr std::size_t kFlushRecords = 512;
constexpr std::int64_t kFlushAfter_ns = 200'000'000;

std::int64_t coarse_now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

template <class Record>
std::size_t bytes_of(const std::vector<Record>& records) {
  return records.size() * sizeof(Record);
}

}  // namespace

// A thread's buffer outlives the thread just long enough to be written.
struct ThreadHandle {
  std::shared_ptr<ThreadBuffer> buffer;
  ~ThreadHandle() {
    if (buffer) collector().retire(buffer);
  }
};

Collector& collector() {
  static Collector* instance = new Collector;
  return *instance;
}

std::uint32_t thread_id() {
  static thread_local const auto id = static_cast<std::uint32_t>(syscall(SYS_gettid));
  return id;
}

ThreadBuffer& Collector::buffer() {
  auto& handle = late_local<ThreadHandle>();
  if (!handle.buffer) {
    handle.buffer = std::make_shared<ThreadBuffer>();
    handle.buffer->calls.reserve(kFlushRecords);
    std::lock_guard guard(threads_lock_);
    threads_.insert(handle.buffer);
  }
  return *handle.buffer;
}

void Collector::retire(const std::shared_ptr<ThreadBuffer>& buffer) {
  if (finished_.load(std::memory_order_relaxed)) return;
  {
    std::lock_guard guard(buffer->lock);
    if (is_open()) flush(*buffer);
  }
  std::lock_guard guard(threads_lock_);
  if (is_open()) threads_.erase(buffer);  // else: open() will still want its records
}

template <class Record>
void Collector::keep(std::vector<Record> ThreadBuffer::*list, const Record& record) {
  if (finished_.load(std::memory_order_relaxed)) return;
  ThreadBuffer& b = buffer();
  std::lock_guard guard(b.lock);
  (b.*list).push_back(record);
  if (!is_open()) return;
  const std::int64_t now_ns = coarse_now_ns();
  if (b.flush_at_ns == 0) b.flush_at_ns = now_ns + kFlushAfter_ns;
  if ((b.*list).size() >= kFlushRecords || now_ns >= b.flush_at_ns) flush(b);
}

void Collector::add(const format::CallRecord& call) { keep(&ThreadBuffer::calls, call); }
void Collector::add(const format::MarkRecord& mark) { keep(&ThreadBuffer::marks, mark); }

void Collector::flush_thread() {
  if (!is_writing()) return;
  ThreadBuffer& b = buffer();
  std::lock_guard guard(b.lock);
  flush(b);
}

void Collector::note(format::NoteKind kind, std::string_view text, std::uint64_t value) {
  if (finished_.load(std::memory_order_relaxed)) return;
  format::NoteRecord n{};
  n.time_ns = timestamp_ns();
  n.value = value;
  n.thread = thread_id();
  n.text = string_id(text);
  n.kind = kind;
  keep(&ThreadBuffer::notes, n);
}

void Collector::add(const std::vector<format::GpuRecord>& records) {
  if (records.empty() || !is_open() || finished_.load()) return;
  std::lock_guard guard(file_lock_);
  write_strings();
  write_chunk(ChunkKind::gpu_ops, sizeof(format::GpuRecord), records.data(), bytes_of(records));
}

std::uint32_t Collector::string_id(std::string_view text) {
  if (text.empty() || finished_.load(std::memory_order_relaxed)) return 0;
  std::lock_guard guard(string_lock_);
  const auto [it, is_new] = strings_.try_emplace(std::string(text), static_cast<std::uint32_t>(strings_.size() + 1));
  if (is_new) {
    const std::uint32_t head[2] = {it->second, static_cast<std::uint32_t>(text.size())};
    new_strings_.append(reinterpret_cast<const char*>(head), sizeof head);
    new_strings_.append(text);
  }
  return it->second;
}

std::uint32_t Collector::static_string_id(const char* text) {
  if (!text || finished_.load(std::memory_order_relaxed)) return 0;
  {
    std::lock_guard guard(string_lock_);
    if (const auto it = by_address_.find(text); it != by_address_.end()) return it->second;
  }
  const std::uint32_t id = string_id(text);
  std::lock_guard guard(string_lock_);
  by_address_[text] = id;
  return id;
}

// Never overwrites: what is there belongs to somebody else. A second process of one recording adds its pid.
int Collector::create_file() {
  const char* wanted = std::getenv("ZEROSTALL_TRACE");
  const std::string pid = std::to_string(getpid());
  std::string path = wanted && *wanted ? wanted : "zerostall." + pid + ".zstall";
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC;
  int file = ::open(path.c_str(), kFlags, 0644);
  if (file < 0 && errno == EEXIST) {
    struct stat existing {};
    if (stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
      std::fprintf(stderr, "[zerostall] tracing is off: %s is no file; ZEROSTALL_TRACE wants one to create\n",
                   path.c_str());
      return -1;
    }
    file = ::open((path += "." + pid).c_str(), kFlags, 0644);
  }
  if (file < 0)
    std::fprintf(stderr, "[zerostall] tracing is off: cannot create %s: %s\n", path.c_str(), std::strerror(errno));
  return file;
}

bool Collector::open(const std::string& meta_json) {
  file_ = create_file();
  if (file_ < 0) {
    finished_ = true;
    return false;
  }
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const format::FileHeader header{format::kMagic, format::kVersion, sizeof(format::FileHeader),
                                  static_cast<std::uint64_t>(getpid()), now.tv_sec * 1'000'000'000 + now.tv_nsec};
  std::lock_guard guard(file_lock_);
  write_all(&header, sizeof header);
  write_chunk(ChunkKind::meta, 0, meta_json.data(), meta_json.size());
  open_.store(true, std::memory_order_release);
  return true;
}

void Collector::flush(ThreadBuffer& b) {
  std::lock_guard guard(file_lock_);
  write_strings();
  if (!b.marks.empty()) write_chunk(ChunkKind::marks, sizeof(format::MarkRecord), b.marks.data(), bytes_of(b.marks));
  if (!b.calls.empty()) write_chunk(ChunkKind::calls, sizeof(format::CallRecord), b.calls.data(), bytes_of(b.calls));
  if (!b.notes.empty()) write_chunk(ChunkKind::notes, sizeof(format::NoteRecord), b.notes.data(), bytes_of(b.notes));
  b.marks.clear();
  b.calls.clear();
  b.notes.clear();
  b.flush_at_ns = 0;
}

void Collector::write_strings() {
  std::string pending;
  {
    std::lock_guard guard(string_lock_);
    pending.swap(new_strings_);
  }
  if (!pending.empty()) write_chunk(ChunkKind::strings, 0, pending.data(), pending.size());
}

void Collector::write_chunk(ChunkKind kind, std::size_t record_bytes, const void* data, std::size_t bytes) {
  if (failed_ || file_ < 0) return;
  const format::ChunkHeader header{format::kChunkMagic, kind, static_cast<std::uint16_t>(record_bytes),
                                   static_cast<std::uint32_t>(bytes), format::crc32(data, bytes)};
  write_all(&header, sizeof header);
  write_all(data, bytes);
}

void Collector::write_all(const void* data, std::size_t bytes) {
  const char* p = static_cast<const char*>(data);
  while (bytes > 0 && !failed_) {
    const ssize_t n = ::write(file_, p, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      failed_ = true;
      std::fprintf(stderr, "[zerostall] the trace ends early: cannot write it: %s\n", std::strerror(errno));
      return;
    }
    p += n;
    bytes -= static_cast<std::size_t>(n);
  }
}

void Collector::write_threads() {
  std::vector<std::shared_ptr<ThreadBuffer>> all;
  {
    std::lock_guard guard(threads_lock_);
    all.assign(threads_.begin(), threads_.end());
  }
  for (const auto& b : all) {
    std::lock_guard guard(b->lock);
    flush(*b);
  }
}

void Collector::flush_all() {
  if (is_writing()) write_threads();
}

void Collector::finish() {
  if (finished_.exchange(true) || !is_open()) return;
  write_threads();
  std::lock_guard guard(file_lock_);
  write_chunk(ChunkKind::end, 0, "", 0);
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void Collector::abandon() {
  finished_ = true;
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace zerostall::tracer
