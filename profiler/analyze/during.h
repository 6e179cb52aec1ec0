// What the marking thread was doing while another thread waited: of threads without Python frames (autograd's) that is
// all a trace can say of the line.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiler/analyze/steps.h"
#include "profiler/analyze/waits.h"

namespace zerostall {

// Lines of one function of the user's own.
struct During {
  enum class How : std::uint8_t {
    at,       // in this line for certain: the thread was blocked there, or had begun a backward pass there
    between,  // after a call of the first line and before one of the last
    after,    // of the first line; no later call of the step tells where it was
    before,   // of the last line
  };
  How how = How::at;
  StringId file = 0, function = 0;
  std::uint32_t first = 0, last = 0;  // 0 = not known
};

// Asked per wait, in logarithmic time. Refers to the trace.
class MarkingThreads {
 public:
  explicit MarkingThreads(const Trace& trace) : trace_(trace) {}
  // Nullopt: the wait is the marking thread's own, or no call of that thread in this step tells a line.
  std::optional<During> during(const Step& step, const Wait& wait);

 private:
  struct Lines {
    std::vector<PythonFrame> own;  // frames of the user's own, outermost first
    bool backward = false;         // the innermost of them called a backward pass
  };
  const Lines& lines_of(std::uint32_t stack);
  const std::vector<CallIndex>& telling_calls(ThreadIndex thread);
  bool left(const Call& before, Nanos time) const;
  static std::optional<During> between(const Lines& before, const Lines& after);

  const Trace& trace_;
  std::unordered_map<std::uint32_t, Lines> stacks_;
  std::unordered_map<ThreadIndex, std::vector<CallIndex>> calls_;
};

// Of waits of one place: what holds of both; nullopt where they happened in different functions.
std::optional<During> join(const During& a, const During& b);

// "during train.py:91 in step", "between train.py:88 and train.py:95 in step".
std::string describe(const Trace& trace, const During& during);

}  // namespace zerostall
