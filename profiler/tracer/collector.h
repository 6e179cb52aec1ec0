// The tracer's one object: hands every record to its thread's segment of the trace file, and keeps the string table.
// CUPTI's and NVTX's C callbacks reach it through collector(). Lives until the process ends (callbacks come from exit
// handlers too).
//
// Threads: every function may be called from any thread. Adding a record takes no lock, no memory and no system call,
// but for one in some thousands, which takes a new segment. Nothing calls back into CUDA.
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profiler/tracer/thread_log.h"
#include "profiler/tracer/trace_file.h"

namespace zerostall::tracer {

class Collector {
 public:
  // Opens the file (see TraceFile::create). Marks made before follow. False: cannot be written; said on stderr.
  bool open(const std::string& meta_json);
  bool is_writing() const { return writing_.load(std::memory_order_acquire); }
  bool is_over() const { return over_.load(std::memory_order_relaxed); }

  // The calling thread's; looked up once a callback, since finding a thread's own data costs some nanoseconds.
  ThreadLog& thread_log();
  void add(ThreadLog& own, const format::CallRecord& call);
  void add(const format::GpuRecord& op);
  void add(const format::OverheadRecord& overhead);
  void add(const format::MarkRecord& mark);
  void note(format::NoteKind kind, std::string_view text, std::uint64_t value);
  // Ids of modules and stacks are the caller's; each is defined once.
  void define(format::DefinitionKind kind, std::uint32_t id, std::string_view bytes);

  std::uint32_t string_id(std::string_view text);  // 0 for ""

  // Work of the housekeeper thread.
  void keep_house();
  bool copies_to_file() const { return file_.copies(); }
  bool needs_housekeeping() const { return file_.wants_more(); }

  // From now on the process is ending: calls are recorded and counted as late, for the GPU work that they start is not.
  void begin_exit() { exiting_.store(true, std::memory_order_relaxed); }
  bool is_exiting() const { return exiting_.load(std::memory_order_relaxed); }
  // Marks the file as complete. Later calls are counted, not recorded. Idempotent.
  void finish();

  // Around fork. A child of a process that is traced forgets everything: the file belongs to the parent, and no lock is
  // taken here any more, for a thread of the parent may hold it. A child of one that has only made marks starts anew.
  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  void abandon();
  void forget_parents_threads();  // holds threads_lock_
  friend struct ThreadHandle;
  ThreadLog* make_log();
  void retire(ThreadLog* log);
  bool make_room(ThreadLog& log, std::size_t bytes);
  bool place_segment(ThreadLog& log, std::size_t bytes);  // holds threads_lock_
  void write_pending(ThreadLog& log);                     // holds threads_lock_
  template <class Write>
  bool write(ThreadLog& own, std::size_t bytes, Write write);
  template <class Record>
  void keep(ThreadLog& own, const Record& record, std::uint64_t format::FileHeader::*lost);
  void count_lost(std::uint64_t format::FileHeader::*counter);

  std::atomic<bool> writing_{false}, over_{false}, exiting_{false};
  TraceFile file_;

  std::mutex threads_lock_;  // taken after string_lock_, before TraceFile's
  std::set<ThreadLog*> threads_;
  std::uint64_t next_owner_ = 0;

  std::mutex string_lock_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t> ids_;  // views into texts_
  bool strings_open_ = false;                                // new ones go to the file at once
};

Collector& collector();

std::uint32_t thread_id();

}  // namespace zerostall::tracer
