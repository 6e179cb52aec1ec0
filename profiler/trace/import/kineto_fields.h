// An event as its fields, as they are written. Of the implementation: it needs simdjson's header.
#pragma once
#include <simdjson.h>

#include <cstring>
#include <string_view>

#include "profiler/trace/import/kineto_names.h"

namespace zerostall::kineto {

namespace ondemand = simdjson::ondemand;

constexpr std::uint32_t four(const char (&text)[5]) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(text[i]);
  return value;
}

inline std::uint32_t first_four(const char* text) {
  std::uint32_t value = 0;
  std::memcpy(&value, text, sizeof value);
  return value;
}

// A scalar as written, without the space behind it; strings with their quotes.
inline std::string_view trim(std::string_view token) {
  while (!token.empty() &&
         (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t'))
    token.remove_suffix(1);
  return token;
}

// Without quotes, where it has some.
inline std::string_view bare(std::string_view token) {
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') return token;
  return token.substr(1, token.size() - 2);
}

inline std::string_view token_of(ondemand::value& value) { return trim(value.raw_json_token()); }

// Of an event's `args`, as written; empty = absent.
struct EventArguments {
  std::string_view correlation, device, context, stream, bytes, size, kind, graph_node, sync_kind;
};

// The scalars of an event, as written; empty = absent.
struct EventFields {
  std::string_view phase, category, name, process, thread, begin, duration;
  EventKind category_kind = EventKind::other;
  bool has_arguments = false;
  EventArguments arguments;

  // For the next event: most have no arguments that were read, and need less forgotten.
  void reset() {
    phase = category = name = process = thread = begin = duration = {};
    category_kind = EventKind::other;
    if (has_arguments) arguments = {};
    has_arguments = false;
  }

  // False: the text ends inside, or is none.
  bool read(const char* key, ondemand::value& value);
  bool read_arguments(ondemand::object& object);
  void read_argument(std::string_view key, ondemand::value& value);
  // Nothing more of it is of interest: most events are known after half of their text.
  bool is_read() const {
    if (begin.empty() || category.empty() || name.empty() || phase.empty()) return false;
    if (category_kind == EventKind::other) return true;
    const bool is_frame = category_kind == EventKind::op || category_kind == EventKind::python;
    return is_frame && !duration.empty() && !process.empty() && !thread.empty();
  }
};

// The shortest keys are told by their first bytes: the text goes on behind them.
[[gnu::always_inline]] inline bool EventFields::read(const char* raw, ondemand::value& value) {
  const std::uint32_t word = first_four(raw);
  switch (word) {
    case four("cat\""):
      category = token_of(value);
      category_kind = kind_of(bare(category));
      return true;
    case four("pid\""):
      process = token_of(value);
      return true;
    case four("tid\""):
      thread = token_of(value);
      return true;
    case four("dur\""):
      duration = token_of(value);
      return true;
    case four("name"):
      if (raw[4] == '"') name = token_of(value);
      return true;
    case four("args"):
      if (ondemand::object object; raw[4] == '"' && !value.get_object().get(object)) return read_arguments(object);
      return true;
    default:
      if ((word & 0xffffff) == (four("ts\" ") & 0xffffff)) begin = token_of(value);
      if ((word & 0xffffff) == (four("ph\" ") & 0xffffff)) phase = token_of(value);
      return true;
  }
}

// simdjson's values stay where its iterator made them: copied, they cost more than all the rest.
inline bool EventFields::read_arguments(ondemand::object& object) {
  has_arguments = true;
  for (auto&& result : object) {
    if (result.error()) return false;
    auto&& field = std::move(result).value_unsafe();
    const char* const raw = field.key().raw();
    const char* const end = static_cast<const char*>(std::memchr(raw, '"', 24));
    if (end) read_argument({raw, static_cast<std::size_t>(end - raw)}, field.value());
  }
  return true;
}

inline void EventFields::read_argument(std::string_view key, ondemand::value& value) {
  switch (key.size()) {
    case 4:
      if (key == "size") arguments.size = token_of(value);
      if (key == "kind") arguments.kind = token_of(value);
      return;
    case 5:
      if (key == "bytes") arguments.bytes = token_of(value);
      return;
    case 6:
      if (key == "device") arguments.device = token_of(value);
      if (key == "stream") arguments.stream = token_of(value);
      return;
    case 7:
      if (key == "context") arguments.context = token_of(value);
      return;
    case 11:
      if (key == "correlation") arguments.correlation = token_of(value);
      return;
    case 13:
      if (key == "graph node id") arguments.graph_node = token_of(value);
      return;
    case 14:
      if (key == "cuda_sync_kind") arguments.sync_kind = token_of(value);
      return;
    default:
      return;
  }
}

}  // namespace zerostall::kineto
