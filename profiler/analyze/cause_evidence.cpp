#include "profiler/analyze/cause_evidence.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "profiler/analyze/cause_names.h"
#include "profiler/analyze/launches.h"
#include "profiler/analyze/wait_stacks.h"

namespace zerostall {
namespace {

constexpr Bytes kMuch = Bytes{1} << 20;
constexpr std::size_t kMostKernels = 6;

// Launches of the whole process by begin, and of each thread by position.
struct LaunchPlaces {
  std::vector<Nanos> times;                       // ascending
  std::vector<std::vector<CallIndex>> by_thread;  // ascending
};

LaunchPlaces find_launches(const Trace& trace) {
  LaunchPlaces launches;
  launches.by_thread.resize(trace.threads.size());
  for (CallIndex i = 0; i < trace.calls.size(); ++i) {
    const Call& call = trace.calls[i];
    if (!call.outermost || !is_launch(call.kind)) continue;
    launches.times.push_back(call.begin_ns);
    launches.by_thread[call.thread].push_back(i);
  }
  std::sort(launches.times.begin(), launches.times.end());
  return launches;
}

std::int64_t count_in(const std::vector<Nanos>& times, Nanos begin, Nanos end) {
  return std::lower_bound(times.begin(), times.end(), end) - std::lower_bound(times.begin(), times.end(), begin);
}

PlaceInStep place_in(const Step& step, const Wait& wait, const LaunchPlaces& launches) {
  PlaceInStep place;
  place.launches_before = count_in(launches.times, step.begin_ns, wait.begin_ns);
  place.launches_after = count_in(launches.times, wait.end_ns, step.end_ns);
  return place;
}

using Kernels = std::unordered_map<const char*, KernelEvidence>;

std::vector<const KernelEvidence*> kernels_before(const Trace& trace, const std::vector<CallIndex>& launches,
                                                  Nanos time, Kernels& known) {
  std::vector<const KernelEvidence*> names;
  auto it = std::partition_point(launches.begin(), launches.end(),
                                 [&](CallIndex i) { return trace.calls[i].begin_ns < time; });
  while (it != launches.begin() && names.size() < kMostKernels) {
    const std::string_view name = launched_name(trace, trace.calls[*--it]);
    const auto [entry, is_new] = known.try_emplace(name.data());
    if (is_new) entry->second = make_kernel_evidence(name);
    names.push_back(&entry->second);
  }
  return names;
}

std::vector<EvidenceFrame> frames_of(const Trace& trace, const Stack& stack, const SourceTexts& sources) {
  std::vector<EvidenceFrame> frames;
  for (const PythonFrame& frame : stack.python) {
    const std::string_view file = trace.text(frame.file);
    EvidenceFrame to{file, trace.text(frame.function), {}, file.empty() || is_library_path(file)};
    if (const auto source = sources.find({std::string(file), frame.line}); source != sources.end())
      to.source = source->second;
    frames.push_back(to);
  }
  return frames;
}

std::vector<EvidenceFrame> native_frames_of(const Trace& trace, const Stack& stack, const FrameNames& names,
                                            std::list<std::string>& texts) {
  std::vector<EvidenceFrame> frames;
  for (const NativeFrame& frame : stack.native) {
    const auto module = trace.stacks.modules.find(frame.module);
    const auto named = names.find({frame.module, frame.offset});
    if (named == names.end() || module == trace.stacks.modules.end() || is_machinery(module->second.path)) continue;
    for (const std::string& name : named->second)
      if (!name.empty())
        frames.push_back({{}, texts.emplace_back(native_function(name)), {}, is_library_path(module->second.path)});
  }
  return frames;
}

// What files say of a trace's stacks.
struct FromFiles {
  const SourceTexts& sources;
  const FrameNames& names;
};

const StackEvidence* stack_of(const Trace& trace, std::uint32_t id, const FromFiles& files, AllEvidence& all) {
  const auto stack = trace.stacks.stacks.find(id);
  if (stack == trace.stacks.stacks.end()) return nullptr;
  const auto [entry, is_new] = all.stacks.try_emplace(id);
  if (!is_new) return &entry->second;
  const bool is_native = stack->second.python.empty();
  entry->second = make_stack_evidence(is_native ? native_frames_of(trace, stack->second, files.names, all.native_names)
                                                : frames_of(trace, stack->second, files.sources));
  entry->second.is_native = is_native;
  return &entry->second;
}

// A line of Python as far as it is code: what a comment says is no evidence.
std::string_view without_comment(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote == 0 && line[i] == '#') return line.substr(0, i);
    if (line[i] == '"' || line[i] == '\'') quote = quote == 0 ? line[i] : quote == line[i] ? 0 : quote;
  }
  return line;
}

