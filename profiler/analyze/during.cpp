#include "profiler/analyze/during.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiler/analyze/wait_stacks.h"

namespace zerostall {
namespace {

// Where the thread that calls backward() waits for autograd's, without any call to CUDA.
bool is_backward(std::string_view file) {
  constexpr auto kFiles = std::to_array<std::string_view>({"torch/autograd/__init__.py", "torch/autograd/graph.py"});
  return std::any_of(kFiles.begin(), kFiles.end(), [&](std::string_view name) { return file.ends_with(name); });
}

bool same_function(const PythonFrame& a, const PythonFrame& b) { return a.file == b.file && a.function == b.function; }

During of(During::How how, const PythonFrame& frame) {
  return {how, frame.file, frame.function, frame.line, frame.line};
}

}  // namespace

const MarkingThreads::Lines& MarkingThreads::lines_of(std::uint32_t id) {
  const auto [entry, is_new] = stacks_.try_emplace(id);
  const auto stack = trace_.stacks.stacks.find(id);
  if (!is_new || stack == trace_.stacks.stacks.end()) return entry->second;
  Lines& lines = entry->second;
  for (const PythonFrame& frame : stack->second.python) {
    const std::string_view file = trace_.text(frame.file);
    if (!file.empty() && !is_library_path(file))
      lines.own.push_back(frame);
    else if (lines.own.empty())
      lines.backward = lines.backward || is_backward(file);
  }
  std::reverse(lines.own.begin(), lines.own.end());
  return lines;
}

const std::vector<CallIndex>& MarkingThreads::telling_calls(ThreadIndex thread) {
  const auto [entry, is_new] = calls_.try_emplace(thread);
  if (!is_new) return entry->second;
  const Thread& t = trace_.threads[thread];
  for (CallIndex i = t.first; i < t.first + t.count; ++i)
    if (trace_.calls[i].stack != 0 && !lines_of(trace_.calls[i].stack).own.empty()) entry->second.push_back(i);
  return entry->second;
}

// Whether the thread went on to another call between that one and this moment.
bool MarkingThreads::left(const Call& before, Nanos time) const {
  const auto calls = trace_.calls_of(before.thread);
  const auto next =
      std::partition_point(calls.begin(), calls.end(), [&](const Call& c) { return c.begin_ns < before.end_ns; });
  return next != calls.end() && next->begin_ns < time;
}

std::optional<During> MarkingThreads::between(const Lines& before, const Lines& after) {
  std::size_t k = 0;
  const std::size_t both = std::min(before.own.size(), after.own.size());
  while (k < both && same_function(before.own[k], after.own[k]) && before.own[k].line == after.own[k].line) ++k;
  // A loop came round, unless the lines ascend: then the line around it is all that is certain.
  const bool ascends = k < both && same_function(before.own[k], after.own[k]) && before.own[k].line < after.own[k].line;
  if (ascends) {
    During found = of(During::How::between, before.own[k]);
    found.last = after.own[k].line;
    return found;
  }
  const std::size_t around = k == before.own.size() && k == after.own.size() ? k - 1 : k;
  if (around == 0) return std::nullopt;
  return of(During::How::at, before.own[around - 1]);
}

std::optional<During> MarkingThreads::during(const Step& step, const Wait& wait) {
  if (wait.thread == step.thread) return std::nullopt;
  const auto& calls = telling_calls(step.thread);
  const Nanos time = wait.blocks_ns;
  const auto next =
      std::partition_point(calls.begin(), calls.end(), [&](CallIndex i) { return trace_.calls[i].begin_ns <= time; });
  const Call* before = next == calls.begin() ? nullptr : &trace_.calls[*(next - 1)];
  const Call* after = next == calls.end() ? nullptr : &trace_.calls[*next];
  if (before != nullptr && before->begin_ns < step.begin_ns) before = nullptr;
  if (after != nullptr && after->begin_ns >= step.end_ns) after = nullptr;
  if (before == nullptr && after == nullptr) return std::nullopt;
  if (before == nullptr) return of(During::How::before, lines_of(after->stack).own.back());
  const Lines& lines = lines_of(before->stack);
  if (before->end_ns > time || (lines.backward && !left(*before, time))) return of(During::How::at, lines.own.back());
  if (after == nullptr) return of(During::How::after, lines.own.back());
  return between(lines, lines_of(after->stack));
}

std::optional<During> join(const During& a, const During& b) {
  if (a.file != b.file || a.function != b.function) return std::nullopt;
  const auto is_open = [](const During& d) { return d.how == During::How::after || d.how == During::How::before; };
  if (a.how == b.how && a.first == b.first && a.last == b.last) return a;
  if (is_open(a) || is_open(b)) return std::nullopt;
  return During{During::How::between, a.file, a.function, std::min(a.first, b.first), std::max(a.last, b.last)};
}

std::string describe(const Trace& trace, const During& during) {
  const std::string_view file = trace.text(during.file), function = trace.text(during.function);
  const auto line = [&](std::uint32_t n) { return n > 0 ? fmt::format("{}:{}", file, n) : std::string(file); };
  switch (during.how) {
    case During::How::between:
      return fmt::format("between {} and {} in {}", line(during.first), line(during.last), function);
    case During::How::after:
      return fmt::format("after {} in {}", line(during.first), function);
    case During::How::before:
      return fmt::format("before {} in {}", line(during.last), function);
    case During::How::at:
      break;
  }
  return fmt::format("during {} in {}", line(during.first), function);
}

}  // namespace zerostall
