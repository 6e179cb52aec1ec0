#include "profiler/trace/import/kineto_events.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "profiler/trace/api_table.h"
#include "profiler/trace/import/kineto_fields.h"

namespace zerostall::kineto {
namespace {

// Text of a string token; escapes resolved. What is no valid string stays as written.
std::string text_of(std::string_view token) {
  const std::string_view raw = bare(token);
  if (raw.find('\\') == std::string_view::npos) return std::string(raw);
  simdjson::dom::parser parser;
  std::string_view text;
  const simdjson::padded_string padded(token);
  return parser.parse(padded).get_string().get(text) ? std::string(raw) : std::string(text);
}

// Bytes that JSON forbids, and bad UTF-8 with them, to something harmless: outside of strings a control character is a
// space, and within it can be one.
bool mend(EventChunk& chunk) {
  bool mended = false;
  for (std::size_t i = 1; i <= chunk.size; ++i) {
    auto& c = reinterpret_cast<unsigned char&>(chunk.buffer[i]);
    if (c < 0x20 && c != '\n' && c != '\r' && c != '\t')
      c = ' ', mended = true;
    else if (c == '\n' || c == '\r' || c == '\t')
      c = ' ';
  }
  const simdjson::error_code error =
      simdjson::validate_utf8(chunk.buffer.data(), chunk.size + 1) ? simdjson::SUCCESS : simdjson::UTF8_ERROR;
  if (!error) return mended;
  for (std::size_t i = 1; i <= chunk.size;) {
    const auto c = static_cast<unsigned char>(chunk.buffer[i]);
    const std::size_t length = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
    const bool valid = length == 1 || (length > 1 && i + length <= chunk.size + 1 &&
                                       simdjson::validate_utf8(chunk.buffer.data() + i, length));
    if (!valid) chunk.buffer[i] = '?';
    i += valid ? length : 1;
  }
  return true;
}

}  // namespace

struct EventParser::Parser {
  ondemand::parser parser;
};

EventParser::EventParser() : parser_(std::make_unique<Parser>()) {}
EventParser::~EventParser() = default;

std::uint32_t EventParser::name_id(std::string_view token) {
  if (const auto found = name_ids_.find(token); found != name_ids_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(names_.size());
  names_.push_back(text_of(token));
  copies_.push_back(parse_copy_name(names_.back()));
  calls_matter_.push_back(matters(names_.back()));
  name_ids_.emplace(token, id);
  return id;
}

std::uint32_t EventParser::thread_id(std::string_view process, std::string_view thread) {
  if (process == last_process_ && thread == last_thread_ && !threads_.empty()) return last_thread_id_;
  last_process_ = process;
  last_thread_ = thread;
  ThreadKey key{text_of(process), text_of(thread)};
  const auto [entry, is_new] = thread_ids_.try_emplace(key, static_cast<std::uint32_t>(threads_.size()));
  if (is_new) threads_.push_back(std::move(key));
  return last_thread_id_ = entry->second;
}

bool EventParser::read_times(const EventFields& event, Nanos* begin, Nanos* end, Events& events) {
  const auto from = parse_microseconds(bare(event.begin));
  const auto length = event.duration.empty() ? Stamp{} : parse_microseconds(bare(event.duration));
  if (!from || !length) {
    events.oddities.add("bad_numbers");
    return false;
  }
  *begin = from->ns;
  *end = from->ns + length->ns;  // both are at most half of what fits
  return true;
}

namespace {

bool is_fractional(std::string_view token) {
  const auto point = token.find('.');
  return point != std::string_view::npos && token.find_first_of("123456789", point) != std::string_view::npos;
}

// 0 = absent. Numbers that do not fit are counted: they link nothing.
std::uint32_t number32(std::string_view token, Events& events) {
  if (token.empty()) return 0;
  const auto value = parse_whole(bare(token));
  if (value && *value >= 0 && *value <= std::numeric_limits<std::uint32_t>::max())
    return static_cast<std::uint32_t>(*value);
  if (!value || *value != -1) events.oddities.add("bad_numbers");  // -1 = does not apply
  return 0;
}

Bytes read_bytes(std::string_view token, Events& events) {
  if (token.empty()) return 0;
  const auto value = parse_whole(bare(token));
  if (value && *value >= 0) return static_cast<Bytes>(*value);
  events.oddities.add("bad_numbers");
  return 0;
}

}  // namespace

void EventParser::add_call(const EventFields& event, Events& events) {
  RawCall call;
  call.name = name_id(event.name);
  if (!calls_matter_[call.name]) {
    events.contents.add("calls that never matter");
    return;
  }
  if (!read_times(event, &call.begin_ns, &call.end_ns, events)) return;
  call.thread = thread_id(event.process, event.thread);
  call.correlation = number32(event.arguments.correlation, events);
  call.bytes = read_bytes(event.arguments.bytes.empty() ? event.arguments.size : event.arguments.bytes, events);
  if (!event.arguments.stream.empty())
    call.stream = static_cast<std::uint64_t>(parse_whole(bare(event.arguments.stream)).value_or(0));
  if (!event.arguments.kind.empty())
    if (const auto kind = parse_whole(bare(event.arguments.kind))) call.direction = direction_of_hip_kind(*kind);
  events.calls.push_back(call);
}

void EventParser::add_gpu_op(const EventFields& event, EventKind kind, Events& events) {
  RawGpuOp op;
  if (!read_times(event, &op.begin_ns, &op.end_ns, events)) return;
  op.name = name_id(event.name);
  op.kind = kind == EventKind::kernel ? GpuOpKind::kernel
            : kind == EventKind::copy ? GpuOpKind::copy
                                      : GpuOpKind::memset;
  op.correlation = number32(event.arguments.correlation, events);
  op.device = number32(event.arguments.device.empty() ? event.process : event.arguments.device, events);
  op.context = number32(event.arguments.context, events);
  op.stream = number32(event.arguments.stream.empty() ? event.thread : event.arguments.stream, events);
  op.from_graph = number32(event.arguments.graph_node, events) != 0;
  if (kind == EventKind::copy) {
    const CopyKind& copy = copies_[op.name];
    op.direction = copy.direction;
    op.source = copy.source;
    op.target = copy.target;
    op.bytes = read_bytes(event.arguments.bytes, events);
  } else if (kind == EventKind::memset) {
    op.target = parse_memset_name(names_[op.name]);
    op.bytes = read_bytes(event.arguments.bytes, events);
  }
  events.gpu_ops.push_back(op);
}

void EventParser::add_annotation(const EventFields& event, Events& events) {
  RawMark mark;
  Nanos end = 0;
  if (!read_times(event, &mark.time_ns, &end, events)) return;
  mark.thread = thread_id(event.process, event.thread);
  mark.text = name_id(event.name);
  const std::string_view phase = bare(event.phase);
  mark.kind = phase == "X"   ? RawMarkKind::start
              : phase == "B" ? RawMarkKind::push
              : phase == "E" ? RawMarkKind::pop
                             : RawMarkKind::instant;
  events.marks.push_back(mark);
  events.range_ends.push_back(end);
}

void EventParser::add_frame(const EventFields& event, Events& events) {
  Frame frame;
  if (!read_times(event, &frame.begin_ns, &frame.end_ns, events)) return;
  frame.thread = thread_id(event.process, event.thread);
  frame.name = name_id(event.name);
  frame.python = event.category_kind == EventKind::python;
  events.frames.push_back(frame);
}

void EventParser::add(const EventFields& event, Events& events) {
  const std::string_view category = bare(event.category);
  events.contents.add(category.empty() ? "no category" : category);
  const std::string_view phase = bare(event.phase);
  const bool is_range = phase == "X";
  events.fractional_times += is_range && is_fractional(event.begin);
  EventKind kind = event.category_kind;
  const bool is_frame = kind == EventKind::op || kind == EventKind::python;
  const bool is_step = is_frame && is_profiler_step(bare(event.name));  // in files before 2022
  if (is_step) kind = EventKind::annotation;
  if (kind == EventKind::other) return;
  if (kind == EventKind::annotation) {
    if (is_range || phase == "B" || phase == "E" || phase == "i" || phase == "I")
      if (category != "gpu_user_annotation") add_annotation(event, events);
  } else if (!is_range) {
    events.oddities.add("events_without_duration");
  } else if (is_frame) {
    add_frame(event, events);
  } else if (kind == EventKind::call) {
    add_call(event, events);
  } else if (kind == EventKind::sync) {
    events.contents.add("cuda_sync: " +
                        text_of(event.arguments.sync_kind.empty() ? event.name : event.arguments.sync_kind));
  } else {
    add_gpu_op(event, kind, events);
  }
}

// It was cut short after all.
void EventParser::forget(const Unfinished& event, Events& events) {
  if (event.category.empty()) return;
  events.contents.add(event.category, -1);
  events.fractional_times -= is_fractional(event.begin);
  events.frames.resize(event.frames);
}

// False: not even the first step of parsing went through, and nothing was read.
bool EventParser::parse_array(std::string_view array, Events& events) {
  ondemand::document document;
  ondemand::array list;
  if (parser_->parser.iterate(array.data(), array.size(), array.size() + kChunkPadding).get(document)) return false;
  events.end = Events::End::cut_short;
  events.used = 0;
  if (document.get_array().get(list)) return true;
  EventFields event;
  Unfinished unfinished;  // the event before, if its end was not seen
  const auto position = [&](const char* at) { return static_cast<std::size_t>(at - array.data()) - 1; };
  for (auto element : list) {
    std::string_view token;
    if (element.raw_json_token().get(token)) {
      forget(unfinished, events);
      return true;
    }
    unfinished = {};
    events.used = position(token.data());
    ondemand::object object;
    const auto error = element.get_object().get(object);
    if (error == simdjson::INCORRECT_TYPE) {
      events.oddities.add("events_not_objects");
      continue;
    }
    if (error) return true;
    event.reset();
    for (auto&& result : object) {
      if (result.error()) return true;
      auto&& field = std::move(result).value_unsafe();  // a reference: copies of it cost more than all the rest
      if (!event.read(field.key().raw(), field.value())) return true;
      if (event.is_read()) {
        unfinished = {bare(event.category), bare(event.phase) == "X" ? event.begin : "", events.frames.size()};
        break;
      }
    }
    add(event, events);
  }
  const char* behind = nullptr;
  if (document.current_location().get(behind)) {  // nothing: the list ended with our own bracket
    events.end = Events::End::whole;
    events.used = array.size() - 2;
  } else {
    events.end = Events::End::list_ended;
    events.used = std::min(position(behind), array.size() - 2);
  }
  return true;
}

namespace {

void clear(Events& events) {
  events.calls.clear();
  events.gpu_ops.clear();
  events.marks.clear();
  events.frames.clear();
  events.range_ends.clear();
  events.contents.clear();
  events.oddities.clear();
  events.fractional_times = 0;
}

}  // namespace

// Parses less and less of a chunk that ends inside a string, until the rest is whole.
bool EventParser::parse_beginning(EventChunk& chunk, Events& events) {
  const std::string_view text = chunk.text();
  const auto brace = text.rfind('}');
  std::optional<Cut> cut;
  if (brace != std::string_view::npos)
    cut = Cut{brace + 1, std::min(text.find_first_not_of(" \n\r\t,", brace + 1), text.size())};
  for (; cut; cut = last_cut(text.substr(0, cut->end))) {
    clear(events);
    const char behind = std::exchange(chunk.buffer[1 + cut->end], ']');
    const bool parsed = parse_array({chunk.buffer.data(), cut->end + 2}, events);
    chunk.buffer[1 + cut->end] = behind;
    if (!parsed) continue;
    if (events.end == Events::End::whole) {
      events.end = Events::End::cut_short;
      events.used = cut->next;
    }
    return true;
  }
  return false;
}

void EventParser::parse(EventChunk& chunk, Events& events) {
  clear(events);
  if (parse_array(chunk.as_array(), events)) return;
  const bool mended = mend(chunk);
  clear(events);
  if (!parse_array(chunk.as_array(), events) && !parse_beginning(chunk, events)) {
    clear(events);
    events.end = Events::End::cut_short;
    events.used = 0;
  }
  if (mended) events.oddities.add("text_not_utf8");
}

}  // namespace zerostall::kineto
