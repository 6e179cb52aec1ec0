// From a code address to the way out of its function: what the compiler wrote down for exceptions (.eh_frame), reduced
// to what a walk of return addresses needs. x86-64.
#pragma once
#include <cstdint>

namespace zerostall::tracer {

// Where the caller's stack begins ("CFA"); its return address lies 8 bytes below.
enum class CfaKind : std::uint8_t {
  unknown,            // no description, or one of a kind not read here
  outermost,          // nobody called this function: the walk is at its end
  stack_pointer,      // rsp + cfa_offset
  frame_pointer,      // rbp + cfa_offset
  from_frame_pointer  // the word at rbp + cfa_offset: functions that align their stack
};

enum class RbpKind : std::uint8_t { same, saved_below_cfa, saved_at_rbp };

struct UnwindRule {
  CfaKind cfa = CfaKind::unknown;
  RbpKind rbp = RbpKind::same;
  std::int32_t cfa_offset = 0;
  std::int32_t rbp_offset = 0;  // of the caller's rbp, from the CFA or from rbp
};

// Reads the rule for the instruction at `pc`. `eh_frame_header` is the module's PT_GNU_EH_FRAME segment as mapped; the
// module must stay loaded during the call. Takes no lock, allocates nothing.
UnwindRule read_unwind_rule(const void* eh_frame_header, std::uintptr_t pc);

}  // namespace zerostall::tracer
