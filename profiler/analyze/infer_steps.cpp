#include "profiler/analyze/infer_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "profiler/analyze/launches.h"
#include "profiler/analyze/optimizers.h"
#include "profiler/analyze/recurrence.h"
#include "profiler/analyze/step_bounds.h"

namespace zerostall {
namespace {

constexpr std::size_t kMostUpdates = 4;   // optimizers that a step may run one after the other (of a GAN)
constexpr std::size_t kLongestName = 48;  // of a kernel in a sentence

struct Anchors {
  std::vector<std::vector<std::size_t>> ends;  // ways to cut the launches, the finest first
  std::string name;
};

// Kernels' names are long: "multi_tensor_apply_kernel" of "void at::(anonymous
// namespace)::multi_tensor_apply_kernel<...>(...)".
std::string short_name(std::string_view name) {
  for (const std::string_view nameless : {"(anonymous namespace)::", "<unnamed>::"})
    if (const auto at = name.find(nameless); at != std::string_view::npos) name.remove_prefix(at + nameless.size());
  name = name.substr(0, name.find_first_of("<("));
  if (const auto space = name.find_last_of(' '); space != std::string_view::npos) name = name.substr(space + 1);
  if (const auto colons = name.rfind("::"); colons != std::string_view::npos) name = name.substr(colons + 2);
  return std::string(name.substr(0, kLongestName));
}

std::string_view kernel_name(const Trace& trace, const Launches& launches, std::size_t at) {
  const CallIndex call = launches.calls[at];
  return call == kNoIndex ? std::string_view() : launched_name(trace, trace.calls[call]);
}

std::vector<std::size_t> optimizer_kernels(const Trace& trace, const Launches& launches) {
  std::map<Token, bool> known;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto [entry, is_new] = known.try_emplace(launches.tokens[i], false);
    if (is_new) entry->second = is_optimizer_kernel(kernel_name(trace, launches, i));
    if (entry->second) found.push_back(i);
  }
  return found;
}

// For each launch its call, for a pause that of the launch before: in order.
std::vector<CallIndex> calls_in_order(const Launches& launches) {
  std::vector<CallIndex> calls = launches.calls;
  for (std::size_t i = 1; i < calls.size(); ++i)
    if (calls[i] == kNoIndex) calls[i] = calls[i - 1];
  return calls;
}

// The first call of a thread that begins at this moment or later.
CallIndex first_call_from(const Trace& trace, ThreadIndex thread, Nanos time) {
  const auto calls = trace.calls_of(thread);
  const auto call = std::partition_point(calls.begin(), calls.end(), [&](const Call& c) { return c.begin_ns < time; });
  return trace.threads[thread].first + static_cast<CallIndex>(call - calls.begin());
}

Anchors optimizer_ranges(const Trace& trace, const Launches& launches) {
  Anchors anchors;
  std::vector<std::size_t> ends;
  const auto calls = calls_in_order(launches);
  for (const Range& range : trace.ranges) {
    if (range.open || range.instant || range.thread != launches.thread) continue;
    if (!is_optimizer_range(trace.text(range.text))) continue;
    const CallIndex next = first_call_from(trace, launches.thread, range.end_ns);
    ends.push_back(static_cast<std::size_t>(std::lower_bound(calls.begin(), calls.end(), next) - calls.begin()));
    if (anchors.name.empty()) anchors.name = trace.text(range.text);
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  if (!ends.empty()) anchors.ends.push_back(std::move(ends));
  return anchors;
}

Anchors kernels_as_anchors(const Trace& trace, const Launches& launches) {
  const auto kernels = optimizer_kernels(trace, launches);
  if (kernels.empty()) return {};
  Anchors anchors;
  anchors.name = short_name(kernel_name(trace, launches, kernels.front()));
  for (const std::size_t gap : possible_gaps(kernels)) anchors.ends.push_back(ends_of_groups(kernels, gap));
  return anchors;
}

// Launches of the executable graph that is launched most; of equals the first.
Anchors graph_launches(const Trace& trace, const Launches& launches) {
  std::map<Token, std::vector<std::size_t>> graphs;
  const std::vector<std::size_t>* most = nullptr;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (launches.calls[i] == kNoIndex) continue;
    const Call& call = trace.calls[launches.calls[i]];
    if (call.kind == ApiKind::graph_launch && call.handle != 0) graphs[launches.tokens[i]].push_back(i + 1);
  }
  for (const auto& [token, ends] : graphs)
    if (most == nullptr || std::pair(ends.size(), most->front()) > std::pair(most->size(), ends.front())) most = &ends;
  return most == nullptr ? Anchors{} : Anchors{{*most}, "the same CUDA graph"};
}

// Several optimizers may take turns: then only every n-th end is that of a step.
std::optional<Recurrence> find_same(const Launches& launches, const Anchors& anchors) {
  const Fingerprints prints(launches.tokens);
  for (std::size_t updates = 1; updates <= kMostUpdates; ++updates) {
    for (const auto& ends : anchors.ends) {
      std::optional<Recurrence> best;
      for (std::size_t first = updates; first-- > 0;) {
        std::vector<std::size_t> chosen;
        for (std::size_t i = first; i < ends.size(); i += updates) chosen.push_back(ends[i]);
        auto found = same_between(launches.tokens, prints, chosen);
        if (found && (!best || found->steps.size() > best->steps.size())) best = std::move(found);
      }
      if (!best) continue;
      best->updates = updates;
      return best;
    }
  }
  return std::nullopt;
}

std::optional<Recurrence> find_similar(const Trace& trace, const Launches& launches, const Anchors& anchors) {
  const auto families = families_of(trace, launches);
  for (const auto& ends : anchors.ends)
    if (auto found = similar_between(families, ends)) return found;
  return std::nullopt;
}

std::optional<InferredSteps> make_steps(const Trace& trace, const Launches& launches, const Recurrence& found,
                                        StepsFrom from, Confidence confidence, std::string how) {
  std::vector<Stretch> whole = found.steps;
  std::erase_if(whole, [&](const Stretch& s) {  // what was not recorded may have been anything
    const auto calls = std::span(launches.calls).subspan(s.begin, s.size());
    return std::find(calls.begin(), calls.end(), kNoIndex) != calls.end();
  });
  auto steps = bound_steps(trace, launches, whole);
  if (!steps) return std::nullopt;
  InferredSteps result;
  result.steps.from = from;
  result.steps.steps = std::move(*steps);
  result.confidence = confidence;
  result.how = std::move(how);
  return result;
}

std::string describe(const Recurrence& found, const std::string& anchor) {
  const std::string updates = found.updates > 1 ? fmt::format("{} updates such as ", found.updates) : "";
  if (found.alike == 0)
    return fmt::format("each with {}{}, and nearly the same kinds of kernels; shapes change", updates, anchor);
  return fmt::format("each with {}{}; {} of {} are the same {} launches", updates, anchor, found.alike,
                     found.steps.size(), found.typical.size());
}

std::optional<InferredSteps> by_optimizer(const Trace& trace, const Launches& launches, const Anchors& anchors) {
  if (anchors.ends.empty()) return std::nullopt;
  auto found = find_same(launches, anchors);
  const bool same = found.has_value();
  if (!same) found = find_similar(trace, launches, anchors);
  if (!found) return std::nullopt;
  const auto confidence = same && found->alike > 3 ? Confidence::high : Confidence::medium;
  return make_steps(trace, launches, *found, StepsFrom::anchor, confidence, describe(*found, anchors.name));
}

// A graph that is launched several times in a step, or others between steps, say nothing about where those begin:
// a micro-step may be a graph, and the update another.
bool are_all_in_steps_once(const Trace& trace, const Launches& launches, const Recurrence& found) {
  std::map<Token, std::size_t> typical;
  std::size_t all = 0;
  for (std::size_t i = found.steps.front().begin; i < found.steps.back().end; ++i) {
    if (launches.calls[i] == kNoIndex || trace.calls[launches.calls[i]].kind != ApiKind::graph_launch) continue;
    ++all;
    const bool in_typical = found.typical.begin <= i && i < found.typical.end;
    if (in_typical && ++typical[launches.tokens[i]] > 1) return false;
  }
  return found.alike == found.steps.size() && all == typical.size() * found.alike;
}

std::optional<InferredSteps> by_graph(const Trace& trace, const Launches& launches) {
  const Anchors anchors = graph_launches(trace, launches);
  if (anchors.ends.empty()) return std::nullopt;
  const Fingerprints prints(launches.tokens);
  const auto found = same_between(launches.tokens, prints, anchors.ends.front());
  if (!found || !are_all_in_steps_once(trace, launches, *found)) return std::nullopt;
  return make_steps(trace, launches, *found, StepsFrom::anchor, Confidence::medium, describe(*found, anchors.name));
}

std::size_t uploads(const Trace& trace, CallIndex begin, CallIndex end) {
  const auto first = trace.calls.begin();
  return static_cast<std::size_t>(std::count_if(first + begin, first + end, [](const Call& call) {
    return is_copy_or_wait(call) && call.direction == CopyDirection::host_to_device;
  }));
}

// Whether a pattern holds a smaller one that may be the step: layers of a network repeat within a step, too, but a
// batch is uploaded once. A pattern has no beginning: two of it show all that repeats across its ends.
bool may_hold_steps(const Trace& trace, const Launches& launches, const Stretch& step) {
  const auto nested = nested_repeats(std::span(launches.tokens).subspan(step.begin, 2 * step.size()));
  return std::any_of(nested.begin(), nested.end(), [&](const Nested& part) {
    if (2 * part.period > step.size()) return false;
    const CallIndex begin = launches.calls[step.begin + part.begin], end = launches.calls[step.begin + part.end - 1];
    return uploads(trace, begin, end) + 1 >= (part.end - part.begin) / part.period;
  });
}

// The weakest evidence: so each repetition must upload something, as a batch is.
std::optional<InferredSteps> by_period(const Trace& trace, const Launches& launches) {
  const auto found = same_at_end(launches.tokens);
  if (!found || may_hold_steps(trace, launches, found->typical)) return std::nullopt;
  const std::size_t length = found->typical.size();
  const bool is_all = found->alike > 3 && found->alike * length == launches.size();
  auto result = make_steps(trace, launches, *found, StepsFrom::period, is_all ? Confidence::medium : Confidence::low,
                           fmt::format("the same {} launches {} times, no optimizer seen", length, found->alike));
  if (!result) return result;
  const auto& steps = result->steps.steps;
  const bool all_upload = std::all_of(steps.begin(), steps.end(), [&](const Step& step) {
    return uploads(trace, first_call_from(trace, step.thread, step.begin_ns),
                   first_call_from(trace, step.thread, step.end_ns)) > 0;
  });
  return all_upload ? result : std::nullopt;
}

// The thread that runs the loop. Autograd's threads launch more, but they run no optimizer and begin later.
const Launches* loop_thread(const Trace& trace, const std::vector<Launches>& all) {
  std::size_t most = 0;
  for (const Launches& launches : all) most = std::max(most, launches.size());
  const auto order = [&](const Launches& l) {
    return std::pair(trace.calls[l.calls.front()].begin_ns, trace.threads[l.thread].id);
  };
  const Launches* first = nullptr;
  for (const Launches& launches : all)
    if (4 * launches.size() >= most && (first == nullptr || order(launches) < order(*first))) first = &launches;
  return first;
}

// The thread with most anchors of a kind; of equals the one that launches most, then the first.
template <class Find>
std::pair<const Launches*, Anchors> most_anchors(const Trace& trace, const std::vector<Launches>& all, Find find) {
  std::pair<const Launches*, Anchors> best = {nullptr, {}};
  const auto rank = [&](const Launches& l, const Anchors& a) {
    return std::tuple(a.ends.empty() ? 0 : a.ends.front().size(), l.size(), -trace.calls[l.calls.front()].begin_ns,
                      ~trace.threads[l.thread].id);
  };
  for (const Launches& launches : all) {
    Anchors anchors = find(trace, launches);
    if (anchors.ends.empty()) continue;
    if (best.first == nullptr || rank(launches, anchors) > rank(*best.first, best.second))
      best = {&launches, std::move(anchors)};
  }
  return best;
}

}  // namespace

