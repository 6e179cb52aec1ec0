// Where host waits come from: the call stacks of the calls that block, each wait of the trace under its own.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analyze/measure.h"

namespace zerostall {

struct SourceLine {
  std::string function;  // "" = not known
  std::string file;      // as stored; "" = not known, or an operator or built-in function: a library's
  std::uint32_t line = 0;
  bool library = false;  // of an installed package, Python itself or the system: not what its user wrote
};

struct NativeLine {
  std::string module;  // path as stored; "" = code generated at run time
  std::string build_id;
  std::uint64_t offset = 0;         // of the return address in the module
  std::vector<SourceLine> sources;  // innermost first; more than one where functions were inlined. Empty until named.
  std::string why_not;              // why there are no names: "no such file here", "symbols of another build"
};

// Waits that look alike and come from one place.
struct WaitsThere {
  std::string what;
  std::int64_t count = 0;          // in the whole trace
  std::int64_t judged = 0;         // in judged steps
  std::optional<Spread> per_step;  // over judged steps; nullopt without any
};

struct WaitStack {
  std::uint32_t id = 0;  // the trace's number; 0 = these waits have no stack (recorded without, or cut off)
  std::vector<WaitsThere> waits;
  PythonFrames python_frames = PythonFrames::none;
  bool python_cut = false, native_cut = false;  // outer frames are missing
  std::vector<SourceLine> python;               // innermost first
  std::vector<NativeLine> native;               // innermost first
};

// Stacks with most waits in judged steps first, then those with most in the whole trace. `warmup`: first steps that are
// not judged. Empty when the trace has no stacks.
std::vector<WaitStack> find_wait_stacks(const Trace& trace, const std::vector<Wait>& waits, const Measured& measured,
                                        std::size_t warmup);

// Whether a native frame of this module says nothing of where a wait comes from: every wait has frames of what waits
// (CUDA), what records it and what runs Python.
bool is_machinery(std::string_view module);

// Whether a stored path is that of a library.
bool is_library_path(std::string_view path);

}  // namespace zerostall
