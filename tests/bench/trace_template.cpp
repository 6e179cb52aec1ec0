#include "tests/bench/trace_template.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace zerostall {
namespace {

namespace ondemand = simdjson::ondemand;
constexpr std::string_view kStep = "ProfilerStep#";
constexpr std::int64_t kGapUs = 1000;  // between one repetition and the next

// What of an event decides how it is counted and repeated.
struct Seen {
  std::string_view name, category, phase;
  std::optional<double> time, duration;
};

class TakingApart {
 public:
  explicit TakingApart(std::string_view text) : text_(text) {}

  void event(ondemand::object object) {
    const std::string_view text = object.raw_json();
    object.reset();
    const std::size_t first = result.places.size();
    Seen seen;
    for (auto field : object) {
      const std::string_view key = field.unescaped_key();
      visit(key, field.value(), seen);
    }
    if (seen.phase == "M") {
      result.places.resize(first);
      result.once.push_back(text);
      return;
    }
    std::sort(result.places.begin() + static_cast<std::ptrdiff_t>(first), result.places.end(),
              [](const Place& a, const Place& b) { return a.begin < b.begin; });
    result.events.push_back({text, first, result.places.size() - first});
    const auto begin = static_cast<std::size_t>(text.data() - text_.data());
    for (std::size_t i = first; i < result.places.size(); ++i) {
      result.places[i].begin -= begin;
      result.places[i].end -= begin;
    }
    count(seen);
  }

  void finish() {
    result.time_stride_us = static_cast<std::int64_t>(std::ceil(last_ - first_)) + kGapUs;
    for (const Place& place : result.places) {
      if (place.kind == Place::Kind::id) result.id_stride = std::max(result.id_stride, place.value);
      if (place.kind == Place::Kind::external) result.external_stride = std::max(result.external_stride, place.value);
    }
  }

  TraceTemplate result;
  bool odd_time = false;

 private:
  void visit(std::string_view key, ondemand::value value, Seen& seen) {
    if (key == "ts") {
      seen.time = place(value.raw_json_token(), Place::Kind::time);
      odd_time |= !seen.time;
    } else if (key == "dur") {
      double duration = 0;
      if (!value.get_double().get(duration)) seen.duration = duration;
    } else if (key == "ph") {
      seen.phase = value.get_string();
    } else if (key == "cat") {
      seen.category = value.get_string();
    } else if (key == "name") {
      const std::string_view token = value.raw_json_token();
      seen.name = value.get_string();
      if (token.starts_with('"') && token.substr(1).starts_with(kStep))
        place(token.substr(1 + kStep.size()), Place::Kind::step);
    } else if (key == "id") {  // of a flow
      place(value.raw_json_token(), Place::Kind::id);
    } else if (key == "args") {
      visit_args(value);
    }
  }

  void visit_args(ondemand::value value) {
    ondemand::object args;
    if (value.get_object().get(args)) return;
    for (auto field : args) {
      const std::string_view key = field.unescaped_key();
      if (key == "correlation" || key == "wait_on_cuda_event_record_corr_id")
        place(field.value().raw_json_token(), Place::Kind::id);
      if (key == "External id" || key == "external id") place(field.value().raw_json_token(), Place::Kind::external);
    }
  }

  // The number at the begin of the token; nullopt: none there. What is 0 or less means "none" where it is an id.
  std::optional<double> place(std::string_view token, Place::Kind kind) {
    std::int64_t value = 0;
    const char* const end = token.data() + token.size();
    const auto [rest, error] = std::from_chars(token.data(), end, value);
    if (error != std::errc() || (rest != end && (*rest == 'e' || *rest == 'E'))) return std::nullopt;
    const bool is_id = kind == Place::Kind::id || kind == Place::Kind::external;
    const auto begin = static_cast<std::size_t>(token.data() - text_.data());
    if (!is_id || value > 0)
      result.places.push_back({begin, begin + static_cast<std::size_t>(rest - token.data()), value, kind});
    return static_cast<double>(value);
  }

  void count(const Seen& seen) {
    if (seen.time) {
      first_ = std::min(first_, *seen.time);
      last_ = std::max(last_, *seen.time + seen.duration.value_or(0) + 1);  // what stands behind the point
    }
    if (seen.phase != "X") return;
    const bool on_gpu = seen.category.starts_with("gpu_");
    if (seen.name.starts_with(kStep) && !on_gpu) ++result.steps;
    if (seen.category == "gpu_memcpy" || seen.category == "Memcpy") ++result.copies[std::string(seen.name)];
    const bool is_call =
        seen.category == "cuda_runtime" || seen.category == "cuda_driver" || seen.category == "Runtime";
    const auto contains = [&](std::string_view word) { return seen.name.find(word) != seen.name.npos; };
    if (is_call && (contains("Synchronize") || contains("Memcpy"))) ++result.calls[std::string(seen.name)];
  }

  std::string_view text_;
  double first_ = std::numeric_limits<double>::max(), last_ = 0;
};

}  // namespace

std::int64_t TraceTemplate::stride(Place::Kind kind) const {
  switch (kind) {
    case Place::Kind::time:
      return time_stride_us;
    case Place::Kind::id:
      return id_stride;
    case Place::Kind::external:
      return external_stride;
    case Place::Kind::step:
      return steps;
  }
  return 0;
}

Result<TraceTemplate> take_apart(std::string_view text, std::size_t capacity) {
  TakingApart work(text);
  try {
    ondemand::parser parser;
    ondemand::document document = parser.iterate(text.data(), text.size(), capacity);
    ondemand::array events = document["traceEvents"].get_array();
    const std::string_view list = events.raw_json();
    events.reset();
    for (ondemand::object event : events) work.event(event);
    const auto begin = static_cast<std::size_t>(list.data() - text.data());
    work.result.prolog = text.substr(0, begin + 1);
    work.result.epilog = text.substr(begin + list.rfind(']'));
  } catch (const simdjson::simdjson_error& error) {
    return Error{std::string("no trace of PyTorch's profiler (an object with traceEvents): ") + error.what()};
  }
  if (work.odd_time) return Error{"a time in it is no plain number: such a trace cannot be repeated"};
  if (work.result.events.empty()) return Error{"it has no events"};
  work.finish();
  return std::move(work.result);
}

void append_repetition(const TraceTemplate& trace, std::int64_t repetition, std::string& to) {
  char digits[24];
  for (const EventText& event : trace.events) {
    to += ",\n  ";
    std::size_t written = 0;
    for (std::size_t i = event.first_place; i < event.first_place + event.places; ++i) {
      const Place& place = trace.places[i];
      to.append(event.text, written, place.begin - written);
      const auto end =
          std::to_chars(digits, digits + sizeof(digits), place.value + repetition * trace.stride(place.kind)).ptr;
      to.append(digits, end);
      written = place.end;
    }
    to.append(event.text, written);
  }
}

}  // namespace zerostall
