#include "profiler/analyze/steps.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <regex>
#include <unordered_map>
#include <unordered_set>

#include "profiler/analyze/step_names.h"

namespace zerostall {
namespace {

constexpr std::string_view kDomain = "zerostall";
constexpr std::string_view kPrefix = "step ";
constexpr std::size_t kLongestText = 256;  // longer texts are no step names, and std::regex recurses per character

using Chosen = std::vector<const Range*>;

// The last number in a text: "ProfilerStep#7" -> 7.
std::optional<std::int64_t> number_in(std::string_view text) {
  const std::size_t last = text.find_last_of("0123456789");
  if (last == std::string_view::npos) return std::nullopt;
  std::size_t first = last;
  while (first > 0 && text[first - 1] >= '0' && text[first - 1] <= '9') --first;
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data() + first, text.data() + last + 1, number);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return number;
}

bool is_step_mark(const Trace& trace, const Range& range, StringId domain) {
  const std::string_view text = trace.text(range.text);
  if (range.domain != domain || range.instant || !text.starts_with(kPrefix)) return false;
  const std::string_view rest = text.substr(kPrefix.size());
  return !rest.empty() && rest.find_first_not_of("0123456789") == std::string_view::npos;
}

Chosen find_marks(const Trace& trace, std::optional<StringId> domain) {
  Chosen found;
  if (!domain) return found;
  for (const Range& range : trace.ranges)
    if (is_step_mark(trace, range, *domain)) found.push_back(&range);
  return found;
}

// Removes the steps that were taken back; the marks that did it are added to `used`.
void take_back(const Trace& trace, std::optional<StringId> domain, Chosen& steps, Chosen& used) {
  const auto text = trace.strings.find(kTakesStepBack);
  if (!domain || !text) return;
  std::unordered_set<const Range*> gone;
  for (const Range& mark : trace.ranges) {
    if (mark.domain != *domain || mark.text != *text || !mark.instant) continue;
    used.push_back(&mark);
    // By begin: the last one before the mark that its thread is in.
    auto it = std::partition_point(steps.begin(), steps.end(), [&](auto* s) { return s->begin_ns <= mark.begin_ns; });
    while (it != steps.begin() && (*--it)->thread != mark.thread) {
    }
    if (it == steps.end() || (*it)->thread != mark.thread || (*it)->begin_ns > mark.begin_ns) continue;
    if ((*it)->open || mark.begin_ns <= (*it)->end_ns) gone.insert(*it);
  }
  std::erase_if(steps, [&](const Range* step) { return gone.contains(step); });
}

Chosen find_matching(const Trace& trace, const std::string& pattern) {
  const std::regex expression(pattern, std::regex::ECMAScript | std::regex::icase);
  std::unordered_map<StringId, bool> matches;
  Chosen found;
  for (const Range& range : trace.ranges) {
    const auto [entry, is_new] = matches.try_emplace(range.text, false);
    if (is_new) {
      const std::string text(trace.text(range.text));
      entry->second = !text.empty() && text.size() <= kLongestText && std::regex_search(text, expression);
    }
    if (entry->second) found.push_back(&range);
  }
  return found;
}

// Where several threads mark steps, the one with the most closed marks defines them; of equals the first seen.
ThreadIndex marking_thread(const Chosen& ranges) {
  std::map<ThreadIndex, std::size_t> marks;
  for (const Range* range : ranges) marks[range->thread] += range->open ? 0 : 1;
  const auto most =
      std::max_element(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->first;
}

// An instant mark opens a step that lasts to the next one; the last of them is never closed.
void end_instants_at_next(Chosen& ranges, std::vector<Range>& storage) {
  storage.reserve(ranges.size());
  const Range* last = nullptr;
  for (auto it = ranges.rbegin(); it != ranges.rend(); ++it) {
    const Range* original = *it;
    if (original->instant) {
      storage.push_back(*original);
      storage.back().open = last == nullptr;
      storage.back().end_ns = last == nullptr ? original->begin_ns : last->begin_ns;
      *it = &storage.back();
    }
    last = original;
  }
}

// A later step shows that the unclosed one was over.
void end_open_at_next(Steps& steps) {
  for (OpenStep& open : steps.open) {
    const auto next = std::upper_bound(steps.steps.begin(), steps.steps.end(), open.begin_ns,
                                       [](Nanos time, const Step& step) { return time < step.begin_ns; });
    if (next != steps.steps.end()) open.end_ns = next->begin_ns;
  }
}

// The first window that ends behind this moment.
const RecordingWindow* window_at(const Trace& trace, Nanos time) {
  const auto at = std::partition_point(trace.windows->begin(), trace.windows->end(),
                                       [&](const RecordingWindow& w) { return w.end_ns < time; });
  return at == trace.windows->end() ? nullptr : &*at;
}

// Steps of which all was recorded are judged. Of others nobody knows what happened in the rest. One that is never
// closed in a window that is not closed either is no different from one of a trace without windows.
std::int64_t drop_partly_recorded(const Trace& trace, Chosen& ranges) {
  if (!trace.windows) return 0;
  return static_cast<std::int64_t>(std::erase_if(ranges, [&](const Range* range) {
    const RecordingWindow* window = window_at(trace, range->begin_ns);
    if (window == nullptr || range->begin_ns < window->begin_ns) return true;
    return range->open ? window->end_ns != std::numeric_limits<Nanos>::max() : range->end_ns > window->end_ns;
  }));
}

Steps cut(const Trace& trace, Chosen ranges, StepsFrom from) {
  Steps result;
  result.from = from;
  const ThreadIndex thread = marking_thread(ranges);
  const auto others = std::stable_partition(ranges.begin(), ranges.end(), [&](auto* r) { return r->thread == thread; });
  result.overlapping = ranges.end() - others;
  ranges.erase(others, ranges.end());
  std::vector<Range> storage;
  end_instants_at_next(ranges, storage);
  result.outside_windows = drop_partly_recorded(trace, ranges);

  for (const Range* range : ranges) {
    if (range->open) {
      ++result.unclosed;
      result.open.push_back({range->begin_ns, std::numeric_limits<Nanos>::max()});
    } else if (!result.steps.empty() && range->begin_ns < result.steps.back().end_ns) {
      ++result.overlapping;
    } else {
      const auto position = static_cast<std::int64_t>(result.steps.size());
      const auto number = number_in(trace.text(range->text)).value_or(position);
      result.steps.push_back({number, range->begin_ns, range->end_ns, thread, {}});
    }
  }
  end_open_at_next(result);
  return result;
}

// The step that a range lies in, as a part of it; null: in none, or on another thread than the marking one.
Step* step_around(const Range& range, Steps& steps) {
  if (range.open || range.instant) return nullptr;
  const auto at = step_at(steps.steps, range.begin_ns);
  if (!at || steps.steps[*at].thread != range.thread) return nullptr;
  return &steps.steps[*at];
}

// A region inside another of its own name adds nothing.
void add_region(const Range& range, std::string_view name, Step& step) {
  const bool covered = std::any_of(step.regions.begin(), step.regions.end(),
                                   [&](const Region& r) { return r.name == name && range.begin_ns < r.end_ns; });
  if (!covered) step.regions.push_back({range.begin_ns, range.end_ns, name});
}

// Regions are all other ranges of our domain on the marking thread.
void add_regions(const Trace& trace, StringId domain, Steps& steps) {
  for (const Range& range : trace.ranges) {
    if (range.domain != domain || is_step_mark(trace, range, domain)) continue;
    if (Step* const step = step_around(range, steps)) add_region(range, trace.text(range.text), *step);
  }
}

// "Step 4", "step_5": whoever wrote that meant a step.
bool looks_like_step(std::string_view text) {
  constexpr std::string_view kWord = "step";
  return text.size() >= kWord.size() && std::equal(kWord.begin(), kWord.end(), text.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

// A range of our domain that is a region between steps: "backup", "validate".
bool is_between(const Trace& trace, const Range& range, StringId domain, const Steps& steps) {
  if (range.domain != domain || range.open || range.instant || looks_like_step(trace.text(range.text))) return false;
  if (step_at(steps.steps, range.begin_ns) || is_in_open_step(steps, range.begin_ns)) return false;
  return std::any_of(steps.steps.begin(), steps.steps.end(), [&](const Step& s) { return s.thread == range.thread; });
}

void add_between(const Trace& trace, StringId domain, Steps& steps) {
  if (steps.steps.empty()) return;
  for (const Range& range : trace.ranges)
    if (is_between(trace, range, domain, steps))
      steps.between.push_back({range.begin_ns, range.end_ns, trace.text(range.text)});
  std::stable_sort(steps.between.begin(), steps.between.end(), [](const Region& a, const Region& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  Nanos covered = std::numeric_limits<Nanos>::min();
  std::erase_if(steps.between, [&](const Region& region) {
    if (region.begin_ns < covered) return true;
    covered = region.end_ns;
    return false;
  });
}

// Marks made for us that came to nothing: "Step 4". `chosen` became steps or are counted as dropped.
std::int64_t count_stray(const Trace& trace, std::optional<StringId> domain, const Chosen& chosen, const Steps& steps) {
  if (!domain) return 0;
  const std::unordered_set<const Range*> used(chosen.begin(), chosen.end());
  return std::count_if(trace.ranges.begin(), trace.ranges.end(), [&](const Range& range) {
    if (range.domain != *domain || used.contains(&range) || step_at(steps.steps, range.begin_ns)) return false;
    if (is_between(trace, range, *domain, steps)) return false;
    return !is_in_open_step(steps, range.begin_ns);
  });
}

}  // namespace

std::string_view name_of(StepsFrom from) {
  switch (from) {
    case StepsFrom::marks:
      return "marks";
    case StepsFrom::profiler:
      return "profiler";
    case StepsFrom::anchor:
      return "anchor";
    case StepsFrom::period:
      return "period";
    case StepsFrom::none:
      break;
  }
  return "none";
}

Steps split_steps(const Trace& trace, const StepOptions& options) {
  const auto domain = trace.strings.find(kDomain);
  Chosen marks = find_marks(trace, domain);
  Chosen used = marks;
  take_back(trace, domain, marks, used);
  if (!marks.empty()) {
    Steps steps = cut(trace, marks, StepsFrom::marks);
    add_regions(trace, *domain, steps);
    add_between(trace, *domain, steps);
    steps.stray_marks = count_stray(trace, domain, used, steps);
    return steps;
  }
  Chosen matching = find_matching(trace, options.pattern);
  std::vector<std::string> other_names;
  if (!options.pattern_given) other_names = keep_most_trusted_name(trace, matching);
  Steps steps = matching.empty() ? Steps{} : cut(trace, matching, StepsFrom::profiler);
  steps.other_names = std::move(other_names);
  if (domain) add_regions(trace, *domain, steps);
  steps.stray_marks = count_stray(trace, domain, matching, steps);
  return steps;
}

void add_regions_called(const Trace& trace, std::string_view name, Steps& steps) {
  const auto text = trace.strings.find(name);
  if (!text) return;
  for (const Step& step : steps.steps)
    if (std::any_of(step.regions.begin(), step.regions.end(), [&](const Region& r) { return r.name == name; })) return;
  for (const Range& range : trace.ranges)
    if (range.text == *text)
      if (Step* const step = step_around(range, steps)) add_region(range, trace.text(range.text), *step);
  for (Step& step : steps.steps)
    std::stable_sort(step.regions.begin(), step.regions.end(), [](const Region& a, const Region& b) {
      return std::pair(a.begin_ns, -a.end_ns) < std::pair(b.begin_ns, -b.end_ns);
    });
}

std::vector<std::string> possible_regions(const Trace& trace, const Steps& steps, std::size_t most) {
  std::vector<std::string> names;
  std::unordered_set<StringId> seen;
  Steps known = steps;
  for (const Range& range : trace.ranges) {
    if (names.size() == most) break;
    const Step* const step = step_around(range, known);
    const bool is_step = step != nullptr && range.begin_ns == step->begin_ns && range.end_ns == step->end_ns;
    if (step != nullptr && !is_step && seen.insert(range.text).second) names.emplace_back(trace.text(range.text));
  }
  return names;
}

std::string how_to_mark_steps(const TraceMeta& meta) {
  if (meta.format == "kineto") return "call step() of torch.profiler.profile at the end of each step";
  return "call torch.cuda.nvtx.mark(f\"step {i}\") at the start of each step";
}

bool is_valid_pattern(const std::string& pattern) {
  try {
    std::regex checked(pattern, std::regex::ECMAScript | std::regex::icase);
    return true;
  } catch (const std::regex_error&) {
    return false;
  }
}

bool is_in_open_step(const Steps& steps, Nanos time) {
  const auto after = std::upper_bound(steps.open.begin(), steps.open.end(), time,
                                      [](Nanos t, const OpenStep& open) { return t < open.begin_ns; });
  return after != steps.open.begin() && time < (after - 1)->end_ns;  // of those begun, the last one ends last
}

std::optional<std::size_t> step_at(const std::vector<Step>& steps, Nanos time) {
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), time, [](Nanos t, const Step& step) { return t < step.begin_ns; });
  if (after == steps.begin()) return std::nullopt;
  const auto position = static_cast<std::size_t>(after - steps.begin()) - 1;
  if (time >= steps[position].end_ns) return std::nullopt;
  return position;
}

}  // namespace zerostall
