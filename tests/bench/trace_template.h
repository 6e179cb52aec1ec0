// A trace of PyTorch's profiler taken apart so that it can be written many times over: as text with places where
// numbers go that differ from one repetition to the next.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace zerostall {

// A number of the text: its whole digits stand at [begin, end). In repetition r it is value + r * stride of its kind.
struct Place {
  enum class Kind : std::uint8_t { time, id, external, step };
  std::size_t begin = 0, end = 0;
  std::int64_t value = 0;
  Kind kind = Kind::time;
};

// A stretch of text with places in it.
struct EventText {
  std::string_view text;
  std::size_t first_place = 0, places = 0;
};

struct TraceTemplate {
  std::string_view prolog, epilog;     // what stands around the events; the brackets of their list are included
  std::vector<std::string_view> once;  // metadata (processes, threads): written once
  std::vector<EventText> events;
  std::vector<Place> places;
  std::int64_t time_stride_us = 0;  // one repetition follows the other
  std::int64_t id_stride = 0;       // correlation ids and, since these are the same numbers, ids of flows
  std::int64_t external_stride = 0;
  std::int64_t steps = 0;                      // ProfilerStep#N of the host
  std::map<std::string, std::int64_t> calls;   // names of calls that wait or copy -> how many
  std::map<std::string, std::int64_t> copies;  // names of copies by the GPU -> how many

  std::int64_t stride(Place::Kind kind) const;
};

// `text` must have simdjson's padding behind it and outlive the result. Fails for what is no such trace, and for times
// that are no plain numbers.
Result<TraceTemplate> take_apart(std::string_view text, std::size_t capacity);

// Appends one repetition, each event with a comma and a line break before it.
void append_repetition(const TraceTemplate& trace, std::int64_t repetition, std::string& to);

}  // namespace zerostall
