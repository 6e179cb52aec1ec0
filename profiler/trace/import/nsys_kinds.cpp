#include "profiler/trace/import/nsys_kinds.h"

#include <cctype>

namespace zerostall {
namespace {

using Labels = std::map<std::int64_t, NsysLabel>;

// For files without the tables. They are not CUPTI's.
const Labels& copies_by_default() {
  static const Labels labels = [] {
    Labels made;
    for (std::int64_t id = 0; const char* name : {"UNKNOWN", "HTOD", "DTOH", "HTOA", "ATOH", "ATOA", "ATOD", "DTOA",
                                                  "DTOD", "HTOH", "PTOP", "UVM_HTOD", "UVM_DTOH", "UVM_DTOD"})
      made[id++] = {name, ""};
    return made;
  }();
  return labels;
}

const Labels& memories_by_default() {
  static const Labels labels = [] {
    Labels made;
    for (std::int64_t id = 0; const char* name : {"PAGEABLE", "PINNED", "DEVICE", "ARRAY", "MANAGED", "DEVICE_STATIC",
                                                  "MANAGED_STATIC", "UNKNOWN"})
      made[id++] = {name, ""};
    return made;
  }();
  return labels;
}

CopyDirection direction_of(std::string_view name) {  // arrays live on the device
  if (name == "HTOD" || name == "HTOA") return CopyDirection::host_to_device;
  if (name == "DTOH" || name == "ATOH") return CopyDirection::device_to_host;
  if (name == "DTOD" || name == "ATOA" || name == "ATOD" || name == "DTOA") return CopyDirection::device_to_device;
  if (name == "HTOH") return CopyDirection::host_to_host;
  return name == "PTOP" ? CopyDirection::peer : CopyDirection::unknown;
}

MemoryKind memory_of(std::string_view name) {
  if (name == "PAGEABLE") return MemoryKind::pageable;
  if (name == "PINNED") return MemoryKind::pinned;
  if (name == "DEVICE" || name == "ARRAY" || name == "DEVICE_STATIC") return MemoryKind::device;
  if (name == "MANAGED" || name == "MANAGED_STATIC") return MemoryKind::managed;
  return MemoryKind::unknown;
}

std::string_view without(std::string_view prefix, std::string_view name) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

// "DEVICE_STATIC" -> "Device Static"
std::string in_words(std::string_view name) {
  std::string words;
  for (const char c : name) {
    const bool begins = words.empty() || words.back() == ' ';
    words += c == '_' ? ' ' : begins ? c : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

NsysCopyKind copy_kind(const NsysLabel& row) {
  const std::string_view full = without("CUDA_MEMCPY_KIND_", row.name), name = without("UVM_", full);
  NsysCopyKind kind{direction_of(name), full != name, row.label.empty() ? std::string(full) : row.label};
  kind.short_name = kind.direction == CopyDirection::unknown ? kind.label : std::string{name[0], 't', 'o', name[3]};
  return kind;
}

}  // namespace

Result<NsysKinds> read_nsys_kinds(NsysImport& import) {
  const auto copies = read_labels(import, "ENUM_CUDA_MEMCPY_OPER");
  const auto memories = read_labels(import, "ENUM_CUDA_MEM_KIND");
  const auto causes = read_labels(import, "ENUM_CUDA_UNIF_MEM_MIGRATION");
  if (!copies) return copies.error();
  if (!memories) return memories.error();
  if (!causes) return causes.error();
  NsysKinds kinds;
  for (const auto& [id, row] : *copies ? **copies : copies_by_default()) kinds.copies[id] = copy_kind(row);
  for (const auto& [id, row] : *memories ? **memories : memories_by_default()) {
    const std::string_view name = without("CUDA_MEMOPR_MEMORY_KIND_", row.name);
    kinds.memories[id] = {memory_of(name), row.label.empty() ? in_words(name) : row.label};
  }
  if (*causes)
    for (const auto& [id, row] : **causes) kinds.causes[id] = row.label;
  return kinds;
}

}  // namespace zerostall
