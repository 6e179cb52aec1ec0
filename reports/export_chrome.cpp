#include "reports/export_chrome.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "profiler/base/printable.h"
#include "reports/json_stream.h"
#include "reports/process_numbers.h"
#include "reports/timeline.h"
#include "reports/words.h"

namespace zerostall {
namespace {

constexpr std::int64_t kFirstGpuPid = std::int64_t{1} << 30;
constexpr std::int64_t kFirstOwnRow = std::int64_t{1} << 32;  // threads have numbers below
constexpr Nanos kHourNs = 3'600'000'000'000;

struct Row {
  std::int64_t pid = 0, tid = 0;
};

class ChromeExporter : public Exporter, private TimelineSink {
 public:
  ChromeExporter(ChunkedOutput& output, bool several) : output_(output), json_(output), several_(several) {}

  void add(const ExportProcess& process) override {
    if (!has_begun_) begin_document(process);
    pid_ = numbers_.take(process.trace.meta.pid);
    title_ = timeline_title(process);
    rows_.clear();
    named_threads_.clear();
    gpu_pids_.clear();
    name("process_name", {pid_, 0}, title_);
    next_id_ = write_timeline(process, {"ProfilerStep#", next_id_}, *this);
  }

  void finish(const std::vector<UnreadableTrace>&) override {
    json_.end_array();
    json_.end_object();
    output_.text() += '\n';
    output_.flush();
  }

 private:
  void begin_document(const ExportProcess& process) {
    const TraceMeta& meta = process.trace.meta;
    base_ns_ = time_range(process.trace).begin_ns;
    if (several_) base_ns_ = std::max<Nanos>(0, base_ns_ - kHourNs);
    json_.begin_object();
    json_.key("schemaVersion").value(1);
    json_.key("deviceProperties").begin_array();
    std::set<std::uint32_t> devices;
    for (const GpuOp& op : process.trace.gpu_ops) devices.insert(op.device);
    for (const std::uint32_t device : devices) {
      json_.begin_object();
      json_.key("id").value(device);
      json_.key("name").value(show_device(meta));
      json_.end_object();
    }
    json_.end_array();
    if (!several_ && meta.rank) {
      json_.key("distributedInfo").begin_object();
      json_.key("rank").value(*meta.rank);
      json_.key("world_size").value(meta.world_size);
      json_.end_object();
    }
    json_.key("displayTimeUnit").value("ms");
    json_.key("exporter").value("zerostall " ZEROSTALL_VERSION);
    json_.key("clock").value(meta.clock == Clock::modelled ? "modelled" : "measured");
    json_.key("baseTimeNanoseconds").value(base_ns_);
    json_.key("traceEvents").begin_array();
    json_.end_line();
    has_begun_ = true;
  }

  Row row_of(const Track& track) {
    const auto own_row = [&] { return kFirstOwnRow + static_cast<std::int64_t>(rows_.size()); };
    switch (track.kind) {
      case TrackKind::steps:
      case TrackKind::ranges:
      case TrackKind::calls:
        return {pid_, track.lane == 0 ? track.thread : own_row()};
      case TrackKind::waits:
      case TrackKind::other_waits:
        return {pid_, own_row()};
      case TrackKind::gpu_gaps:
        return {gpu_pid(track.device), own_row()};
      case TrackKind::gpu_work:
        break;
    }
    return {gpu_pid(track.device), track.lane == 0 ? track.stream : own_row()};
  }

  std::int64_t gpu_pid(std::uint32_t device) {
    const auto [pid, is_new] = gpu_pids_.try_emplace(device, next_gpu_pid_);
    if (is_new) name("process_name", {next_gpu_pid_++, 0}, fmt::format("GPU {} of {}", device, title_));
    return pid->second;
  }

  std::uint32_t add_track(const Track& track) override {
    const Row row = row_of(track);
    rows_.push_back(row);
    const bool is_thread = row.pid == pid_ && row.tid < kFirstOwnRow;
    if (!is_thread)
      name("thread_name", row, track.name);
    else if (named_threads_.insert(row.tid).second)
      name("thread_name", row, fmt::format("thread {}", row.tid));
    return static_cast<std::uint32_t>(rows_.size() - 1);
  }

  void name(std::string_view what, Row row, std::string_view text) {
    head("M", what, {}, row);
    json_.key("args").begin_object();
    json_.key("name").value(printable(text));
    json_.end_object();
    end_event();
  }

  void begin(const Slice& slice) override {
    const Row row = rows_[slice.track];
    head(slice.has_no_end ? "B" : "X", slice.name, slice.category, row);
    json_.key("ts").micros(slice.begin_ns - base_ns_);
    if (!slice.has_no_end) json_.key("dur").micros(slice.end_ns - slice.begin_ns);
    arguments(*slice.args);
    end_event();
    if (slice.flow == 0) return;
    head(slice.starts_flow ? "s" : "f", "ac2g", "ac2g", row);
    json_.key("id").value(slice.flow);
    json_.key("ts").micros(slice.begin_ns - base_ns_);
    if (!slice.starts_flow) json_.key("bp").value("e");
    end_event();
  }

  void end(std::uint32_t, Nanos) override {}  // said at its begin, or not known

  void instant(std::uint32_t track, Nanos time_ns, std::string_view text, std::string_view category,
               const TimelineArgs& args) override {
    head("i", text, category, rows_[track]);
    json_.key("ts").micros(time_ns - base_ns_);
    json_.key("s").value("p");
    arguments(args);
    end_event();
  }

  void head(std::string_view phase, std::string_view text, std::string_view category, Row row) {
    json_.begin_object();
    json_.key("ph").value(phase);
    if (!category.empty()) json_.key("cat").value(category);
    json_.key("name").value(text);
    json_.key("pid").value(row.pid);
    json_.key("tid").value(row.tid);
  }

  void arguments(const TimelineArgs& args) {
    if (args.list().empty()) return;
    json_.key("args").begin_object();
    for (const TimelineArg& arg : args.list()) {
      json_.key(arg.key);
      std::visit([&](const auto& value) { json_.value(value); }, arg.value);
    }
    json_.end_object();
  }

  void end_event() {
    json_.end_object();
    json_.end_line();
  }

  ChunkedOutput& output_;
  JsonStream json_;
  bool several_;
  bool has_begun_ = false;
  Nanos base_ns_ = 0;
  ProcessNumbers numbers_;
  std::int64_t next_gpu_pid_ = kFirstGpuPid;
  std::uint64_t next_id_ = 1;
  // Of the process under way:
  std::int64_t pid_ = 0;
  std::string title_;
  std::vector<Row> rows_;  // by track
  std::set<std::int64_t> named_threads_;
  std::map<std::uint32_t, std::int64_t> gpu_pids_;
};

}  // namespace

std::unique_ptr<Exporter> make_chrome_exporter(ChunkedOutput& output, bool several) {
  return std::make_unique<ChromeExporter>(output, several);
}

}  // namespace zerostall
