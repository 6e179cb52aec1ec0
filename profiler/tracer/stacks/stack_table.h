// Call stacks, told once: a stack is written into the trace when it is first seen, calls then name it by its number.
#pragma once
#include <cstdint>
#include <string_view>

namespace zerostall::tracer {

enum class StackDefinition : std::uint8_t { module, stack };

// Where definitions go. Both functions may be called from any thread, at most one at a time.
struct StackSink {
  std::uint32_t (*string_id)(std::string_view text) = nullptr;
  void (*define)(StackDefinition kind, std::uint32_t id, std::string_view bytes) = nullptr;  // format.h has the layout
};

// Once, before the first stack_id().
void start_stacks(const StackSink& sink);

// Number of the calling thread's stack, from the function that calls this one outwards; 0 before start_stacks(). A
// stack this thread has had before costs 1 to 3 us and takes no lock; a new one about a hundred times that.
std::uint32_t stack_id();

// After a fork, in the child: no more stacks. A lock may be held by a thread that does not exist here.
void abandon_stacks();

}  // namespace zerostall::tracer
