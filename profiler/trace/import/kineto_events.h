// The events of one piece of a Kineto trace.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/trace/import/event_chunks.h"
#include "profiler/trace/import/kineto_names.h"
#include "profiler/trace/import/kineto_stacks.h"
#include "profiler/trace/raw_trace.h"

namespace zerostall::kineto {

// How often each of a few things was met.
class Tally {
 public:
  struct Row {
    std::string what;
    std::int64_t count = 0;
  };
  void add(std::string_view what, std::int64_t n = 1) {
    if (last_ < rows_.size() && rows_[last_].what == what) {
      rows_[last_].count += n;
      return;
    }
    for (last_ = 0; last_ < rows_.size(); ++last_)
      if (rows_[last_].what == what) break;
    if (last_ == rows_.size()) rows_.push_back({std::string(what), 0});
    rows_[last_].count += n;
  }
  const std::vector<Row>& rows() const { return rows_; }
  void clear() { rows_.clear(); }

 private:
  std::vector<Row> rows_;
  std::size_t last_ = 0;  // events of a kind follow each other
};

// What a chunk holds. Names and threads are numbers of the parser's own tables; times are nanoseconds, relative to
// whatever the file counts from. Ranges are marks of kind `start`, with the end in `range_ends`.
struct Events {
  std::vector<RawCall> calls;
  std::vector<RawGpuOp> gpu_ops;
  std::vector<RawMark> marks;
  std::vector<Nanos> range_ends;  // of each mark
  std::vector<Frame> frames;
  Tally contents, oddities;
  std::int64_t fractional_times = 0;

  // How far the chunk was whole events.
  enum class End : std::uint8_t { whole, list_ended, cut_short } end = End::whole;
  std::size_t used =
      0;  // bytes of text() in front of what was not used: behind the list's "]", or at the event cut short
};

struct EventFields;  // kineto_fields.h

// A thread as the file names it.
struct ThreadKey {
  std::string process, thread;
  auto operator<=>(const ThreadKey&) const = default;
};

// Keeps its tables from chunk to chunk: what is new since last time stands at their ends. For one thread of the
// program.
class EventParser {
 public:
  EventParser();
  ~EventParser();

  // Total. `events` is emptied first; `chunk` is changed where it has to be mended.
  void parse(EventChunk& chunk, Events& events);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<ThreadKey>& threads() const { return threads_; }

 private:
  struct Parser;

  bool parse_array(std::string_view array, Events& events);
  bool parse_beginning(EventChunk& chunk, Events& events);
  void add(const EventFields& event, Events& events);
  // An event of which the beginning was enough.
  struct Unfinished {
    std::string_view category, begin;
    std::size_t frames = 0;  // there were before it
  };
  static void forget(const Unfinished& event, Events& events);
  void add_call(const EventFields& event, Events& events);
  void add_gpu_op(const EventFields& event, EventKind kind, Events& events);
  void add_annotation(const EventFields& event, Events& events);
  void add_frame(const EventFields& event, Events& events);
  bool read_times(const EventFields& event, Nanos* begin, Nanos* end, Events& events);
  std::uint32_t name_id(std::string_view token);
  std::uint32_t thread_id(std::string_view process, std::string_view thread);

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  std::unique_ptr<Parser> parser_;
  std::vector<std::string> names_;  // as text
  std::vector<CopyKind> copies_;    // what each name means if it is one of a copy
  std::vector<bool> calls_matter_;  // if it is one of a call: false for those nobody waits in and that start nothing
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> name_ids_;  // by token, as written
  std::vector<ThreadKey> threads_;
  std::map<ThreadKey, std::uint32_t> thread_ids_;
  std::string last_process_, last_thread_;  // tokens; nearly always the same again
  std::uint32_t last_thread_id_ = 0;
};

}  // namespace zerostall::kineto
