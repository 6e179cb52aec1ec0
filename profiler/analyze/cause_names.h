// Names that tell a cause: of operators, of library files and functions, of kernels, and words in a line of source.
// Data, so that a new name is one line.
#pragma once
#include <span>
#include <string_view>

#include "profiler/analyze/causes.h"

namespace zerostall {

enum class NamePlace : std::uint8_t {
  op,           // an operator around the wait is called exactly so: "aten::nonzero"
  file,         // a library file around the wait ends so: "torch/amp/grad_scaler.py"
  function,     // a function around the wait is called exactly so: "clip_grad_norm_"
  source,       // the line of the user's own code that waits holds this: "repeat_interleave"
  kernel,       // one of the last kernels before the wait holds this: "isfinite"
  last_kernel,  // the last kernel before the wait holds this: "NonZeroOp"
};

constexpr bool is_of_kernels(NamePlace place) { return place >= NamePlace::kernel; }

struct NameClue {
  NamePlace place = NamePlace::op;
  std::string_view text;
  CauseKind kind = CauseKind::unknown;
  Confidence confidence = Confidence::low;
  CopyDirection direction = CopyDirection::unknown;  // the wait's must be this; unknown = any
};

// Those of kernels say something of at most 8 bytes that are read back. Of several that fit, the first with the highest
// confidence counts.
std::span<const NameClue> name_clues();

}  // namespace zerostall
