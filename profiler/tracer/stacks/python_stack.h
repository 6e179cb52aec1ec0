// The Python frames of the calling thread, read from the interpreter's memory: without the GIL, without a call of
// Python's that needs it, without a change to anything.
//
// Why that may be done: the thread is inside a C call, so that its frames stand still, and what they refer to (code,
// names) lives as long as they do. Other threads may run Python meanwhile; none of them touches these frames.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace zerostall::tracer {

enum class PythonState : std::uint8_t {
  none,    // no Python in this process, or none on this thread
  known,   // the frames are those listed
  unknown  // a version or build not known here, sub-interpreters, a Python that is shutting down
};

struct PythonStack {
  static constexpr std::size_t kMostFrames = 128;
  struct Frame {
    std::uintptr_t code;
    std::uint32_t instruction;  // byte offset in the code
  };
  std::array<Frame, kMostFrames> frames;  // innermost first
  std::uint32_t count = 0;
  PythonState state = PythonState::none;
  bool cut = false;        // there are more frames than fit
  std::uint64_t hash = 0;  // of what the frames say (files, functions, lines), not of where they lie
};

// Any thread, in a C call. Never faults: what may vanish meanwhile is read through the kernel, which checks. Looks for
// Python only if `search` (see find_python).
void walk_python_stack(PythonStack& stack, bool search = false);

struct PythonFrameText {
  std::string file;      // co_filename, as Python has it
  std::string function;  // qualified name; on 3.10 the plain one
  int line = 0;          // 0 = the code has none there
};

// Text of a frame of the stack just walked, while the thread is still in the same call.
PythonFrameText describe(const PythonStack::Frame& frame);

}  // namespace zerostall::tracer