// Whether the frames show a name; names of kernels they never do.
bool fits(const NameClue& clue, const StackEvidence& stack) {
  const auto any = [&](auto matches) { return std::any_of(stack.frames.begin(), stack.frames.end(), matches); };
  switch (clue.place) {
    case NamePlace::op:
    case NamePlace::function:
      return any([&](const EvidenceFrame& f) { return f.function == clue.text; });
    case NamePlace::file:
      return any([&](const EvidenceFrame& f) { return f.file.ends_with(clue.text); });
    case NamePlace::source:
      return stack.own_source.find(clue.text) != std::string_view::npos;
    case NamePlace::kernel:
    case NamePlace::last_kernel:
      break;
  }
  return false;
}

// The outermost call that began last.
CallIndex last_call(const Trace& trace) {
  CallIndex last = kNoIndex;
  for (CallIndex i = 0; i < trace.calls.size(); ++i)
    if (trace.calls[i].outermost && (last == kNoIndex || trace.calls[i].begin_ns >= trace.calls[last].begin_ns))
      last = i;
  return last;
}

// PyTorch's profiler waits for the device when it stops.
bool is_end_of_profile(const Trace& trace, CallIndex last, const Wait& wait) {
  return trace.meta.format == "kineto" && wait.kind == WaitKind::device_sync && wait.copy == kNoIndex &&
         wait.sync == last;
}

// A wait as one of its kind within a step: which call of which thread on what, and how many of those there were before.
using Key = std::tuple<ThreadIndex, StringId, StringId, Bytes, CopyDirection, std::int64_t>;

void find_repeated(const Steps& steps, const std::vector<std::optional<std::size_t>>& step_of,
                   std::vector<Evidence>& all) {
  std::map<std::pair<std::size_t, Key>, std::int64_t> seen;  // in a step, without the last part of the key
  std::map<Key, std::size_t> in_steps;
  std::vector<Key> keys(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!step_of[i]) continue;
    const Evidence& e = all[i];
    Key key{e.wait->thread, e.copy ? e.copy->name : 0, e.sync ? e.sync->name : 0, e.bytes, e.direction, 0};
    std::get<5>(key) = seen[{*step_of[i], key}]++;
    keys[i] = key;
    ++in_steps[key];
  }
  const std::size_t enough = std::max<std::size_t>(3, steps.steps.size() * 4 / 5);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].in_every_step = step_of[i] && in_steps[keys[i]] >= enough;
}

void find_much_moved(const std::vector<std::optional<std::size_t>>& step_of, std::size_t steps,
                     std::vector<Evidence>& all) {
  std::vector<bool> down(steps), up(steps);
  std::set<std::tuple<std::size_t, CopyDirection, Bytes>> moved;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!step_of[i] || all[i].bytes < kMuch) continue;
    moved.insert({*step_of[i], all[i].direction, all[i].bytes});
    if (all[i].direction == CopyDirection::device_to_host) down[*step_of[i]] = true;
    if (all[i].direction == CopyDirection::host_to_device) up[*step_of[i]] = true;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!step_of[i]) continue;
    all[i].step_moves_much_down = down[*step_of[i]];
    all[i].step_moves_much_up = up[*step_of[i]];
    const auto other_way = all[i].direction == CopyDirection::device_to_host ? CopyDirection::host_to_device
                                                                             : CopyDirection::device_to_host;
    all[i].comes_back = moved.contains({*step_of[i], other_way, all[i].bytes});
  }
}

