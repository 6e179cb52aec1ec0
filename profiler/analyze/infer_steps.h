// Steps of traces without marks: something that happens once per step, or a pattern of launches that repeats.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "profiler/analyze/steps.h"

namespace zerostall {

enum class Confidence : std::uint8_t { low, medium, high };
std::string_view name_of(Confidence confidence);  // "high"

struct InferredSteps {
  Steps steps;  // from: anchor, period, or none
  Confidence confidence = Confidence::low;
  std::string how;  // one line for a person: "the same 412 launches again and again, ending with multi_tensor_apply"
};

// Methods A to D of the design's "Step boundaries", anchor first. Total and deterministic: the order of records with
// equal stamps, shifted clocks and which process comes first change nothing. Where the evidence is thin there are no
// steps: none at all is an answer, wrong ones are not. Waits, copies and allocator calls are no part of the pattern
// that is looked for: a wait every fifty steps must not change it.
InferredSteps infer_steps(const Trace& trace);

// Stage 3 as a whole: steps as they are marked (with an empty `how`), and only where nothing marks any, inferred ones;
// none where a pattern was given that nothing matches.
InferredSteps find_steps(const Trace& trace, const StepOptions& options = {});

}  // namespace zerostall
