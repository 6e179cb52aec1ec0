// Why a wait happens: a class of the design's catalogue, or unknown. A new one: ADD_A_CAUSE.md.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/analyze/infer_steps.h"
#include "profiler/analyze/steps.h"
#include "profiler/analyze/waits.h"

namespace zerostall {

// In the order of the catalogue.
enum class CauseKind : std::uint8_t {
  scalar_read,
  finite_check,
  amp_scaler,
  state_on_wrong_device,
  pageable_batch,
  pageable_async,
  tensor_from_host,
  dynamic_shape,
  size_from_device,
  branch_on_device,
  host_table_by_device_index,
  explicit_sync,
  allocator,
  offload,
  download,
  library_internal,
  unknown,
};
inline constexpr std::size_t kCauseKinds = static_cast<std::size_t>(CauseKind::unknown) + 1;

struct Cause {
  CauseKind kind = CauseKind::unknown;
  Confidence confidence = Confidence::low;
  std::string evidence;  // one line: what in the trace speaks for it
};

// What is known of a class, for people. Texts of one line, for tables; long ones: reports/explain_text.h.
struct CauseInfo {
  std::string_view slug;    // "scalar-read"
  std::string_view title;   // "a scalar is read back"
  std::string_view advice;  // what to do, naming the API
};
const CauseInfo& info_of(CauseKind kind);

// Lines of source that stacks name, as read from files at hand: what a line says often tells which operation waits.
using SourceTexts = std::map<std::pair<std::string, std::uint32_t>, std::string>;  // by file as stored, and line

// Functions at native frames, innermost first (more than one where the compiler put one into another), by the trace's
// module and offset, as read from files at hand. Demangled, with arguments. They tell of programs without Python what
// lines of source tell of others: "at::_ops::nonzero::call(at::Tensor const&)".
using FrameNames = std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::string>>;

// One per wait, in their order. Total; a trace without stacks or GPU records, and without sources, gives what the calls
// alone can tell. Rules: cause_rules.cpp; names they know: cause_names.cpp.
std::vector<Cause> find_causes(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                               const SourceTexts& sources = {}, const FrameNames& names = {});

}  // namespace zerostall
