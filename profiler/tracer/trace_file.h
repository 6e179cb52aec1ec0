// The trace file while it is written: a header page and segments, mapped into this process, so that what is recorded
// is in the file at once and outlives any kind of death (layout: ../trace/format.h).
//
// Space is reserved before it is mapped: a full disk is an error here, never a SIGBUS in the program. Where a file
// system cannot map shared memory, segments live in private memory and `write_back` copies them.
//
// Threads: every function may be called from any thread; one lock, taken once per segment, not per record.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "profiler/trace/format.h"

namespace zerostall::tracer {

class TraceFile {
 public:
  // Creates the file named by $ZEROSTALL_TRACE ("zerostall.<pid>.zstall" if unset; ".<pid>" is added if another process
  // got there first). Never overwrites. False: said on stderr.
  bool create(std::uint64_t max_bytes);

  // A segment with room for `least_bytes` of records, of the size given or larger. Null when recording has to end: then
  // the header says why.
  format::SegmentHeader* take(std::size_t segment_bytes, std::size_t least_bytes);
  // Gives back one that is full or whose thread has ended. It is sealed later, by `seal_full`.
  void give_back(format::SegmentHeader* segment);

  // Work of the housekeeper: makes segments ahead when some were asked for, seals those given back.
  void prepare();
  void seal_full();
  // True where the file cannot be mapped: then `write_back` copies what is recorded to it, and else does nothing.
  bool copies() const { return !mapped_; }
  void write_back(const format::SegmentHeader& segment);

  // Writes the final checksum; the segment stays mapped, for its thread may still be at work.
  void seal(format::SegmentHeader& segment);
  // No segment is given out from now on; the file is cut to what is used and marked as closed.
  void close();
  // After fork, in the child: the file belongs to the parent. No lock is taken, for a thread of the parent may hold it.
  void abandon();

  // Null before `create` and after `abandon`. Counters in it are changed with std::atomic_ref.
  format::FileHeader* header() const { return header_.load(std::memory_order_acquire); }
  bool stopped() const {
    format::FileHeader* h = header();
    return h && std::atomic_ref(h->stop_reason).load(std::memory_order_relaxed) != format::StopReason::none;
  }
  // True once a large segment was asked for: time to make some ahead.
  bool wants_more() const { return wants_more_; }

 private:
  // Both hold lock_. Made ahead: what fails is no reason to stop, for it may never be needed.
  format::SegmentHeader* make(std::size_t bytes, bool ahead);
  bool reserve(std::uint64_t end, bool ahead);
  void stop(format::StopReason reason, int error);
  void release(format::SegmentHeader* segment);
  void protect();
  void write(const void* data, std::size_t bytes, std::uint64_t place) const;

  std::mutex lock_;
  std::mutex sealing_;  // taken before lock_: the file is not closed under a segment that is on its way there
  int file_ = -1;
  unsigned mode_ = 0;  // permissions it gets in the end; 0 = unknown
  bool mapped_ = true;
  bool closed_ = false;
  std::atomic<bool> wants_more_{false};
  std::uint64_t end_ = 0;  // of the file
  std::uint64_t max_bytes_ = 0;
  std::atomic<format::FileHeader*> header_{nullptr};  // a thread may end the process in another's first call
  std::vector<format::SegmentHeader*> ready_;         // made ahead
  std::vector<format::SegmentHeader*> full_;          // to be sealed
};

// Segments grow with use: a thread that makes few calls takes little of the file.
inline constexpr std::size_t kLargeSegmentBytes = std::size_t{256} << 10;
std::size_t page_bytes();

}  // namespace zerostall::tracer
