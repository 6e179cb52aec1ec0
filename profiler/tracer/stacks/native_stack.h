// The native frames of the calling thread.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace zerostall::tracer {

struct NativeStack {
  static constexpr std::size_t kMostFrames = 192;
  std::array<std::uintptr_t, kMostFrames> frames;  // return addresses, innermost first
  std::uint32_t count = 0;
  bool cut = false;   // outer frames are missing: more than fit, or a function that describes no way out of itself
  bool slow = false;  // walked by the compiler's unwinder
};

// Fills `stack` from the function that calls this one outwards. Any thread, at any time but in a signal handler; takes
// no lock (see find_module) and allocates nothing after a thread's first call.
void walk_native_stack(NativeStack& stack);

// The same by the compiler's own unwinder (slower, knows every rule): for what the above cannot read, and for tests.
void walk_native_stack_slowly(NativeStack& stack);

// Forget the rules of functions seen: a library was unloaded and another one may lie at its place.
void forget_unwind_rules();

}  // namespace zerostall::tracer
