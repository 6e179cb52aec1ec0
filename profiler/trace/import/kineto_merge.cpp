#include "profiler/trace/import/kineto_merge.h"

#include <algorithm>

#include "profiler/trace/api_table.h"
#include "profiler/trace/import/kineto_meta.h"
#include "profiler/trace/import/split_processes.h"

namespace zerostall::kineto {
namespace {

constexpr std::size_t kLongestLeftOver = std::size_t{32} << 20;  // each chunk that joins it is parsed with all of it
constexpr std::size_t kLongestBehind = std::size_t{64} << 20;

// Vectors double: where memory counts most, by less.
template <class T>
void make_room(std::vector<T>& to, std::size_t more) {
  if (to.capacity() < to.size() + more) to.reserve(std::max(to.size() + more, to.size() + to.size() / 2));
}

}  // namespace

void Merger::learn_names(const EventParser& parser, ChunkNames& names) {
  for (std::size_t i = names.names.size(); i < parser.names().size(); ++i)
    names.names.push_back(all_.strings.intern(parser.names()[i]));
  for (std::size_t i = names.threads.size(); i < parser.threads().size(); ++i) {
    const ThreadKey& key = parser.threads()[i];
    const auto [entry, is_new] = thread_ids_.try_emplace(key, static_cast<std::uint32_t>(threads_.size()));
    if (is_new) threads_.push_back(key);
    names.threads.push_back(entry->second);
  }
}

void Merger::take(const EventParser& parser, ChunkNames& names, Events& events) {
  learn_names(parser, names);
  make_room(all_.calls, events.calls.size());
  for (RawCall call : events.calls) {
    call.name = names.names[call.name];
    call.thread = names.threads[call.thread];
    all_.calls.push_back(call);
  }
  make_room(all_.gpu_ops, events.gpu_ops.size());
  for (RawGpuOp op : events.gpu_ops) {
    op.name = names.names[op.name];
    all_.gpu_ops.push_back(op);
  }
  make_room(frames_, events.frames.size());
  for (Frame frame : events.frames) {
    frame.name = names.names[frame.name];
    frame.thread = names.threads[frame.thread];
    frames_.push_back(frame);
  }
  for (std::size_t i = 0; i < events.marks.size(); ++i) {
    RawMark mark = events.marks[i];
    mark.text = names.names[mark.text];
    mark.thread = names.threads[mark.thread];
    mark.range = all_.marks.size();
    all_.marks.push_back(mark);
    if (mark.kind != RawMarkKind::start) continue;
    mark.kind = RawMarkKind::end;
    mark.time_ns = events.range_ends[i];
    all_.marks.push_back(mark);
  }
  for (const Tally::Row& row : events.contents.rows()) {
    if (row.count != 0) all_.contents[row.what] += row.count;
    if (row.what == "no category" || !row.what.starts_with("cuda_sync: ")) events_ += row.count;
  }
  for (const Tally::Row& row : events.oddities.rows()) all_.oddities[row.what] += row.count;
  fractional_times_ += events.fractional_times;
}

void Merger::rejoin(EventParser& parser, EventChunk& chunk, Events& events) {
  std::string text = std::move(left_over_);
  text += ',';
  text += chunk.text();
  chunk.buffer.resize(1 + text.size());
  std::copy(text.begin(), text.end(), chunk.buffer.begin() + 1);
  chunk.size = text.size();
  chunk.begin = left_over_begin_;
  enclose(chunk);
  parser.parse(chunk, events);
  left_over_.clear();
}

void Merger::find_end(const EventChunk& chunk, const Events& events) {
  const std::string_view text = chunk.text();
  if (events.end == Events::End::list_ended) {
    list_ended_ = true;
    behind_list_ = text.substr(events.used);
  } else if (events.end == Events::End::cut_short) {
    left_over_ = text.substr(events.used);
    left_over_begin_ = chunk.begin + events.used;
    full_ = left_over_.size() > kLongestLeftOver;
  } else if (chunk.is_last) {
    left_over_begin_ = chunk.begin + chunk.size;
  }
}

void Merger::add(EventParser& parser, ChunkNames& names, EventChunk& chunk, Events& events) {
  if (full_) return;
  if (list_ended_) {
    behind_list_ += ',';
    behind_list_ += chunk.text();
    full_ = behind_list_.size() > kLongestBehind;
    return;
  }
  if (!left_over_.empty()) rejoin(parser, chunk, events);
  take(parser, names, events);
  find_end(chunk, events);
}

// The file's object without its events; "" = there is none, or its end is missing.
std::string Merger::outside(const EventChunks& chunks) const {
  if (chunks.header().empty()) return {};
  const std::string closed = chunks.header() + "0" + behind_list_;
  return list_ended_ && !full_ ? closed : chunks.header() + "0}";
}

void Merger::tell_end(const EventChunks& chunks) {
  const TextSource& source = chunks.source();
  if (list_ended_ && source.damage().empty()) return;
  all_.truncated = true;
  if (!source.damage().empty()) {
    // Where it is damaged is found out only at its end.
    if (source.damage().ends_with("ends early"))
      all_.end.byte = source.input_bytes();
    else
      all_.end.damage = source.damage();
  } else {
    if (!source.is_compressed()) all_.end.byte = left_over_begin_;
    if (full_) all_.end.damage = "not JSON";
  }
}

Result<std::vector<RawTrace>> Merger::finish(const EventChunks& chunks) {
  if (events_ == 0 && all_.oddities.count("events_not_objects") > 0) return Error{"its list holds no events"};
  tell_end(chunks);
  if (fractional_times_ > 0) all_.contents["fractional times"] = fractional_times_;
  std::uint32_t device = 0;
  if (!all_.gpu_ops.empty()) device = all_.gpu_ops.front().device;
  read_meta(outside(chunks), device, all_.meta);
  const bool launches = std::any_of(all_.calls.begin(), all_.calls.end(), [&](const RawCall& c) {
    return is_launch(find_api(all_.strings.text(c.name)).kind);
  });
  all_.meta.counts_only = launches && all_.gpu_ops.empty();
  attach_stacks(std::move(frames_), all_);
  std::vector<ProcessThread> threads;
  for (const ThreadKey& key : threads_)
    threads.push_back({parse_whole(key.process).value_or(-1), parse_whole(key.thread).value_or(-1)});
  return split_processes(std::move(all_), threads);
}

}  // namespace zerostall::kineto
