#include "profiler/trace/import/kineto_stacks.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/trace/api_table.h"

namespace zerostall::kineto {
namespace {

constexpr std::size_t kMostFrames = 128;

bool may_wait(ApiKind kind) {
  switch (kind) {
    case ApiKind::stream_sync:
    case ApiKind::device_sync:
    case ApiKind::event_sync:
    case ApiKind::copy:
    case ApiKind::memset:
    case ApiKind::implicit:
      return true;
    default:
      return false;
  }
}

// "<built-in method to of Tensor object at 0x7cc1559c5310>": which object it was makes no other place in the program.
std::string without_address(std::string_view name) {
  const auto at = name.rfind(" at 0x");
  return at == std::string_view::npos ? std::string(name) : std::string(name.substr(0, at)) + ">";
}

// "train.py(31): step" to its parts; what is of another form is a function of no file.
PythonFrame parse_frame(std::string_view name, StringTable& strings) {
  const auto close = name.find("): ");
  const auto open = close == std::string_view::npos ? close : name.rfind('(', close);
  if (open == std::string_view::npos || open == 0) return {0, strings.intern(without_address(name)), 0};
  const std::string_view line = name.substr(open + 1, close - open - 1);
  if (line.empty() || line.find_first_not_of("0123456789") != std::string_view::npos)
    return {0, strings.intern(name), 0};
  const std::string file(name.substr(0, open));
  const std::string function = std::string(name.substr(close + 3)) + " (from line " + std::string(line) + ")";
  const StringId file_id = strings.intern(file);
  return {file_id, strings.intern(function), 0};
}

class Attacher {
 public:
  Attacher(RawTrace& trace, bool has_python)
      : trace_(trace), state_(has_python ? PythonFrames::known : PythonFrames::operators_only) {}

  // Of one thread, each in order of begin, outer frames first.
  void attach(const std::vector<Frame>& frames, std::size_t first, std::size_t last,
              const std::vector<std::uint32_t>& calls) {
    std::vector<const Frame*> open;
    for (const std::uint32_t index : calls) {
      RawCall& call = trace_.calls[index];
      for (; first < last && frames[first].begin_ns <= call.begin_ns; ++first) {
        close_before(open, frames[first].begin_ns);
        open.push_back(&frames[first]);
      }
      close_before(open, call.begin_ns);
      if (!open.empty()) call.stack = stack_of(open);
    }
  }

 private:
  static void close_before(std::vector<const Frame*>& open, Nanos time) {
    while (!open.empty() && open.back()->end_ns <= time) open.pop_back();
  }

  std::uint32_t stack_of(const std::vector<const Frame*>& open) {
    std::vector<std::pair<StringId, StringId>> key;  // file, function
    Stack stack;
    for (auto frame = open.rbegin(); frame != open.rend() && key.size() < kMostFrames; ++frame) {
      stack.python.push_back(frame_of((*frame)->name));
      key.emplace_back(stack.python.back().file, stack.python.back().function);
    }
    const auto [entry, is_new] = ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(ids_.size() + 1));
    if (!is_new) return entry->second;
    stack.python_frames = state_;
    stack.python_cut = open.size() > kMostFrames;
    trace_.stacks.stacks.emplace(entry->second, std::move(stack));
    return entry->second;
  }

  const PythonFrame& frame_of(StringId name) {
    const auto [entry, is_new] = frames_.try_emplace(name);
    if (is_new) entry->second = parse_frame(std::string(trace_.strings.text(name)), trace_.strings);
    return entry->second;
  }

  RawTrace& trace_;
  PythonFrames state_;
  std::map<std::vector<std::pair<StringId, StringId>>, std::uint32_t> ids_;
  std::map<StringId, PythonFrame> frames_;
};

// Calls that may wait, by thread and begin.
std::vector<std::uint32_t> waiting_calls(const RawTrace& trace) {
  std::vector<char> known(trace.strings.size(), 0);  // by name: 1 = may wait, 2 = not
  std::vector<std::uint32_t> calls;
  for (std::uint32_t i = 0; i < trace.calls.size(); ++i) {
    char& waits = known[trace.calls[i].name];
    if (waits == 0) waits = may_wait(find_api(trace.strings.text(trace.calls[i].name)).kind) ? 1 : 2;
    if (waits == 1) calls.push_back(i);
  }
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const RawCall &x = trace.calls[a], &y = trace.calls[b];
    return x.thread != y.thread ? x.thread < y.thread : x.begin_ns < y.begin_ns;
  };
  if (!std::is_sorted(calls.begin(), calls.end(), before)) std::stable_sort(calls.begin(), calls.end(), before);
  return calls;
}

}  // namespace

void attach_stacks(std::vector<Frame> frames, RawTrace& trace) {
  const auto before = [](const Frame& a, const Frame& b) {
    if (a.thread != b.thread) return a.thread < b.thread;
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  };
  if (!std::is_sorted(frames.begin(), frames.end(), before)) std::stable_sort(frames.begin(), frames.end(), before);
  const bool has_python = std::any_of(frames.begin(), frames.end(), [](const Frame& f) { return f.python; });
  Attacher attacher(trace, has_python);
  const std::vector<std::uint32_t> calls = waiting_calls(trace);
  for (std::size_t i = 0, frame = 0; i < calls.size();) {
    const std::uint32_t thread = trace.calls[calls[i]].thread;
    std::vector<std::uint32_t> of_thread;
    for (; i < calls.size() && trace.calls[calls[i]].thread == thread; ++i) of_thread.push_back(calls[i]);
    while (frame < frames.size() && frames[frame].thread < thread) ++frame;
    std::size_t end = frame;
    while (end < frames.size() && frames[end].thread == thread) ++end;
    attacher.attach(frames, frame, end, of_thread);
    frame = end;
  }
}

}  // namespace zerostall::kineto
