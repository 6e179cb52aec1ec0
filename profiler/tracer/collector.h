// The tracer's one object: owns the trace file, the per-thread buffers and the string table. CUPTI's and NVTX's C
// callbacks reach it through collector(). Lives until the process ends (callbacks come from exit handlers too).
//
// Threads: every function may be called from any thread. A record goes into its thread's buffer (one uncontended lock)
// and from there, when that is full, into the file as a chunk. Nothing calls back into CUDA.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/trace/format.h"

namespace zerostall::tracer {

// Records of one thread that are not in the file yet.
struct ThreadBuffer {
  std::mutex lock;
  std::vector<format::CallRecord> calls;
  std::vector<format::MarkRecord> marks;
  std::vector<format::NoteRecord> notes;
  std::int64_t flush_at_ns = 0;  // of the real clock: not later than that
};

class Collector {
 public:
  // Opens the file named by $ZEROSTALL_TRACE ("zerostall.<pid>.zstall" if unset; ".<pid>" is added if another process
  // got there first). Records made before are kept in memory and follow. False: cannot be written; said on stderr.
  bool open(const std::string& meta_json);
  bool is_open() const { return open_.load(std::memory_order_acquire); }

  void add(const format::CallRecord& call);
  void add(const format::MarkRecord& mark);
  void note(format::NoteKind kind, std::string_view text, std::uint64_t value);
  void add(const std::vector<format::GpuRecord>& records);  // straight to the file
  // Writes what this thread has buffered: at the end of a step, so that a process that leaves without ceremony (_exit,
  // a signal) loses the step it was in and no other.
  void flush_thread();

  std::uint32_t string_id(std::string_view text);    // 0 for ""
  std::uint32_t static_string_id(const char* text);  // for strings that never move: cached by address

  // Writes what all threads have buffered; recording goes on.
  void flush_all();
  bool is_writing() const { return is_open() && !finished_.load(std::memory_order_relaxed); }

  // Writes what is buffered and the end chunk. Later records are dropped. Idempotent.
  void finish();
  // After fork, in the child: forget everything; the file belongs to the parent. From then on no lock is taken here,
  // for a thread of the parent may hold it.
  void abandon();

 private:
  friend struct ThreadHandle;
  static int create_file();  // -1: could not, and said so on stderr
  template <class Record>
  void keep(std::vector<Record> ThreadBuffer::*list, const Record& record);
  ThreadBuffer& buffer();
  void write_threads();
  void retire(const std::shared_ptr<ThreadBuffer>& buffer);
  void flush(ThreadBuffer& buffer);  // caller holds buffer.lock
  void write_chunk(format::ChunkKind kind, std::size_t record_bytes, const void* data,
                   std::size_t bytes);  // holds file_lock_
  void write_strings();                 // holds file_lock_
  void write_all(const void* data, std::size_t bytes);

  std::atomic<bool> open_{false}, finished_{false};
  std::mutex file_lock_;
  int file_ = -1;
  bool failed_ = false;  // disk full or the like: said once, then silent

  std::mutex string_lock_;
  std::unordered_map<std::string, std::uint32_t> strings_;
  std::unordered_map<const char*, std::uint32_t> by_address_;
  std::string new_strings_;  // serialised, not in the file yet

  std::mutex threads_lock_;
  std::set<std::shared_ptr<ThreadBuffer>> threads_;
};

Collector& collector();

std::uint32_t thread_id();

}  // namespace zerostall::tracer
