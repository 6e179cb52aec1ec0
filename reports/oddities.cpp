#include "reports/oddities.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "profiler/base/strings.h"

namespace zerostall {
namespace {

struct Oddity {
  std::string_view name;
  std::string_view noun;  // counted
  std::string_view rest;  // reads after one and after many alike
};

constexpr auto kOddities = std::to_array<Oddity>({
    {"ambiguous_correlations", "piece", "of GPU work that calls of several processes may have started: linked to none"},
    {"bad_numbers", "number", "that cannot be read: events without a time were left out"},
    {"events_not_objects", "event", "that is no event: left out"},
    {"events_without_duration", "event", "without a duration: left out"},
    {"text_not_utf8", "piece", "of text that is not UTF-8: such bytes are shown escaped or replaced"},
    {"duplicate_call_correlation", "call", "with the number of another of its process: both are layers of one call"},
    {"no_runtime_table", "table", "of CUDA calls missing: calls were not recorded"},
    {"rows_of_older_tables", "row", "of a table that a newer version of it replaces: not read"},
    {"calls_without_end", "call", "without an end: taken to last no time"},
    {"unreadable_rows", "record", "without a time that can be read: left out, and counted as lost"},
    {"unreadable_values", "number", "that is none or has no meaning: taken for unknown"},
    {"gpu_ops_without_process", "piece", "of GPU work by processes of which no call was recorded: left out"},
    {"marks_without_process", "range", "of a process without CUDA calls: left out"},
    {"backward_stamps", "time stamp", "running backwards within a thread: the order of the file was kept"},
    {"bad_times", "piece", "of GPU work with impossible times: left out of times, and of what ran dry or idle"},
    {"calls_after_exit", "call",
     "made while the process ended: some may be missing, and so may the GPU work they started"},
    {"bytes_after_end", "byte", "behind the end of the trace: not read"},
    {"checksum_errors", "chunk", "with a wrong checksum: nothing was read from there on"},
    {"clock_steps", "time", "the clock was set during the recording: times across it are wrong"},
    {"damaged_chunks", "chunk", "that cannot be understood: nothing was read from there on"},
    {"impossible_times", "record",
     "with a time no clock can show: the nearest was taken, and GPU work left out of times"},
    {"launches_without_record", "kernel launch",
     "without a GPU record: GPU records incomplete, another tool of the process may have taken them"},
    {"missing_strings", "name", "missing in the trace: shown as (name lost)"},
    {"open_ranges", "range", "never closed"},
    {"orphaned_calls", "nested call", "without the call around it: counted as if called directly"},
    {"outside_window_gpu_ops", "piece", "of GPU work by calls outside the recorded windows: left out"},
    {"overlapping_steps", "step mark", "inside another step or on a thread with fewer marks: dropped"},
    {"partial_records", "chunk", "ending inside a record: that record was dropped"},
    {"partly_recorded_steps", "step", "of which only a part was recorded: left out"},
    {"repeated_gpu_ops", "piece", "of GPU work recorded twice: counted once"},
    {"reversed_calls", "call", "ending before it began: taken to last no time"},
    {"stray_marks", "mark", "in domain zerostall that neither called `step N` nor inside a step: ignored"},
    {"unclosed_steps", "step",
     "without an end: not judged; a step marked by nvtx.mark ends at the next mark, so the last one never does"},
    {"unknown_chunks", "chunk", "of a kind this version does not know: skipped"},
    {"unknown_records", "record", "of a kind this version does not know: skipped"},
    {"unlinked_gpu_ops", "piece", "of GPU work without a known call"},
    {"unlinked_overheads", "wait", "of a launch for its queue, or load of code, without a known call"},
    {"unmatched_pops", "range end", "without a begin: ignored"},
    {"unreadable_meta", "description", "of the recording that cannot be read: ignored"},
});

}  // namespace

std::string oddity_sentence(const std::string& name, std::int64_t count) {
  for (const Oddity& oddity : kOddities)
    if (oddity.name == name) return fmt::format("{} {}", counted(count, oddity.noun), oddity.rest);
  return fmt::format("oddity: {} {}", name, count);
}

}  // namespace zerostall
