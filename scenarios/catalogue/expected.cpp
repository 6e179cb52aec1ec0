#include "scenarios/catalogue/expected.h"

#include <algorithm>

namespace zerostall::scenarios::catalogue {
namespace {

// A cause that makes one wait a step, and a fixed twin that has none.
constexpr Entry one_wait(std::string_view slug, Expected near_miss) {
  return {slug, {Expected{.waits = 1, .cause = slug}, Expected{}, near_miss}};
}

constexpr auto kEntries = std::to_array<Entry>({
    one_wait("scalar-read", {.why = ".item() of a tensor on the CPU"}),
    one_wait("finite-check", {.waits = 1, .cause = "branch-on-device", .why = "asks for a limit, not for NaN"}),
    one_wait("amp-scaler", {.waits = 1, .cause = "branch-on-device", .why = "no scaler: a norm decides"}),
    one_wait("state-on-wrong-device", {.why = "pinned and non_blocking"}),
    one_wait("pageable-batch", {.why = "the data set lies on the GPU"}),
    one_wait("pageable-async", {.why = "downwards PyTorch takes pinned memory"}),
    one_wait("tensor-from-host", {.why = "built by kernels"}),
    one_wait("dynamic-shape", {.why = "a number written through a mask"}),
    one_wait("size-from-device", {.why = "the size stays on the GPU"}),
    one_wait("branch-on-device", {.why = "a tensor on the CPU"}),
    one_wait("host-table-by-device-index", {.why = "the index is drawn on the CPU"}),
    one_wait("explicit-sync", {.why = "one stream waits for another"}),
    {"allocator", {Expected{.memory_calls = 4, .cause = "allocator"}, Expected{}, Expected{.why = "from the cache"}}},
    {"offload",
     {Expected{.waits = 2, .cause = "offload"}, Expected{},
      Expected{.waits = 1, .cause = "download", .why = "one way only"}}},
    one_wait("download", {.waits = 1, .cause = "scalar-read", .why = "one number of it"}),
    one_wait("library-internal", {.waits = 1, .cause = "branch-on-device", .why = "the program asks itself"}),
});

}  // namespace

std::span<const Entry> entries() { return kEntries; }

const Entry* find_entry(std::string_view slug) {
  const auto* found = std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& e) { return e.slug == slug; });
  return found == kEntries.end() ? nullptr : found;
}

}  // namespace zerostall::scenarios::catalogue
