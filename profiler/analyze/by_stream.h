// The same waits by what is waited for, beside what each stream of a device does.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/analyze/measure.h"
#include "profiler/analyze/wait_costs.h"

namespace zerostall {

enum class StreamScope : std::uint8_t {
  stream,
  device,   // all its streams: waits for the whole of it
  unknown,  // waits of which the trace does not tell what they wait for
};
std::string_view name_of(StreamScope scope);  // "stream"

struct StreamRow {
  StreamScope scope = StreamScope::unknown;
  std::uint32_t device = 0;            // not of `unknown`
  std::uint32_t stream = 0;            // of `stream`: the tool's id, not the handle
  std::int64_t waits = 0;              // host waits in the whole trace for this and nothing more
  std::optional<Spread> per_step;      // in judged steps, on any thread; nullopt without any
  std::optional<std::int64_t> drains;  // of all; nullopt = not known
  Nanos blocked_ns = 0;
  // GPU work in the whole trace, of a device that of all its streams; nullopt where records are missing.
  Count work;                    // pieces
  std::optional<Nanos> busy_ns;  // union of them
  std::optional<Nanos> idle_ns;  // from the first to the last, what is not busy
};

// Devices in order, each followed by its streams in order, then what is not told. A wait with a copy waits for the
// copy's stream. The legacy default stream waits for others too and is a row like them. Streams without waits and work
// have no row. `warmup`: steps that are not judged.
std::vector<StreamRow> find_streams(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                                    std::size_t warmup);

}  // namespace zerostall
