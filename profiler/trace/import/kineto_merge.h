// Puts the pieces of a Kineto trace together again.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/trace/import/event_chunks.h"
#include "profiler/trace/import/kineto_events.h"
#include "profiler/trace/raw_trace.h"

namespace zerostall::kineto {

// What the merger calls the names and threads of one parser, as far as it has met them.
struct ChunkNames {
  std::vector<StringId> names;
  std::vector<std::uint32_t> threads;
};

class Merger {
 public:
  // In the order of chunk numbers. `events` are those of `chunk`; where the chunk before was cut in the wrong place
  // both are parsed again, together.
  void add(EventParser& parser, ChunkNames& names, EventChunk& chunk, Events& events);

  // The rest of the text is not worth reading: it is damaged, or too long to be what stands behind the events.
  bool is_full() const { return full_; }

  // Once, at the end. Fails where the text held no event at all.
  Result<std::vector<RawTrace>> finish(const EventChunks& chunks);

 private:
  void take(const EventParser& parser, ChunkNames& names, Events& events);
  void learn_names(const EventParser& parser, ChunkNames& names);
  void rejoin(EventParser& parser, EventChunk& chunk, Events& events);
  void find_end(const EventChunk& chunk, const Events& events);
  void tell_end(const EventChunks& chunks);
  std::string outside(const EventChunks& chunks) const;

  RawTrace all_;  // threads are numbers of threads_; marks are in pairs
  std::vector<ThreadKey> threads_;
  std::map<ThreadKey, std::uint32_t> thread_ids_;
  std::vector<Frame> frames_;
  std::int64_t events_ = 0, fractional_times_ = 0;

  std::string left_over_;  // the end of the last chunk, which was no whole event
  std::uint64_t left_over_begin_ = 0;
  bool list_ended_ = false;
  std::string behind_list_;
  bool full_ = false;
};

}  // namespace zerostall::kineto