InferredSteps infer_steps(const Trace& trace) {
  const std::vector<Launches> all = launches_by_thread(trace);
  if (all.empty()) return {};
  const auto ranges = most_anchors(trace, all, optimizer_ranges);
  if (ranges.first != nullptr)
    if (auto found = by_optimizer(trace, *ranges.first, ranges.second)) return *found;
  const auto kernels = most_anchors(trace, all, kernels_as_anchors);
  if (kernels.first != nullptr)
    if (auto found = by_optimizer(trace, *kernels.first, kernels.second)) return *found;
  // An optimizer that ran too rarely, or never twice alike: any other repetition is smaller than a step.
  if (ranges.first != nullptr || kernels.first != nullptr) return {};
  const Launches* loop = loop_thread(trace, all);
  if (auto found = by_graph(trace, *loop)) return *found;
  if (auto found = by_period(trace, *loop)) return *found;
  return {};
}

InferredSteps find_steps(const Trace& trace, const StepOptions& options) {
  InferredSteps marked;
  marked.steps = split_steps(trace, options);
  if (marked.steps.from != StepsFrom::none || options.pattern_given) return marked;
  InferredSteps inferred = infer_steps(trace);
  inferred.steps.stray_marks = marked.steps.stray_marks;
  return inferred;
}

}  // namespace zerostall
