#include "profiler/tracer/collector.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "profiler/base/late_local.h"
#include "profiler/tracer/cupti_api.h"
#include "profiler/tracer/housekeeper.h"
#include "profiler/tracer/settings.h"

namespace zerostall::tracer {

using format::FileHeader;

namespace {

constexpr std::size_t kGrowth = 4;

void count(FileHeader* header, std::uint64_t FileHeader::*counter) {
  if (header) std::atomic_ref(header->*counter).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

// Gives the thread's segment back when the thread ends.
struct ThreadHandle {
  ThreadLog* log = nullptr;
  ~ThreadHandle() {
    if (log) collector().retire(log);
  }
};

Collector& collector() {
  static Collector* instance = [] {
    auto* made = new Collector;
    pthread_atfork([] { collector().before_fork(); }, [] { collector().after_fork_in_parent(); },
                   [] { collector().after_fork_in_child(); });
    return made;
  }();
  return *instance;
}

namespace {
thread_local std::uint32_t t_thread_id = 0;   // 0 = not asked for yet
thread_local bool t_locked_for_fork = false;  // several threads may fork at once: whose locks these are
}  // namespace

std::uint32_t thread_id() {
  if (t_thread_id == 0) [[unlikely]]
    t_thread_id = static_cast<std::uint32_t>(syscall(SYS_gettid));
  return t_thread_id;
}

ThreadLog& Collector::thread_log() {
  auto& handle = late_local<ThreadHandle>();
  if (!handle.log) [[unlikely]]
    handle.log = make_log();
  return *handle.log;
}

ThreadLog* Collector::make_log() {
  auto* log = new ThreadLog;
  log->thread = thread_id();
  log->next_bytes = 2 * page_bytes();
  if (is_over()) return log;  // a forked child, where the lock may be held by a thread that is not there
  std::lock_guard guard(threads_lock_);
  log->owner = next_owner_++;
  threads_.insert(log);
  return log;
}

void Collector::retire(ThreadLog* log) {
  if (over_.load()) return;  // a forked child, or the process is ending: the lock may be held by a thread that is gone
  std::lock_guard guard(threads_lock_);
  if (!log->pending.empty()) return;  // open() will still want them
  if (log->segment) file_.give_back(log->segment);
  threads_.erase(log);
  delete log;
}

// Caller holds threads_lock_.
bool Collector::place_segment(ThreadLog& log, std::size_t bytes) {
  format::SegmentHeader* segment = file_.take(log.next_bytes, bytes);
  if (!segment) return false;
  segment->owner = log.owner;
  segment->thread = log.thread;
  segment->sequence = log.next_sequence++;
  if (log.next_bytes < kLargeSegmentBytes) log.next_bytes = std::min(log.next_bytes * kGrowth, kLargeSegmentBytes);
  if (log.segment) file_.give_back(log.segment);
  log.segment = segment;
  log.begin = log.cursor = reinterpret_cast<std::uint8_t*>(segment + 1);
  log.limit = reinterpret_cast<std::uint8_t*>(segment) + segment->bytes;
  log.state = {};
  return true;
}

bool Collector::make_room(ThreadLog& log, std::size_t bytes) {
  std::lock_guard guard(threads_lock_);
  const bool placed = place_segment(log, bytes);
  if (file_.stopped()) writing_ = false;
  if (file_.wants_more()) wake_housekeeper();
  return placed;
}

// `write` encodes at own.cursor and returns the end.
template <class Write>
bool Collector::write(ThreadLog& own, std::size_t bytes, Write write) {
  if (own.busy) [[unlikely]]
    return false;
  own.busy = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const bool has_room = own.room() >= bytes || make_room(own, bytes);
  if (has_room) own.commit(write());
  std::atomic_signal_fence(std::memory_order_seq_cst);
  own.busy = false;
  return has_room;
}

template <class Record>
void Collector::keep(ThreadLog& own, const Record& record, std::uint64_t FileHeader::*lost) {
  if (!is_writing()) [[unlikely]]
    return count_lost(lost);
  const bool written = write(own, format::kMostRecordBytes, [&] {
    format::Encoder io(own.cursor);
    format::encode(io, record, own.state);
    return io.at();
  });
  if (!written) [[unlikely]]
    count_lost(lost);
}

void Collector::count_lost(std::uint64_t FileHeader::*counter) {
  FileHeader* header = file_.header();
  if (!header) return;
  if (!over_.load(std::memory_order_relaxed)) return count(header, counter);
  if (counter == &FileHeader::lost_calls) count(header, &FileHeader::late_calls);
}

void Collector::add(ThreadLog& own, const format::CallRecord& call) {
  keep(own, call, &FileHeader::lost_calls);
  if (is_exiting() && is_writing()) [[unlikely]]
    count(file_.header(), &FileHeader::late_calls);
}
void Collector::add(const format::GpuRecord& op) { keep(thread_log(), op, &FileHeader::lost_gpu_ops); }
void Collector::add(const format::OverheadRecord& overhead) { keep(thread_log(), overhead, &FileHeader::lost_gpu_ops); }

void Collector::add(const format::MarkRecord& mark) {
  ThreadLog& own = thread_log();
  if (!is_writing() && !over_.load(std::memory_order_relaxed)) {
    std::lock_guard guard(threads_lock_);
    if (!file_.header()) {
      own.pending.push_back(mark);
      return;
    }
  }
  keep(own, mark, &FileHeader::lost_marks);
}

void Collector::note(format::NoteKind kind, std::string_view text, std::uint64_t value) {
  if (!is_writing()) return;
  format::NoteRecord n{};
  n.time_ns = timestamp_ns();
  n.value = value;
  n.text = string_id(text);
  n.kind = kind;
  keep(thread_log(), n, &FileHeader::lost_marks);
}

void Collector::define(format::DefinitionKind kind, std::uint32_t id, std::string_view bytes) {
  if (!is_writing()) return;
  ThreadLog& own = thread_log();
  const bool written = write(own, format::kDefinitionHeadBytes + bytes.size(), [&] {
    format::Encoder io(own.cursor);
    format::encode_definition(io, kind, id, bytes);
    return io.at();
  });
  if (!written) count_lost(&FileHeader::lost_marks);
}

std::uint32_t Collector::string_id(std::string_view text) {
  if (text.empty() || over_.load(std::memory_order_relaxed)) return 0;
  std::lock_guard guard(string_lock_);
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  texts_.emplace_back(text);
  const auto id = static_cast<std::uint32_t>(texts_.size());
  ids_.emplace(texts_.back(), id);
  if (strings_open_) define(format::DefinitionKind::string, id, text);
  return id;
}

// The marks that a thread made before there was a file. Its thread cannot write yet.
void Collector::write_pending(ThreadLog& log) {
  if (log.pending.empty() || !place_segment(log, log.pending.size() * format::kMostRecordBytes)) return;
  for (const format::MarkRecord& mark : log.pending) {
    format::Encoder io(log.cursor);
    format::encode(io, mark, log.state);
    log.commit(io.at());
  }
  log.pending = {};
}

bool Collector::open(const std::string& meta_json) {
  {
    std::lock_guard guard(threads_lock_);
    if (!file_.create(settings().max_bytes)) {
      over_ = true;
      return false;
    }
    for (ThreadLog* log : threads_) write_pending(*log);
    writing_.store(true, std::memory_order_release);
  }
  define(format::DefinitionKind::meta, 0, meta_json);
  std::lock_guard guard(string_lock_);
  strings_open_ = true;
  for (std::size_t i = 0; i < texts_.size(); ++i)
    define(format::DefinitionKind::string, static_cast<std::uint32_t>(i + 1), texts_[i]);
  return true;
}

void Collector::keep_house() {
  if (!is_writing()) return;
  file_.prepare();
  file_.seal_full();
  std::lock_guard guard(threads_lock_);
  if (is_over()) return;  // finish() may have closed the file by now
  for (const ThreadLog* log : threads_)
    if (log->segment) file_.write_back(*log->segment);
}

void Collector::finish() {
  if (over_.exchange(true) || !file_.header()) return;
  writing_ = false;
  {
    std::lock_guard guard(threads_lock_);
    for (ThreadLog* log : threads_)
      if (log->segment) file_.seal(*log->segment);
  }
  file_.close();
}

// Never waits: fork may be called by a signal handler that interrupted whoever holds the locks.
void Collector::before_fork() {
  t_locked_for_fork = false;
  if (is_writing() || is_over() || !string_lock_.try_lock()) return;
  if (threads_lock_.try_lock()) {
    if (!file_.header()) {
      t_locked_for_fork = true;
      return;
    }
    threads_lock_.unlock();
  }
  string_lock_.unlock();
}

void Collector::after_fork_in_parent() {
  if (!t_locked_for_fork) return;
  t_locked_for_fork = false;
  threads_lock_.unlock();
  string_lock_.unlock();
}

void Collector::after_fork_in_child() {
  if (!t_locked_for_fork) return abandon();
  t_thread_id = 0;
  forget_parents_threads();
  after_fork_in_parent();
}

// Their marks are in the parent's file, if anywhere. The one that forked lives on, under another number.
void Collector::forget_parents_threads() {
  ThreadLog* own = late_local<ThreadHandle>().log;
  for (ThreadLog* log : threads_)
    if (log != own) delete log;
  threads_.clear();
  if (!own) return;
  own->pending.clear();
  own->thread = thread_id();
  threads_.insert(own);
}

void Collector::abandon() {
  over_ = true;
  writing_ = false;
  file_.abandon();
}

}  // namespace zerostall::tracer
