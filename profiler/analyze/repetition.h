// Repetition in sequences of tokens. Every function is linear in the length of the sequence, or says otherwise.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace zerostall {

// Which parts of a sequence are equal, by the hash of each prefix.
class Fingerprints {
 public:
  explicit Fingerprints(std::span<const std::uint32_t> tokens);
  std::uint64_t of(std::size_t begin, std::size_t end) const;

 private:
  std::vector<std::uint64_t> prefix_, power_;
};

struct Repeat {
  std::size_t length = 0;  // of the part that repeats, at the end of the sequence
  std::size_t period = 0;
};

// The longest end of the sequence that is at least `times` repetitions of one period, the shortest there is; the last
// repetition may be cut.
std::optional<Repeat> repeat_at_end(std::span<const std::uint32_t> tokens, std::size_t times);

// Length of the longest common beginning, and end.
std::size_t common_prefix(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);
std::size_t common_suffix(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

// Where in `text` the longest beginning of `pattern` occurs, the first such place.
struct Occurrence {
  std::size_t at = 0;
  std::size_t length = 0;
};
Occurrence longest_beginning(std::span<const std::uint32_t> pattern, std::span<const std::uint32_t> text);

// Parts of a sequence that are themselves a repetition, each the longest of its period: layers of a network,
// micro-steps. Periods up to half of the sequence, those that occur most; parts that are at least an eighth of it.
struct Nested {
  std::size_t begin = 0, end = 0;
  std::size_t period = 0;
};
std::vector<Nested> nested_repeats(std::span<const std::uint32_t> tokens);

// How many tokens two multisets have in common. n log n.
std::size_t in_common(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

// How much of two multisets is common: 1 = the same tokens, in whatever order (Jaccard). n log n.
double similarity(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

}  // namespace zerostall
