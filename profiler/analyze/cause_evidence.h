// What a trace tells about one wait, gathered once for all rules that look for its cause.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/analyze/causes.h"

namespace zerostall {

struct EvidenceFrame {
  std::string_view file;      // as stored; "" = an operator or built-in function
  std::string_view function;  // "aten::item", "clip_grad_norm_"
  std::string_view source;    // text of its line; "" = not known
  bool library = false;
};

// Where in its step a wait stands, by launches of the whole process.
struct PlaceInStep {
  std::int64_t launches_before = 0, launches_after = 0;
};

struct Evidence {
  const Wait* wait = nullptr;
  const Call* copy = nullptr;
  const Call* sync = nullptr;
  CopyDirection direction = CopyDirection::none;
  Bytes bytes = 0;
  std::vector<EvidenceFrame> frames;      // innermost first
  std::vector<std::string_view> kernels;  // last launched by the thread before it, last first, at most 4
  std::optional<PlaceInStep> place;       // nullopt: in no step
  bool on_marking_thread = true;          // of the step; true where there are no steps
  bool ends_profile = false;              // the last call of a profile, a device sync
  bool in_every_step = false;             // the same copy or sync, as often before, in at least 4 of 5 steps
  bool step_moves_much_down = false, step_moves_much_up = false;  // 1 MiB and more, in its step
};

// One per wait. The result refers to texts of `trace` and `sources`.
std::vector<Evidence> gather_evidence(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                                      const SourceTexts& sources);

}  // namespace zerostall
