// The calls of the CUDA runtime and driver API by name: what each means for the host. Data, so that a new call is one
// line. The tracer records exactly the calls of this table, and those it has never heard of (and compiles it in; it
// must stay free of dependencies). Sources: CUDA's reference manuals, "API synchronization behavior" above all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "profiler/trace/raw_trace.h"

namespace zerostall {

enum class ApiKind : std::uint8_t {
  other,  // of no interest here; does not hide a nested call
  stream_sync,
  device_sync,
  event_sync,
  copy,
  memset,
  launch,
  query,  // returns at once: "not ready" is no failure
  event_record,
  implicit,     // allocation and registration: may synchronise the device without saying so
  module_load,  // loads code: the step is not steady
  stream_wait,  // the device waits; the host goes on at once
  graph_launch,
};

inline constexpr std::size_t kApiKinds = 13;
std::string_view name_of(ApiKind kind);  // as it is called here: "stream_sync"

// True for calls that start GPU work other than a copy or a memset.
constexpr bool is_launch(ApiKind kind) { return kind == ApiKind::launch || kind == ApiKind::graph_launch; }

struct ApiInfo {
  std::string_view name;  // without version suffix: neither _v3020 nor _v2 nor _ptsz nor _ptds
  ApiKind kind = ApiKind::other;
  bool async = false;                             // copies, memsets: an API with `Async` in its name
  CopyDirection direction = CopyDirection::none;  // copies: as the name says; unknown = the arguments say
  bool grows_memory = false;                      // takes device memory: the step is not steady
};

// All calls of interest.
std::span<const ApiInfo> api_table();

// Names (as in ApiInfo) of the calls that let no host wait, start no work and load no code, ascending. Together with
// api_table() these are all calls of the CUDA versions named in uninteresting_apis.cpp.
std::span<const std::string_view> uninteresting_apis();

// Whether a call, by its name with or without suffixes, is in one of the two. What an unknown one does to the host
// nobody can tell: it must be reported, never taken for uninteresting.
bool is_known_api(std::string_view name);

// False for a call of which all is known that matters here, and that is nothing: it lets no host wait, starts no work
// and loads no code. Our own tracer does not record it.
bool matters(std::string_view name);

// Looks a call up by its name with or without suffixes. Unknown names are `other`, with an empty name. A call of HIP
// (ROCm) is what the call of CUDA's that it stands for is.
ApiInfo find_api(std::string_view name);

// "cudaMemcpyAsync_ptsz_v7000" -> "cudaMemcpyAsync": cuts version suffixes of four or more digits, and _ptsz, _ptds.
// _v2 and _v3 are part of a driver call's name and stay.
std::string_view strip_version(std::string_view name);

// True for the variants in which stream 0 means the thread's own default stream.
bool uses_per_thread_stream(std::string_view name);

}  // namespace zerostall
