#include "profiler/simgpu/nccl/reduce.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace zerostall::simgpu::nccl {
namespace {

// A binary floating point format of at most 16 bits. `infinite`: the highest exponent means infinity and NaN; without
// it only all ones is NaN (e4m3).
template <class Bits, int Exponent, int Mantissa, bool infinite>
struct Small {
  Bits bits;

  static constexpr int kBias = (1 << (Exponent - 1)) - 1;
  static constexpr unsigned kTop = (1u << Exponent) - 1, kMask = (1u << Mantissa) - 1;
  static constexpr unsigned kNan = kTop << Mantissa | (infinite ? 1u << (Mantissa - 1) : kMask);

  float value() const {
    const unsigned exponent = bits >> Mantissa & kTop, mantissa = bits & kMask;
    const bool negative = bits >> (Exponent + Mantissa) & 1;
    float magnitude;
    if (infinite && exponent == kTop)
      magnitude = mantissa ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    else if (!infinite && exponent == kTop && mantissa == kMask)
      magnitude = std::numeric_limits<float>::quiet_NaN();
    else if (exponent == 0)
      magnitude = std::ldexp(static_cast<float>(mantissa), 1 - kBias - Mantissa);
    else
      magnitude =
          std::ldexp(static_cast<float>(mantissa | 1u << Mantissa), static_cast<int>(exponent) - kBias - Mantissa);
    return negative ? -magnitude : magnitude;
  }

  // Round to nearest, ties to even. Beyond the range: infinity, or NaN where the format has none.
  static Small from(float v) {
    const unsigned sign = std::signbit(v) ? 1u << (Exponent + Mantissa) : 0;
    unsigned rest = kNan;
    if (!std::isnan(v)) {
      const float magnitude = std::fabs(v);
      const unsigned overflow = infinite ? kTop << Mantissa : kNan;
      int exponent = 0;
      std::frexp(magnitude, &exponent);  // magnitude < 2^exponent
      const int unit = std::max(exponent - 1, 1 - kBias) - Mantissa;
      if (std::isinf(magnitude)) {
        rest = overflow;
      } else {
        const auto steps = static_cast<std::int64_t>(std::nearbyint(std::ldexp(static_cast<double>(magnitude), -unit)));
        // steps counts units of the last place, so a carry out of the mantissa raises the exponent by itself
        const std::int64_t code =
            steps < (1 << Mantissa) ? steps : steps + (std::int64_t{unit + Mantissa + kBias - 1} << Mantissa);
        const unsigned largest = infinite ? (kTop << Mantissa) - 1 : kNan - 1;
        rest = code > largest ? overflow : static_cast<unsigned>(code);
      }
    }
    return {static_cast<Bits>(sign | rest)};
  }
};

using Half = Small<std::uint16_t, 5, 10, true>;
using Bfloat16 = Small<std::uint16_t, 8, 7, true>;
using E4m3 = Small<std::uint8_t, 4, 3, false>;
using E5m2 = Small<std::uint8_t, 5, 2, true>;

template <class T>
auto load(const void* data, std::size_t i) {
  T element;
  std::memcpy(&element, static_cast<const char*>(data) + i * sizeof(T), sizeof(T));
  if constexpr (std::is_arithmetic_v<T>)
    return element;
  else
    return element.value();
}
template <class T, class V>
void store(void* data, std::size_t i, V value) {
  T element;
  if constexpr (std::is_arithmetic_v<T>)
    element = static_cast<T>(value);
  else
    element = T::from(value);
  std::memcpy(static_cast<char*>(data) + i * sizeof(T), &element, sizeof(T));
}

// Signed overflow wraps on a GPU: integers are added and multiplied as unsigned.
template <class V>
V combine(V a, V b, int reduction) {
  if constexpr (std::is_integral_v<V>) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): the sign is to be extended
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    if (reduction == kProd) return static_cast<V>(x * y);
    if (reduction == kSum || reduction == kAvg) return static_cast<V>(x + y);
  } else {
    if (reduction == kProd) return a * b;
    if (reduction == kSum || reduction == kAvg) return a + b;
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<V>::quiet_NaN();
  }
  return reduction == kMax ? std::max(a, b) : std::min(a, b);
}

template <class T>
void reduce_as(void* out, const void* const* inputs, int ranks, std::size_t count, int reduction) {
  for (std::size_t i = 0; i < count; ++i) {
    auto value = load<T>(inputs[0], i);
    using V = decltype(value);
    for (int r = 1; r < ranks; ++r) value = combine<V>(value, load<T>(inputs[r], i), reduction);
    if (reduction == kAvg) value = static_cast<V>(value / static_cast<V>(ranks));
    store<T>(out, i, value);
  }
}

template <class T>
void scale_as(void* data, std::size_t count, const void* factor) {
  const auto by = load<T>(factor, 0);
  for (std::size_t i = 0; i < count; ++i) store<T>(data, i, combine(load<T>(data, i), by, kProd));
}

// Calls `f` with a value of the type that `type` names.
template <class F>
void with_type(int type, F f) {
  switch (type) {
    case kInt8:
      return f(std::int8_t{});
    case kUint8:
      return f(std::uint8_t{});
    case kInt32:
      return f(std::int32_t{});
    case kUint32:
      return f(std::uint32_t{});
    case kInt64:
      return f(std::int64_t{});
    case kUint64:
      return f(std::uint64_t{});
    case kFloat16:
      return f(Half{});
    case kFloat32:
      return f(float{});
    case kFloat64:
      return f(double{});
    case kBfloat16:
      return f(Bfloat16{});
    case kFloat8e4m3:
      return f(E4m3{});
    case kFloat8e5m2:
      return f(E5m2{});
  }
}

}  // namespace

std::size_t type_bytes(int type) {
  std::size_t bytes = 0;
  with_type(type, [&](auto t) { bytes = sizeof t; });
  return bytes;
}

void reduce(void* out, const void* const* inputs, int ranks, std::size_t count, int type, int reduction) {
  const int known = reduction >= kOps ? int{kSum} : reduction;
  with_type(type, [&](auto t) { reduce_as<decltype(t)>(out, inputs, ranks, count, known); });
}

void scale(void* data, std::size_t count, int type, const void* factor) {
  with_type(type, [&](auto t) { scale_as<decltype(t)>(data, count, factor); });
}

}  // namespace zerostall::simgpu::nccl