void find_beside_batch(const std::vector<std::optional<std::size_t>>& step_of, std::vector<Evidence>& all) {
  const auto comes_first = [&](std::size_t i) {
    return step_of[i] && all[i].direction == CopyDirection::host_to_device && all[i].place->launches_before == 0 &&
           all[i].place->launches_after > 0;
  };
  std::set<std::pair<std::size_t, ThreadIndex>> with_batch;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (comes_first(i) && all[i].bytes > kFewNumbers) with_batch.insert({*step_of[i], all[i].wait->thread});
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].beside_batch = comes_first(i) && with_batch.contains({*step_of[i], all[i].wait->thread});
}

}  // namespace

StackEvidence make_stack_evidence(std::vector<EvidenceFrame> frames) {
  StackEvidence stack;
  stack.frames = std::move(frames);
  const auto own = std::find_if(stack.frames.begin(), stack.frames.end(), [](const auto& f) { return !f.library; });
  if (own != stack.frames.end()) stack.own_source = without_comment(own->source);
  const auto clues = name_clues();
  for (std::size_t i = 0; i < clues.size(); ++i)
    if (fits(clues[i], stack)) stack.clues.push_back(static_cast<std::uint16_t>(i));
  return stack;
}

KernelEvidence make_kernel_evidence(std::string_view name) {
  KernelEvidence kernel{name, {}};
  const auto clues = name_clues();
  for (std::size_t i = 0; i < clues.size(); ++i)
    if (is_of_kernels(clues[i].place) && name.find(clues[i].text) != std::string_view::npos)
      kernel.clues.push_back(static_cast<std::uint16_t>(i));
  return kernel;
}

std::string native_function(std::string_view demangled) {
  constexpr std::string_view kOps = "at::_ops::", kUnnamed = "(anonymous namespace)";
  int depth = 0;  // of templates, whose arguments may be functions
  std::size_t end = 0;
  for (; end < demangled.size(); ++end) {
    const char c = demangled[end];
    if (c == '<') ++depth;
    if (c == '>' && depth > 0) --depth;
    if (c != '(' || depth > 0) continue;
    if (!demangled.substr(end).starts_with(kUnnamed)) break;
    end += kUnnamed.size() - 1;
  }
  const std::string_view name = demangled.substr(0, end);
  if (!name.starts_with(kOps)) return std::string(name);
  const std::string_view op = name.substr(kOps.size());
  return "aten::" + std::string(op.substr(0, op.find("::")));
}

AllEvidence gather_evidence(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                            const SourceTexts& sources, const FrameNames& names) {
  const LaunchPlaces launches = find_launches(trace);
  const CallIndex last = last_call(trace);
  AllEvidence found;
  std::vector<Evidence>& all = found.waits;
  std::vector<std::optional<std::size_t>> step_of;
  all.reserve(waits.size());
  for (const Wait& wait : waits) {
    Evidence e;
    e.wait = &wait;
    if (wait.copy != kNoIndex) e.copy = &trace.calls[wait.copy];
    if (wait.sync != kNoIndex) e.sync = &trace.calls[wait.sync];
    if (e.copy) {
      e.direction = e.copy->direction;
      e.bytes = e.copy->bytes;
    }
    if (e.copy || e.sync) e.stack = stack_of(trace, blocking_call(trace, wait).stack, {sources, names}, found);
    e.ends_profile = is_end_of_profile(trace, last, wait);
    e.kernels = kernels_before(trace, launches.by_thread[wait.thread], wait.begin_ns, found.kernels);
    step_of.push_back(step_at(steps.steps, wait.blocks_ns));
    if (step_of.back()) {
      const Step& step = steps.steps[*step_of.back()];
      e.place = place_in(step, wait, launches);
      e.on_marking_thread = wait.thread == step.thread;
    }
    all.push_back(std::move(e));
  }
  find_repeated(steps, step_of, all);
  find_much_moved(step_of, steps.steps.size(), all);
  find_beside_batch(step_of, all);
  return found;
}

}  // namespace zerostall
