#include "profiler/analyze/repetition.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace zerostall {
namespace {

using Tokens = std::span<const std::uint32_t>;

// Arithmetic modulo the Mersenne prime 2^61 - 1.
constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t kBase = 0x1d2f3b4c5a697887 % kPrime;

std::uint64_t reduce(std::uint64_t value) {
  value = (value & kPrime) + (value >> 61);
  return value >= kPrime ? value - kPrime : value;
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return reduce((static_cast<std::uint64_t>(product) & kPrime) + static_cast<std::uint64_t>(product >> 61));
}

// For each beginning of the sequence that `at` gives: the length of its longest proper beginning that is its end too.
template <class At>
std::vector<std::uint32_t> prefix_function(std::size_t size, At at) {
  std::vector<std::uint32_t> border(size, 0);
  for (std::size_t i = 1; i < size; ++i) {
    std::uint32_t k = border[i - 1];
    while (k > 0 && at(i) != at(k)) k = border[k - 1];
    border[i] = at(i) == at(k) ? k + 1 : k;
  }
  return border;
}

// Distances at which many short parts recur: the most frequent ones, of equals the shortest first.
std::vector<std::size_t> likely_periods(Tokens tokens) {
  constexpr std::size_t kMost = 12;
  const std::size_t gram = std::clamp<std::size_t>(tokens.size() / 8, 1, 8);
  const Fingerprints prints(tokens);
  std::unordered_map<std::uint64_t, std::size_t> last;
  std::unordered_map<std::size_t, std::size_t> votes;
  for (std::size_t i = 0; i + gram <= tokens.size(); ++i) {
    const auto [entry, is_new] = last.try_emplace(prints.of(i, i + gram), i);
    if (!is_new && 2 * (i - entry->second) <= tokens.size()) ++votes[i - entry->second];
    entry->second = i;
  }
  std::vector<std::pair<std::size_t, std::size_t>> order;  // fewest first
  for (const auto& [period, count] : votes) order.emplace_back(tokens.size() - count, period);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> periods;
  for (std::size_t i = 0; i < std::min(kMost, order.size()); ++i) periods.push_back(order[i].second);
  return periods;
}

Nested longest_run(Tokens tokens, std::size_t period) {
  Nested best{0, 0, period};
  std::size_t begin = 0;
  for (std::size_t i = period; i < tokens.size(); ++i) {
    if (tokens[i] != tokens[i - period]) begin = i + 1 - period;
    if (i + 1 - begin > best.end - best.begin) best = {begin, i + 1, period};
  }
  return best;
}

}  // namespace

Fingerprints::Fingerprints(Tokens tokens) : prefix_(tokens.size() + 1, 0), power_(tokens.size() + 1, 1) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    prefix_[i + 1] = reduce(multiply(prefix_[i], kBase) + tokens[i] + 1);
    power_[i + 1] = multiply(power_[i], kBase);
  }
}

std::uint64_t Fingerprints::of(std::size_t begin, std::size_t end) const {
  return reduce(prefix_[end] + kPrime - multiply(prefix_[begin], power_[end - begin]));
}

std::optional<Repeat> repeat_at_end(Tokens tokens, std::size_t times) {
  const std::size_t size = tokens.size();
  const auto border = prefix_function(size, [&](std::size_t i) { return tokens[size - 1 - i]; });
  for (std::size_t length = size; length > 0; --length) {
    const std::size_t period = length - border[length - 1];
    if (length >= times * period) return Repeat{length, period};
  }
  return std::nullopt;
}

std::size_t common_prefix(Tokens a, Tokens b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

std::size_t common_suffix(Tokens a, Tokens b) {
  return static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
}

Occurrence longest_beginning(Tokens pattern, Tokens text) {
  const auto border = prefix_function(pattern.size(), [&](std::size_t i) { return pattern[i]; });
  Occurrence best;
  std::size_t k = 0;
  for (std::size_t i = 0; i < text.size() && best.length < pattern.size(); ++i) {
    while (k > 0 && (k == pattern.size() || text[i] != pattern[k])) k = border[k - 1];
    if (k < pattern.size() && text[i] == pattern[k]) ++k;
    if (k > best.length) best = {i + 1 - k, k};
  }
  return best;
}

std::vector<Nested> nested_repeats(Tokens tokens) {
  std::vector<Nested> found;
  for (const std::size_t period : likely_periods(tokens)) {
    const Nested run = longest_run(tokens, period);
    const std::size_t length = run.end - run.begin;
    if (length >= 2 * period && 8 * length >= tokens.size()) found.push_back(run);
  }
  return found;
}

std::size_t in_common(Tokens a, Tokens b) {
  std::vector<std::uint32_t> left(a.begin(), a.end()), right(b.begin(), b.end()), common;
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(common));
  return common.size();
}

double similarity(Tokens a, Tokens b) {
  const std::size_t common = in_common(a, b), all = a.size() + b.size() - common;
  return all == 0 ? 1.0 : static_cast<double>(common) / static_cast<double>(all);
}

}  // namespace zerostall
