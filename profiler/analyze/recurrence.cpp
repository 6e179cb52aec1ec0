#include "profiler/analyze/recurrence.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace zerostall {
namespace {

constexpr std::size_t kFewest = 3;       // steps that must be alike
constexpr std::size_t kOpening = 8;      // launches by which the beginning of a step is recognised
constexpr std::size_t kMostGaps = 6;     // ways to group anchors that are tried
constexpr std::size_t kSmallest = 4;     // launches of a pattern without anchors; fewer repeat in any program
constexpr std::size_t kFewestKinds = 3;  // kernels of such a pattern

std::vector<Stretch> stretches(std::span<const std::size_t> ends) {
  std::vector<Stretch> list;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    if (end > begin) list.push_back({begin, end});
    begin = end;
  }
  return list;
}

class Comparison {
 public:
  Comparison(std::span<const Token> tokens, const Fingerprints& prints) : tokens_(tokens), prints_(prints) {}

  std::span<const Token> at(const Stretch& s) const { return tokens_.subspan(s.begin, s.size()); }
  bool same(const Stretch& a, const Stretch& b) const {
    return a.size() == b.size() && prints_.of(a.begin, a.end) == prints_.of(b.begin, b.end);
  }
  bool ends_with(const Stretch& a, const Stretch& typical) const {
    return a.size() >= typical.size() && same({a.end - typical.size(), a.end}, typical);
  }
  // Of equally many the first.
  Stretch most_common(std::span<const Stretch> list) const {
    std::unordered_map<std::uint64_t, std::size_t> counts;
    std::size_t most = 0;
    for (const Stretch& s : list) most = std::max(most, ++counts[key(s)]);
    return *std::find_if(list.begin(), list.end(), [&](const Stretch& s) { return counts[key(s)] == most; });
  }
  std::size_t size() const { return tokens_.size(); }

 private:
  std::uint64_t key(const Stretch& s) const { return prints_.of(s.begin, s.end); }

  std::span<const Token> tokens_;
  const Fingerprints& prints_;
};

// Where a step begins in a stretch that ends with it, holds more than the typical launches, and not as one piece:
// some were added within, as in a first step that makes the optimizer's state. nullopt: not to be seen.
std::optional<std::size_t> begin_within(const Comparison& all, const Stretch& stretch, const Stretch& typical) {
  const auto pattern = all.at(typical), text = all.at(stretch);
  if (text.size() < pattern.size()) return std::nullopt;
  if (common_prefix(pattern, text) >= std::min(kOpening, pattern.size())) return stretch.begin;
  const Occurrence found = longest_beginning(pattern, text);
  const bool holds_all = 10 * (found.length + common_suffix(pattern, text)) >= 9 * pattern.size();
  const bool opens = found.length >= std::min(kOpening, pattern.size() / 2);
  if (!opens || !holds_all || text.size() - found.at < pattern.size()) return std::nullopt;
  return stretch.begin + found.at;
}

// The loop may go on behind its anchors (clearing gradients, logging): then the first stretch lacks these launches at
// its beginning, and as many follow the last anchor. How many there are; 0 = none, or not to be seen.
std::size_t launches_behind(const Comparison& all, std::span<const Stretch> list, const Stretch& typical) {
  const Stretch& first = list.front();
  if (all.ends_with(first, typical) || begin_within(all, first, typical)) return 0;
  const std::size_t common = common_suffix(all.at(first), all.at(typical));
  if (common < first.size() && 2 * common < typical.size()) return 0;
  const std::size_t behind = typical.size() - common;
  const Stretch beginning{typical.begin, typical.begin + behind};
  const bool everywhere = std::all_of(list.begin(), list.end(), [&](const Stretch& s) {
    return s.end + behind <= all.size() && all.same({s.end, s.end + behind}, beginning);
  });
  return everywhere ? behind : 0;
}

// A recording that ends within a step, after its first anchors.
bool is_cut(const Comparison& all, const Stretch& stretch, const Stretch& typical) {
  return stretch.size() < typical.size() && all.same(stretch, {typical.begin, typical.begin + stretch.size()});
}

// More than half of its kernels are there: it may well be in it.
bool may_hold(const Comparison& all, const Stretch& stretch, const Stretch& typical) {
  return 2 * in_common(all.at(stretch), all.at(typical)) >= typical.size();
}

// The first stretch holds what was before the loop, too, or begins within a step, where the recording does. False: it
// holds a step, and nobody can tell where that begins.
bool add_first(const Comparison& all, const Stretch& stretch, Recurrence& found) {
  const auto pattern = all.at(found.typical), text = all.at(stretch);
  if (common_suffix(pattern, text) == text.size()) return true;
  auto begin = begin_within(all, stretch, found.typical);
  const Occurrence opening = longest_beginning(pattern, text);
  if (!begin && opening.length >= kOpening) begin = stretch.begin + opening.at;
  if (begin) found.steps.push_back({*begin, stretch.end});
  return begin || !may_hold(all, stretch, found.typical);
}

// One that is not typical. False: it cannot be told where its step begins.
bool add_other(const Comparison& all, const Stretch& stretch, bool is_warm, Recurrence& found) {
  if (is_warm || 2 * stretch.size() < 3 * found.typical.size()) {
    found.steps.push_back(stretch);
    return true;
  }
  const auto begin = begin_within(all, stretch, found.typical);
  if (!begin || *begin == stretch.begin) return false;  // evaluation begins with the same launches
  found.steps.push_back({*begin, stretch.end});
  return true;
}

