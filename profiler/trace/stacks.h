// Call stacks of a trace, and their layout in the file. A definition is a payload of
//   module: text path (as stored: profiler/tracer/stored_path.h), text build id
//   stack:  number state (PythonFrames), number flags (bit 0: native frames cut, bit 1: Python frames cut),
//           number n, n times { number module's id, number offset }, innermost first,
//           number m, m times { number file, number function, number line }, innermost first
// A number is LEB128, a text is a number of bytes and the bytes. Module id 0: code of no file (generated at run time).
// An offset is a return address less the address the file is loaded at, as the file's symbols have it: the call is
// before it. File and function are string ids; line 0 = none. Build id: the GNU build id in hexadecimal, or, for a file
// without one, id_of_headers().
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zerostall {

enum class PythonFrames : std::uint8_t {
  none = 0,     // the thread ran no Python
  known = 1,    // those listed
  unknown = 2,  // the tracer could not read this Python (version, build, sub-interpreters, shutdown)
  operators_only =
      3  // those listed are operators of a framework; the profiler did not record Python. Not in our files.
};

struct NativeFrame {
  std::uint32_t module = 0;  // key of modules; 0 = generated code
  std::uint64_t offset = 0;
};

struct PythonFrame {
  std::uint32_t file = 0, function = 0;  // StringIds
  std::uint32_t line = 0;                // 0 = none
};

struct Stack {
  std::vector<NativeFrame> native;  // innermost first; the tracer's and CUDA's own among them
  std::vector<PythonFrame> python;  // innermost first
  PythonFrames python_frames = PythonFrames::none;
  bool native_cut = false, python_cut = false;  // outer frames are missing
};

struct Module {
  std::string path, build_id;
};

struct Stacks {
  std::map<std::uint32_t, Module> modules;
  std::map<std::uint32_t, Stack> stacks;
};

// Nothing if the payload is damaged. String ids are not checked.
std::optional<Module> parse_module(std::string_view payload);
std::optional<Stack> parse_stack(std::string_view payload);

// Adds what a definition says. False: it is damaged, and nothing was added.
bool add_module(std::uint32_t id, std::string_view payload, Stacks& stacks);
bool add_stack(std::uint32_t id, std::string_view payload, Stacks& stacks);

// The string ids in all stacks, for a reader to exchange.
std::vector<std::uint32_t*> names_in(Stacks& stacks);

}  // namespace zerostall
