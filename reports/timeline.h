// A process as tracks of slices, as timeline viewers want it. `write_timeline` walks what was found once; a sink turns
// it into a format.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reports/export_process.h"

namespace zerostall {

enum class TrackKind : std::uint8_t {
  steps,
  waits,        // of one thread: what counts as a host wait
  other_waits,  // of one thread: what is reported apart
  calls,        // of one thread
  ranges,       // of one thread: NVTX ranges and marks that are neither steps nor regions
  gpu_gaps,     // of one device
  gpu_work,     // of one stream
};

struct Track {
  TrackKind kind = TrackKind::steps;
  std::string name;
  std::uint32_t thread = 0;  // the system's id; of steps: that of the marking thread
  std::uint32_t device = 0, stream = 0;
  std::uint32_t lane = 0;  // not 0: slices that overlap those of the lanes before, which nesting cannot show
};

struct TimelineArg {
  std::string_view key;
  std::variant<std::int64_t, std::uint64_t, bool, std::string_view> value;
};

// Facts about one slice; reused from slice to slice. Texts must live until the slice is written.
class TimelineArgs {
 public:
  void clear() { list_.clear(); }
  void add(std::string_view key, std::int64_t value) { list_.push_back({key, value}); }
  void add(std::string_view key, std::uint64_t value) { list_.push_back({key, value}); }
  void add(std::string_view key, bool value) { list_.push_back({key, value}); }
  void add(std::string_view key, std::string_view value) { list_.push_back({key, value}); }
  void add(std::string_view key, const char* value) { add(key, std::string_view(value)); }
  const std::vector<TimelineArg>& list() const { return list_; }

 private:
  std::vector<TimelineArg> list_;
};

struct Slice {
  std::uint32_t track = 0;  // as add_track gave it
  Nanos begin_ns = 0;
  Nanos end_ns = 0;  // not before begin_ns
  std::string_view name{}, category{};
  const TimelineArgs* args = nullptr;
  std::uint64_t flow = 0;  // not 0: an arrow from the slice that `starts_flow` to the other of this number
  bool starts_flow = false;
  bool has_no_end = false;  // in this trace: `end_ns` is where that ends, or where another step shows it was over
};

// Slices of a track come in order of begin, nest, and are ended innermost first: everything ends that begins.
class TimelineSink {
 public:
  virtual ~TimelineSink() = default;
  virtual std::uint32_t add_track(const Track& track) = 0;  // a number, from 0 in each process
  virtual void begin(const Slice& slice) = 0;
  virtual void end(std::uint32_t track, Nanos time_ns) = 0;
  virtual void instant(std::uint32_t track, Nanos time_ns, std::string_view name, std::string_view category,
                       const TimelineArgs& args) = 0;
};

struct TimelineStyle {
  std::string_view step_prefix = "step ";
  std::uint64_t first_id = 1;  // of correlations and flows: unique where a file holds several processes
};

// Whether a range became a step or a region of one, and is shown as that.
bool is_shown_as_step(const Trace& trace, const Steps& steps, const Range& range);

// Returns the first id that is free for the next process.
std::uint64_t write_timeline(const ExportProcess& process, const TimelineStyle& style, TimelineSink& sink);

// "rank0 · python train.py · times modelled (simulated H200)".
std::string timeline_title(const ExportProcess& process);

}  // namespace zerostall
