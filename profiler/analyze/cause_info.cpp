#include <array>

#include "profiler/analyze/causes.h"

namespace zerostall {

const CauseInfo& info_of(CauseKind kind) {
  static constexpr std::array<CauseInfo, kCauseKinds> kInfo = {{
      {"scalar-read", "a scalar is read back", ""},
      {"finite-check", "", ""},
      {"amp-scaler", "", ""},
      {"state-on-wrong-device", "", ""},
      {"pageable-batch", "", ""},
      {"pageable-async", "", ""},
      {"tensor-from-host", "", ""},
      {"dynamic-shape", "", ""},
      {"size-from-device", "", ""},
      {"branch-on-device", "", ""},
      {"host-table-by-device-index", "", ""},
      {"explicit-sync", "", ""},
      {"allocator", "", ""},
      {"offload", "", ""},
      {"download", "", ""},
      {"library-internal", "", ""},
      {"unknown", "", ""},
  }};
  return kInfo[static_cast<std::size_t>(kind)];
}

}  // namespace zerostall
