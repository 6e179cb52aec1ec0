// Where CPython keeps what is needed to name the frames of a thread, by version.
#pragma once
#include <atomic>
#include <cstdint>

#include "profiler/tracer/stacks/python_lines.h"

namespace zerostall::tracer {

// Offsets in bytes.
struct PythonLayout {
  static constexpr std::uint32_t kNone = 0xffff;
  struct {
    std::uint32_t frame = 0;      // of the innermost frame's address, or of a struct that holds it
    std::uint32_t inner = kNone;  // its offset in that struct
  } thread;
  struct {
    std::uint32_t bytes = 0;  // that must be read
    std::uint32_t code = 0, previous = 0, instruction = 0;
    std::uint32_t owner = kNone;  // 3 and above: the interpreter's own frame, not one of a Python function
  } frame;
  struct {
    std::uint32_t file = 0, name = 0, lines = 0, first_line = 0;
    std::uint32_t bytecode = 0;  // the instructions, or the bytes object that holds them
  } code;
  struct {
    std::uint32_t length = 16, state = 32, kind_bit = 2;
    std::uint32_t ascii = 0, other = 0;  // of the characters of an ASCII string, and of others
  } text;
  std::uint32_t bytes_data = 32;   // of a bytes object; its length is that of the object
  bool index_instruction = false;  // 3.10: the frame holds an index, else an address
  LineTable lines = LineTable::locations;
};

// The interpreter in this process.
struct Python {
  PythonLayout layout;
  bool known = false;                // false: a version, or a build of it, whose frames cannot be read here
  void* (*this_thread)() = nullptr;  // PyGILState_GetThisThreadState: needs no lock; null on threads without Python
  int (*is_finalizing)() = nullptr;
  void* (*first_interpreter)() = nullptr;
  void* (*main_interpreter)() = nullptr;
  const void *code_type = nullptr, *text_type = nullptr, *bytes_type = nullptr;
};

// Null as long as no Python is loaded. The answer is kept once it is there; until then each call looks again, which
// takes microseconds and the loader's lock: not for hot paths.
const Python* find_python();

// What the last call of find_python() found; costs nothing.
const Python* known_python();

// For tests: the layout of a version given as PY_VERSION_HEX. `offsets` is _PyRuntime, read from 3.13 on. False:
// unknown.
bool python_layout(std::uint64_t version, const void* offsets, PythonLayout* layout);

}  // namespace zerostall::tracer
