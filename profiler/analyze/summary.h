// Stage 7 of the route: a run in plain numbers and texts, independent of the trace it came from. Reports, gate and
// baselines read nothing else.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/analyze/between_steps.h"
#include "profiler/analyze/by_cause.h"
#include "profiler/analyze/by_stream.h"
#include "profiler/analyze/by_thread.h"
#include "profiler/analyze/infer_steps.h"
#include "profiler/analyze/measure.h"
#include "profiler/analyze/repeatable.h"
#include "profiler/analyze/sites.h"
#include "profiler/analyze/wait_costs.h"
#include "profiler/analyze/wait_stacks.h"

namespace zerostall {

// A host wait as a person would recognise it.
struct WaitSeen {
  std::vector<std::string> regions;  // all that hold the blocking call, outer first
  std::string what;                  // "cudaMemcpyAsync 512 B host to device + cudaStreamSynchronize"
  WaitKind kind = WaitKind::stream_sync;
  bool host_to_device = false;    // holds a host-to-device copy
  bool blocking_copy = false;     // holds a copy that blocks by contract; may be beside a sync
  bool on_marking_thread = true;  // of the step
  bool failed = false;
  std::optional<bool> drains{}, idle{};  // as Wait has them
  Nanos time_ns = 0;
  std::uint32_t site = 0;               // position in RunSummary::sites
  std::optional<Nanos> avoidable_ns{};  // idle time of the GPU; nullopt = not known
  bool operator==(const WaitSeen&) const = default;
};

// What this one wait adds to a counter of its step; 0 for counters that have nothing to do with host waits.
Count share_of(const WaitSeen& wait, Counter counter);

struct RegionRow {
  std::string name;
  Counters counters;
  bool occurs = true;  // false: the step has no such region, and 0 of everything in it
};

struct StepRow {
  std::int64_t number = 0;
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
  bool judged = false;               // not part of the warm-up
  std::optional<Nanos> own_cost_ns;  // what the tracer took of it, in real time; nullopt: the trace does not tell
  bool unsteady = false;             // judged, but a module was loaded or device memory grew: left out of times
  Counters counters;
  std::optional<Nanos> effective_ns;  // of Counter::blocked_ns, what the waits had to wait; nullopt as gpu_idle
  std::optional<IdleTime> gpu_idle;   // nullopt: records of GPU work are missing
  std::optional<Nanos> own_gpu_ns;    // own_gpu_work
  Nanos implicit_ns = 0;              // time in the calls of Counter::implicit
  std::vector<RegionRow> regions;
  Counters background;  // during the step, on threads that do not work for it
  std::vector<WaitSeen> waits;
  std::int64_t launches = 0;  // calls that give the GPU work, begun during the step by any thread
  Count kernels = 0;  // launched during the step by any thread, graphs' own included; unknown as GpuWork::kernels
  std::map<std::string, std::int64_t> unsupported;  // simulated GPU: calls it does not implement, made during the step
  std::map<std::string, std::int64_t> unknown;      // calls that this program does not know: they may wait or not
};

struct RegionSummary {
  std::string name;
  CounterSpreads per_step;  // over judged steps
};

struct CallRow {
  std::string name;
  std::int64_t count = 0;   // all calls of the trace
  std::int64_t nested = 0;  // of them, those inside another call of interest
  std::int64_t failed = 0;  // of all, those that returned an error
  Nanos time_ns = 0;        // of all of them
};

struct CopyRow {
  std::string direction, host_memory, api;  // "host to device", "pageable", "cudaMemcpyAsync"
  Bytes bytes = 0;
  std::int64_t count = 0;          // in the whole trace
  std::int64_t judged = 0;         // in judged steps, by threads that work for the step
  std::optional<Spread> per_step;  // over judged steps, by threads that work for the step
};

// What ran on the GPU in the whole trace, by its own records: what graphs launch is there, what they captured is not.
// Where a graph's launch left one record, what was in it is not known.
struct GpuWork {
  Count kernels = 0, copies = 0, memsets = 0;
  std::int64_t graphs = 0;  // launches with one record
};

// Values read back from the simulated GPU that no kernel had really computed.
struct UnrealReadbacks {
  std::int64_t total = 0;
  std::int64_t judged = 0;                  // within judged steps
  std::map<std::string, std::int64_t> how;  // of the judged ones, by the simulator's text
};

struct RunSummary {
  TraceMeta meta;
  std::string region;  // all that follows is of this region of the steps only (region.h); "" = of the whole run
  std::vector<std::string> possible_regions;  // where one was asked for (StepOptions::region): some that there are
  std::string path;                           // as the user gave it; not part of any comparison
  std::optional<std::vector<RecordingWindow>> windows;  // recorded in these only; nullopt: all the time
  bool truncated = false;                               // cut off or damaged: `end` says where
  TraceEnd end;
  std::int64_t lost = 0;   // GPU records
  bool corrected = false;  // times are without what the tracer itself took
  bool has_cuda_calls = false;
  std::optional<bool>
      times_repeatable;  // modelled times: would they come out the same again; nullopt for measured ones
  StepsFrom steps_from = StepsFrom::none;
  std::optional<Confidence> steps_confidence;  // of inferred steps; nullopt: they were marked, or there are none
  std::string steps_how;                       // of inferred steps: InferredSteps::how
  std::vector<std::string> other_step_names;   // Steps::other_names
  std::int64_t warmup = 0;
  std::vector<StepRow> steps;
  Counters background, unclosed, outside, totals;
  std::vector<RegionRow> outside_regions;  // of `outside`, what lies in marked regions between steps ("backup")
  BetweenSteps between;
  CounterSpreads per_step;                            // over judged steps
  std::vector<RegionSummary> regions;                 // by first appearance
  std::map<std::string, std::int64_t> waits_by_what;  // host waits of the whole trace, by WaitSeen::what
  std::vector<Site> sites;                            // the same waits by place and cause
  std::vector<Site> implicit_sites;                   // of calls in no total: find_implicit_sites
  std::vector<CauseRow> causes;                       // the same by cause
  std::vector<ThreadRow> threads;                     // the same by the thread that waits
  std::vector<StreamRow> streams;                     // the same by what is waited for
  std::vector<WaitStack> stacks;                      // where host waits come from; native frames without names
  std::vector<CallRow> calls;                         // by name
  std::vector<CopyRow> copies;                        // by direction, size (large first), memory, api
  GpuWork gpu_work;
  UnrealReadbacks unreal_readbacks;
  std::map<std::string, std::int64_t> unsupported;  // whole trace
  std::map<std::string, std::int64_t> unknown;      // calls of functions that this program does not know, whole trace
  std::vector<std::string> tool_problems;
  std::vector<std::string> warnings;  // of the tracer: the recording went on
  std::map<std::string, std::int64_t> oddities;
  std::map<std::string, std::int64_t> contents;  // files of other tools: records by the tool's own kind, used or not

  bool complete() const { return !truncated && lost == 0; }
  std::int64_t judged() const;
};

struct SummaryOptions {
  std::string path;
  std::int64_t warmup = 2;   // first steps that are shown and not judged
  bool corrected{};          // measured times without what the tracer itself took
  bool own_cost{};           // tell what the tracer took of a simulated run too: real time, not the same twice
  SourceTexts sources{};     // of lines that stacks name, as far as files are at hand
  FrameNames frame_names{};  // likewise, of their native frames
};

// Waits that look alike.
struct WaitGroup {
  std::string what;
  std::optional<Spread> per_step;  // over judged steps; nullopt without any
  std::int64_t judged = 0;         // in judged steps
  std::int64_t count = 0;          // in the whole trace
};

// Those with most in judged steps first, then those with most in the whole trace, then by text.
std::vector<WaitGroup> group_waits(const RunSummary& run);

RunSummary summarize(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits, const Measured& measured,
                     const SummaryOptions& options);

// Stages 2 to 7 in a row. Where nothing marks steps they are inferred.
RunSummary analyze(RawTrace raw, const SummaryOptions& options, const StepOptions& step_options = {});

}  // namespace zerostall
