// What a thread launches, as a sequence of tokens: the alphabet in which steps without marks are looked for.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "profiler/trace/trace.h"

namespace zerostall {

// Equal tokens mean: a kernel of the same name, or the same executable graph. Waits, copies and allocator calls are
// none. Grid sizes are left out, since they change with the shapes of a batch.
using Token = std::uint32_t;

struct Launches {
  ThreadIndex thread = 0;
  std::vector<CallIndex> calls;  // in order; kNoIndex: not recorded for a while
  std::vector<Token> tokens;     // one per call; one of its own where nothing was recorded
  std::size_t size() const { return tokens.size(); }
};

// One per thread that launches. Tokens of several threads can be compared.
std::vector<Launches> launches_by_thread(const Trace& trace);

// The name that a launch is known by: its kernel's, else that of the call.
std::string_view launched_name(const Trace& trace, const Call& call);

// The same with kernels that differ only in numbers and template arguments taken for one: `gemm_128x64<3>` is
// `gemm_x`. With other shapes libraries choose other tiles.
std::vector<Token> families_of(const Trace& trace, const Launches& launches);

}  // namespace zerostall
