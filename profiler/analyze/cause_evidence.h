// What a trace tells about one wait, gathered once for all rules that look for its cause.
#pragma once
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/analyze/causes.h"

namespace zerostall {

constexpr Bytes kFewNumbers = 64;  // an upload of no more may be numbers that the line made on the host

struct EvidenceFrame {
  std::string_view file;      // as stored; "" = an operator, a built-in or native function
  std::string_view function;  // "aten::item", "clip_grad_norm_", "torch::nn::utils::clip_grad_norm_"
  std::string_view source;    // text of its line; "" = not known
  bool library = false;
};

// What is known of a call stack, gathered once for all waits that have it.
struct StackEvidence {
  std::vector<EvidenceFrame> frames;  // innermost first
  std::vector<std::uint16_t> clues;   // positions of the name_clues() that the frames show, ascending
  std::string_view own_source;  // the line of the innermost frame that is no library's, without comment; "" = none
  bool is_native =
      false;  // no Python in it: the frames are functions of C++, those of LibTorch's operators as "aten::"
};
StackEvidence make_stack_evidence(std::vector<EvidenceFrame> frames);

struct KernelEvidence {
  std::string_view name;
  std::vector<std::uint16_t> clues;  // likewise, those of kernels
};
KernelEvidence make_kernel_evidence(std::string_view name);

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
  const StackEvidence* stack = nullptr;        // null: it has none
  std::vector<const KernelEvidence*> kernels;  // last launched by the thread before it, last first, at most 6
  std::optional<PlaceInStep> place;            // nullopt: in no step
  bool on_marking_thread = true;               // of the step; true where there are no steps
  bool ends_profile = false;                   // the last call of a profile, a device sync
  bool in_every_step = false;                  // the same copy or sync, as often before, in at least 4 of 5 steps
  bool step_moves_much_down = false, step_moves_much_up = false;  // 1 MiB and more, in its step
  bool beside_batch =
      false;                // before the first launch of its step, whose thread uploads more than kFewNumbers there too
  bool comes_back = false;  // as many bytes, 1 MiB and more, are copied the other way in its step
};

struct AllEvidence {
  std::vector<Evidence> waits;                              // one per wait; they point into the others
  std::unordered_map<std::uint32_t, StackEvidence> stacks;  // by the trace's number
  std::unordered_map<const char*, KernelEvidence> kernels;  // by the text of the trace
  std::list<std::string> native_names;                      // as frames have them: operator_of()
};

// The result refers to texts of `trace` and `sources`.
AllEvidence gather_evidence(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                            const SourceTexts& sources, const FrameNames& names = {});

// A demangled name as frames have it: without arguments, and what calls an operator of LibTorch as profilers name that:
// "at::_ops::nonzero::call(at::Tensor const&)" is "aten::nonzero", that of an overload "aten::index_Tensor".
std::string native_function(std::string_view demangled);

}  // namespace zerostall
