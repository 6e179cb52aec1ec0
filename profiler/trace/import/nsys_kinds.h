// What Nsight Systems' numbers of copies and memories mean: as the file says, or as they are in files that do not.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "profiler/trace/import/nsys_import.h"

namespace zerostall {

struct NsysCopyKind {
  CopyDirection direction = CopyDirection::unknown;
  bool migration = false;                                 // pages of unified memory, moved by the driver
  std::string label = "Unknown", short_name = "Unknown";  // "Host-to-Device", "HtoD"
};

struct NsysMemory {
  MemoryKind kind = MemoryKind::unknown;
  std::string label = "Unknown";  // "Device Static"
};

struct NsysKinds {  // by number
  std::map<std::int64_t, NsysCopyKind> copies;
  std::map<std::int64_t, NsysMemory> memories;
  std::map<std::int64_t, std::string> causes;  // of migrations
};
Result<NsysKinds> read_nsys_kinds(NsysImport& import);

}  // namespace zerostall