// Whole steps behind the last anchor: of the last range of an optimizer the end may not have been recorded.
void add_last(const Comparison& all, Recurrence& found) {
  for (;;) {
    const std::size_t begin = found.steps.back().end, end = begin + found.typical.size();
    if (end > all.size() || !all.same({begin, end}, found.typical)) return;
    found.steps.push_back({begin, end});
    ++found.alike;
  }
}

// Most must be nothing but the typical launches: with something else before them, any two of the same end look alike.
bool is_enough(const Comparison& all, std::span<const Stretch> list, const Stretch& typical, std::size_t warm) {
  std::size_t same = 0, alike = 0;
  for (const Stretch& s : list) {
    same += all.same(s, typical) ? 1 : 0;
    alike += all.ends_with(s, typical) ? 1 : 0;
  }
  return alike >= kFewest && 10 * alike >= 9 * (list.size() - warm) && 2 * same >= list.size() - warm;
}

}  // namespace

std::vector<std::size_t> ends_of_groups(std::span<const std::size_t> anchors, std::size_t gap) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < anchors.size(); ++i)
    if (i + 1 == anchors.size() || anchors[i + 1] - anchors[i] - 1 > gap) ends.push_back(anchors[i] + 1);
  return ends;
}

std::vector<std::size_t> possible_gaps(std::span<const std::size_t> anchors) {
  std::vector<std::size_t> gaps, possible = {0};
  for (std::size_t i = 1; i < anchors.size(); ++i) gaps.push_back(anchors[i] - anchors[i - 1] - 1);
  std::sort(gaps.begin(), gaps.end());
  for (std::size_t i = 1; i < gaps.size() && possible.size() < kMostGaps; ++i)
    if (gaps[i] >= 2 * gaps[i - 1] + 4 && gaps[i - 1] > possible.back()) possible.push_back(gaps[i - 1]);
  return possible;
}

std::optional<Recurrence> same_between(std::span<const Token> tokens, const Fingerprints& prints,
                                       std::span<const std::size_t> ends) {
  const Comparison all(tokens, prints);
  std::vector<Stretch> list = stretches(ends);
  if (list.size() < kFewest) return std::nullopt;
  Recurrence found;
  found.typical = all.most_common(list);
  if (is_cut(all, list.back(), found.typical)) list.pop_back();
  if (!is_enough(all, list, found.typical, list.size() / 4)) return std::nullopt;
  if (const std::size_t behind = launches_behind(all, list, found.typical); behind > 0) {
    std::vector<std::size_t> later;
    for (const Stretch& s : list) later.push_back(s.end + behind);
    list = stretches(later);
    found.typical = all.most_common(list);
  }
  const auto first_alike =
      std::find_if(list.begin(), list.end(), [&](const Stretch& s) { return all.ends_with(s, found.typical); });
  const auto warm = static_cast<std::size_t>(first_alike - list.begin());
  if (warm > std::max<std::size_t>(1, list.size() / 4) || !is_enough(all, list, found.typical, warm))
    return std::nullopt;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (all.ends_with(list[i], found.typical)) {
      found.steps.push_back({list[i].end - found.typical.size(), list[i].end});
      ++found.alike;
    } else if (!(i == 0 ? add_first(all, list[i], found) : add_other(all, list[i], i < warm, found))) {
      return std::nullopt;
    }
  }
  add_last(all, found);
  return found;
}

std::optional<Recurrence> similar_between(std::span<const Token> families, std::span<const std::size_t> ends) {
  const std::vector<Stretch> list = stretches(ends);
  if (list.size() <= kFewest) return std::nullopt;
  std::vector<Stretch> by_size(list.begin() + 1, list.end());
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const Stretch& a, const Stretch& b) { return a.size() < b.size(); });
  Recurrence found;
  found.typical = by_size[by_size.size() / 2];
  const auto at = [&](const Stretch& s) { return families.subspan(s.begin, s.size()); };
  const auto is_alike = [&](const Stretch& s) { return similarity(at(s), at(found.typical)) >= 0.95; };
  std::size_t others = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool alike = is_alike(list[i]);
    if (alike || (i > 0 && 2 * list[i].size() < 3 * found.typical.size())) found.steps.push_back(list[i]);
    if (i > 0 && !alike) ++others;
    if (i > 0 && !alike && 2 * list[i].size() >= 3 * found.typical.size()) return std::nullopt;
  }
  if (10 * others > list.size() - 1) return std::nullopt;
  return found;
}

std::optional<Recurrence> same_at_end(std::span<const Token> tokens) {
  const auto repeat = repeat_at_end(tokens, kFewest);
  if (!repeat || repeat->period < kSmallest || 4 * repeat->length < 3 * tokens.size()) return std::nullopt;
  if (repeat->length % repeat->period != 0) return std::nullopt;
  const auto pattern = tokens.last(repeat->period);
  if (std::unordered_set<Token>(pattern.begin(), pattern.end()).size() < kFewestKinds) return std::nullopt;
  const std::size_t start = tokens.size() - repeat->length;
  if (2 * in_common(tokens.first(start), pattern) >= pattern.size()) return std::nullopt;
  Recurrence found;
  for (std::size_t begin = start; begin < tokens.size(); begin += repeat->period)
    found.steps.push_back({begin, begin + repeat->period});
  found.typical = found.steps.front();
  found.alike = found.steps.size();
  return found;
}

}  // namespace zerostall
