#include "profiler/tracer/activity.h"

#include <array>
#include <atomic>
#include <mutex>

#include "profiler/tracer/activity_buffers.h"
#include "profiler/tracer/activity_records.h"
#include "profiler/tracer/collector.h"
#include "profiler/tracer/cupti_api.h"
#include "profiler/tracer/settings.h"
#include "profiler/tracer/subscription.h"

namespace zerostall::tracer {
namespace {

using format::GpuRecord;

std::atomic<bool> g_in_use{false};  // CUPTI has asked for a buffer: it is up and has something to flush

// What reading buffers needs. Never destroyed: buffers come until the process ends.
struct Reading {
  std::mutex lock;  // buffers come on CUPTI's thread, and on those that flush
  KernelNames names{[](std::string_view name) { return collector().string_id(name); }};
};
Reading& reading() {
  static Reading* instance = new Reading;
  return *instance;
}

std::uint32_t cupti_version() {
  static const std::uint32_t version = [] {
    std::uint32_t v = 0;
    if (const CuptiApi* api = cupti_api()) api->get_version(&v);
    return v;
  }();
  return version;
}

void CUPTIAPI on_request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  g_in_use.store(true, std::memory_order_relaxed);
  *buffer = take_buffer(cupti_version(), bytes);
  *max_records = 0;
}

void read_buffer(std::uint8_t* buffer, std::size_t valid_bytes) {
  Reading& r = reading();
  std::lock_guard guard(r.lock);
  CUpti_Activity* record = nullptr;
  while (cupti_api()->next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    GpuRecord work;
    format::OverheadRecord overhead;
    if (read_gpu_work(*record, r.names, work))
      collector().add(work);
    else if (read_overhead(*record, cupti_version(), overhead))
      collector().add(overhead);
  }
}

void CUPTIAPI on_complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t bytes, std::size_t valid_bytes) {
  if (is_worthless(buffer)) {
    // At least: how many threads wrote over each other nobody knows.
    const std::size_t records = valid_bytes / sizeof(CUpti_ActivityKernel9);
    if (valid_bytes > 0)
      collector().note(format::NoteKind::lost_records, "more GPU work than the tracer keeps memory for",
                       records > 0 ? records : 1);
    return;
  }
  if (buffer && valid_bytes > 0) read_buffer(buffer, valid_bytes);
  give_back_buffer(buffer, bytes);
}

// Our buffers are zeroed: else CUPTI would do that, on the program's threads. The other attributes stay as they are:
// sizes and numbers of buffers on the device, since fewer lose time stamps and more take memory from the program.
void set_attributes(const CuptiApi& api) {
  std::uint8_t zeroed = 1;
  std::size_t bytes = sizeof zeroed;
  if (api.set_attribute) api.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &bytes, &zeroed);
}

void note_dropped(const CuptiApi& api) {
  std::size_t dropped = 0;
  if (api.dropped_records(nullptr, 0, &dropped) == CUPTI_SUCCESS && dropped > 0)
    collector().note(format::NoteKind::lost_records, "CUPTI dropped activity records", dropped);
}

// Launches that found the queue full, code loaded when first needed. The reader is told whether their absence means
// that there were none.
void enable_overheads(const CuptiApi& api) {
  if (api.enable_activity(CUPTI_ACTIVITY_KIND_OVERHEAD) != CUPTI_SUCCESS || cupti_version() < kFirstToTellQueueFull)
    return;
  collector().define(format::DefinitionKind::meta, 0, R"({"tells_queue_full": true})");
}

void enable_whole_graphs(const CuptiApi& api) {
  if (cupti_version() >= kFirstWithWholeGraphs && api.enable_activity(CUPTI_ACTIVITY_KIND_GRAPH_TRACE) == CUPTI_SUCCESS)
    return;
  collector().note(format::NoteKind::tool_problem,
                   "this libcupti cannot record a graph launch as a whole: each kernel, copy and memset in it is there",
                   0);
}

constexpr std::array kNeeded = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                CUPTI_ACTIVITY_KIND_MEMSET};
constexpr std::array kMore = {CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_OVERHEAD};

// `ending`: off from the next flush on, so that work that was launched in the window is still recorded.
enum class Power : std::uint8_t { never, on, ending, off };
std::mutex g_power_lock;
Power g_power = Power::never;

void turn_kinds(const CuptiApi& api, bool on) {
  const auto turn = on ? api.enable_activity : api.disable_activity;
  for (const CUpti_ActivityKind kind : kNeeded) turn(kind);
  for (const CUpti_ActivityKind kind : kMore) turn(kind);
  if (settings().whole_graphs) turn(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
}

}  // namespace

bool start_activity(std::string* error) {
  const CuptiApi& api = *cupti_api();
  api.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  set_attributes(api);
  if (const CUptiResult r = api.register_callbacks(on_request, on_complete); r != CUPTI_SUCCESS) {
    *error = "cuptiActivityRegisterCallbacks: " + result_text(r);
    return false;
  }
  for (const CUpti_ActivityKind kind : kNeeded)
    if (const CUptiResult r = api.enable_activity(kind); r != CUPTI_SUCCESS) {
      *error = "cuptiActivityEnable(" + std::to_string(static_cast<int>(kind)) + "): " + result_text(r);
      return false;
    }
  api.enable_activity(CUPTI_ACTIVITY_KIND_MEMCPY2);  // copies between devices: not everywhere
  enable_overheads(api);
  if (settings().whole_graphs) enable_whole_graphs(api);
  g_power = Power::on;
  return true;
}

void enable_activity(bool on) {
  std::lock_guard guard(g_power_lock);
  if (g_power == Power::never) return;
  if (on && g_power == Power::off) turn_kinds(*cupti_api(), true);
  g_power = on ? Power::on : g_power == Power::on ? Power::ending : g_power;
}

void flush_activity() {
  const CuptiApi* api = cupti_api();
  if (!api || !cupti_is_alive() || !g_in_use.load(std::memory_order_relaxed)) return;
  api->flush_all(0);
  note_dropped(*api);
  std::lock_guard guard(g_power_lock);
  if (g_power != Power::ending) return;
  turn_kinds(*api, false);
  g_power = Power::off;
}

void finish_activity() {
  const CuptiApi* api = cupti_api();
  if (!api || !cupti_is_alive()) return;
  api->flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  note_dropped(*api);
}

}  // namespace zerostall::tracer
