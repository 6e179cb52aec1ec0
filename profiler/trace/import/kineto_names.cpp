#include "profiler/trace/import/kineto_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace zerostall::kineto {
namespace {

template <class T>
struct Row {
  std::string_view name;
  T value;
};

using enum EventKind;
constexpr std::array<Row<EventKind>, 16> kKinds = {{
    {"cpu_op", op},
    {"python_function", python},
    {"cuda_runtime", call},
    {"kernel", kernel},
    {"cuda_driver", call},
    {"gpu_memcpy", copy},
    {"gpu_memset", memset},
    {"user_annotation", annotation},
    {"cuda_sync", sync},
    {"Runtime", call},
    {"Kernel", kernel},
    {"Memcpy", copy},
    {"Memset", memset},
    {"hip_runtime", call},
    {"Operator", op},
    {"python_annotation", annotation},
}};

constexpr std::array<Row<CopyDirection>, 10> kDirections = {{
    {"HtoD", CopyDirection::host_to_device},
    {"DtoH", CopyDirection::device_to_host},
    {"DtoD", CopyDirection::device_to_device},
    {"HtoH", CopyDirection::host_to_host},
    {"PtoP", CopyDirection::peer},
    {"HtoA", CopyDirection::host_to_device},
    {"AtoH", CopyDirection::device_to_host},
    {"AtoA", CopyDirection::device_to_device},
    {"AtoD", CopyDirection::device_to_device},
    {"DtoA", CopyDirection::device_to_device},
}};

constexpr std::array<Row<MemoryKind>, 7> kMemories = {{
    {"Pageable", MemoryKind::pageable},
    {"Pinned", MemoryKind::pinned},
    {"Device", MemoryKind::device},
    {"Array", MemoryKind::device},
    {"Managed", MemoryKind::managed},
    {"Device Static", MemoryKind::device},
    {"Managed Static", MemoryKind::managed},
}};

template <class T, std::size_t n>
T find(const std::array<Row<T>, n>& rows, std::string_view name, T otherwise) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row<T>& r) { return r.name == name; });
  return row == rows.end() ? otherwise : row->value;
}

// What stands between `open` and the next `close`, and behind; empty where there is no such thing.
std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
  const auto begin = text.find(open);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + open.size());
  const auto end = text.find(close);
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end);
}

constexpr Nanos kMostMicroseconds = 9'000'000'000'000'000;  // of the year 2255; times 1000 they fit 64 bits

// The few numbers that are not written as plain decimals: 1.5e15.
std::optional<Stamp> parse_slowly(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  if (std::abs(value) > static_cast<double>(kMostMicroseconds)) return std::nullopt;
  return Stamp{static_cast<Nanos>(std::llround(value * 1000)), value != std::floor(value)};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

EventKind kind_of(std::string_view category) { return find(kKinds, category, other); }

bool is_profiler_step(std::string_view name) { return name.starts_with("ProfilerStep#"); }

CopyKind parse_copy_name(std::string_view name) {
  const auto word = name.find("Memcpy ");
  if (word == std::string_view::npos) return {};
  CopyKind kind;
  kind.direction = find(kDirections, name.substr(word + 7, 4), CopyDirection::unknown);
  kind.source = find(kMemories, between(name, "(", " -> "), MemoryKind::unknown);
  kind.target = find(kMemories, between(name, " -> ", ")"), MemoryKind::unknown);
  return kind;
}

MemoryKind parse_memset_name(std::string_view name) {
  return find(kMemories, between(name, "(", ")"), MemoryKind::unknown);
}

CopyDirection direction_of_hip_kind(std::int64_t kind) {
  constexpr std::array kKind = {CopyDirection::host_to_host, CopyDirection::host_to_device,
                                CopyDirection::device_to_host, CopyDirection::device_to_device};
  return kind >= 0 && kind < static_cast<std::int64_t>(kKind.size()) ? kKind[static_cast<std::size_t>(kind)]
                                                                     : CopyDirection::unknown;
}

std::optional<Stamp> parse_microseconds(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at < end && *at == '-';
  at += negative;
  const char* const digits = at;
  Nanos whole = 0;
  for (; at < end && is_digit(*at); ++at) {
    if (whole > kMostMicroseconds) return std::nullopt;
    whole = whole * 10 + (*at - '0');
  }
  if (at == digits || whole > kMostMicroseconds) return std::nullopt;
  Nanos ns = whole * 1000;
  bool fractional = false;
  if (at < end && *at == '.') {
    Nanos unit = 1000;
    for (++at; at < end && is_digit(*at); ++at) {
      fractional = fractional || *at != '0';
      if (unit > 1) {
        unit /= 10;
        ns += (*at - '0') * unit;
      } else if (unit == 1) {
        ns += *at >= '5';
        unit = 0;
      }
    }
  }
  if (at != end) return parse_slowly(text);
  return Stamp{negative ? -ns : ns, fractional};
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

}  // namespace zerostall::kineto
