// Stage 3 of the route: where the training steps begin and end.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/trace/trace.h"

namespace zerostall {

// How steps were found, most trusted first.
enum class StepsFrom : std::uint8_t {
  none,
  marks,     // ranges `step N` in NVTX domain `zerostall`
  profiler,  // NVTX ranges or marks whose text matches the step pattern
  anchor,    // inferred: something that happens once per step (infer_steps.h)
  period,    // inferred: launches that repeat
};
constexpr bool is_inferred(StepsFrom from) { return from == StepsFrom::anchor || from == StepsFrom::period; }
std::string_view name_of(StepsFrom from);

struct Region {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
  std::string_view name;  // text of Trace::strings
};

// A region called so, and the reason behind it, holds waits that the program itself says are meant: the gate lets them
// pass, and tells of them (profiler/gate/allow.h).
inline constexpr std::string_view kAllowPrefix = "allow waits: ";

// An instant mark called so in domain `zerostall` takes back the step that its thread is in: that was no more than the
// question for a next batch, to which there was none. What was called in it is outside.
inline constexpr std::string_view kTakesStepBack = "no step";

// The half-open time [begin_ns, end_ns): a call that begins at the very end belongs to what follows.
struct Step {
  std::int64_t number = 0;  // N of `step N`, or the number in the text; without one the position, from 0
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
  ThreadIndex thread = 0;       // the marking thread
  std::vector<Region> regions;  // by begin; of one name they do not overlap
};

// A step that was never closed: from its mark to the next step, or for ever.
struct OpenStep {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
};

struct Steps {
  StepsFrom from = StepsFrom::none;
  std::vector<Step> steps;       // by begin; they do not overlap
  std::vector<OpenStep> open;    // by begin, of the marking thread
  std::vector<Region> between;   // marked regions in no step ("backup"), by begin, of marking threads, outermost only
  std::int64_t unclosed = 0;     // step ranges never closed: dropped
  std::int64_t overlapping = 0;  // step ranges that began inside another step, or on a thread with fewer marks: dropped
  std::int64_t outside_windows = 0;  // step ranges of which only a part was recorded: dropped
  std::int64_t stray_marks = 0;      // ranges and marks in domain `zerostall` that are no step, in none and no region
                                     // between them: what looks like a misspelt step
  std::vector<std::string> other_names;  // that match the default pattern too, and are no steps: "process batch #"
};

struct StepOptions {
  // ECMAScript regular expression, letter case ignored. The default one takes ranges of one name only, the most trusted
  // (step_names.h); a given one all that match, and where none does there are no steps: none are inferred instead.
  std::string pattern =
      R"(^ProfilerStep#\d+|(^|[\s_/:-])(step|iteration|iter|batch)[\s_#:]*\d+$|^(train(ing)?[\s_]?)?(step|iteration|batch)$)";
  bool pattern_given = false;
  std::vector<std::string> regions{};  // ranges of these texts are regions too; else only those made for us
};

// Total: without marks of any kind there are no steps, and `from` is none. The pattern must be valid
// (is_valid_pattern). The result refers to texts of `trace`.
Steps split_steps(const Trace& trace, const StepOptions& options = {});

// Makes ranges of this text regions too, whatever their domain: those on the marking threads that begin in a step.
// Tools put ranges around every operator, so that no others are regions unless they are asked for.
void add_regions_called(const Trace& trace, std::string_view name, Steps& steps);

// Texts of ranges that could be asked for, each once, in order of first appearance: the first `most`.
std::vector<std::string> possible_regions(const Trace& trace, const Steps& steps, std::size_t most);

bool is_valid_pattern(const std::string& pattern);

// Whether this moment, which lies in no step, lies in one that was never closed.
bool is_in_open_step(const Steps& steps, Nanos time);

// What to write into a program, so that its steps are found.
std::string how_to_mark_steps(const TraceMeta& meta);

// Position in `steps` of the one that holds this moment.
std::optional<std::size_t> step_at(const std::vector<Step>& steps, Nanos time);

}  // namespace zerostall
