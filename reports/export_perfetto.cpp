#include "reports/export_perfetto.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "profiler/base/printable.h"
#include "reports/perfetto_fields.h"
#include "reports/process_numbers.h"
#include "reports/protobuf.h"
#include "reports/timeline.h"

namespace zerostall {
namespace {

using perfetto::Field;

// Texts that events refer to by number; each is defined in the packet that first uses it.
class Interned {
 public:
  explicit Interned(Field field) : field_(field) {}

  std::uint64_t number_of(std::string_view text) {
    const auto known = numbers_.find(text);
    if (known != numbers_.end()) return known->second;
    const std::uint64_t number = numbers_.size() + 1;
    numbers_.emplace(text, number);
    fresh_.emplace_back(number, printable(text));
    return number;
  }
  bool has_fresh() const { return !fresh_.empty(); }
  void write_fresh(ProtobufWriter& out) {
    for (const auto& [number, text] : fresh_) {
      const std::size_t entry = out.begin(field_);
      out.number(perfetto::interned::kIid, number);
      out.bytes(perfetto::interned::kText, text);
      out.end(entry);
    }
    fresh_.clear();
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  Field field_;
  std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> numbers_;
  std::vector<std::pair<std::uint64_t, std::string>> fresh_;
};

class PerfettoExporter : public Exporter, private TimelineSink {
 public:
  explicit PerfettoExporter(ChunkedOutput& output) : output_(output), proto_(output.text()) {}

  void add(const ExportProcess& process) override {
    pid_ = numbers_.take(process.trace.meta.pid);
    tracks_.clear();
    process_uuid_ = ++last_uuid_;
    const std::size_t packet = begin_packet();
    const std::size_t track = proto_.begin(perfetto::packet::kTrackDescriptor);
    proto_.number(perfetto::track::kUuid, process_uuid_);
    proto_.number(perfetto::track::kChildOrdering, perfetto::track::kExplicitOrder);
    const std::size_t about = proto_.begin(perfetto::track::kProcess);
    proto_.number(perfetto::process::kPid, static_cast<std::uint64_t>(pid_));
    proto_.bytes(perfetto::process::kName, printable(timeline_title(process)));
    proto_.end(about);
    proto_.end(track);
    end_packet(packet);
    next_id_ = write_timeline(process, {"step ", next_id_}, *this);
  }

  void finish(const std::vector<UnreadableTrace>&) override { output_.flush(); }

 private:
  std::uint32_t add_track(const Track& track) override {
    tracks_.push_back(++last_uuid_);
    const std::size_t packet = begin_packet();
    const std::size_t descriptor = proto_.begin(perfetto::packet::kTrackDescriptor);
    proto_.number(perfetto::track::kUuid, last_uuid_);
    proto_.number(perfetto::track::kParent, process_uuid_);
    // Thread number 0 is the idle task's to the viewer.
    if (track.kind == TrackKind::calls && track.thread != 0) {
      const std::size_t thread = proto_.begin(perfetto::track::kThread);
      proto_.number(perfetto::thread::kPid, static_cast<std::uint64_t>(pid_));
      proto_.number(perfetto::thread::kTid, track.thread);
      proto_.bytes(perfetto::thread::kName, "CUDA calls");
      proto_.end(thread);
    } else {
      proto_.bytes(perfetto::track::kName, printable(track.name));
      proto_.number(perfetto::track::kRank, tracks_.size());
    }
    proto_.end(descriptor);
    end_packet(packet);
    return static_cast<std::uint32_t>(tracks_.size() - 1);
  }

  void begin(const Slice& slice) override {
    const std::size_t packet = begin_packet(slice.begin_ns);
    const std::size_t event = begin_event(perfetto::event::kSliceBegin, slice.track);
    if (slice.has_no_end)
      describe_event(fmt::format("{} (has no end in this trace)", slice.name), slice.category, *slice.args);
    else
      describe_event(slice.name, slice.category, *slice.args);
    if (slice.flow != 0)
      proto_.fixed64(slice.starts_flow ? perfetto::event::kFlow : perfetto::event::kLastFlow, slice.flow);
    proto_.end(event);
    end_packet(packet);
  }

  void end(std::uint32_t track, Nanos time_ns) override {
    const std::size_t packet = begin_packet(time_ns);
    proto_.end(begin_event(perfetto::event::kSliceEnd, track));
    end_packet(packet);
  }

  void instant(std::uint32_t track, Nanos time_ns, std::string_view name, std::string_view category,
               const TimelineArgs& args) override {
    const std::size_t packet = begin_packet(time_ns);
    const std::size_t event = begin_event(perfetto::event::kInstant, track);
    describe_event(name, category, args);
    proto_.end(event);
    end_packet(packet);
  }

  std::size_t begin_packet() {
    const std::size_t packet = proto_.begin(perfetto::trace::kPacket);
    proto_.number(perfetto::packet::kSequenceId, 1);
    // The first says that no state of a sequence before it is to be kept.
    proto_.number(perfetto::packet::kSequenceFlags,
                  is_first_ ? perfetto::packet::kStateCleared : perfetto::packet::kNeedsState);
    is_first_ = false;
    return packet;
  }

  std::size_t begin_packet(Nanos time_ns) {
    const std::size_t packet = begin_packet();
    proto_.number(perfetto::packet::kTimestamp, time_ns < 0 ? 0 : static_cast<std::uint64_t>(time_ns));
    return packet;
  }

  void end_packet(std::size_t packet) {
    if (names_.has_fresh() || categories_.has_fresh() || keys_.has_fresh() || texts_.has_fresh()) {
      const std::size_t data = proto_.begin(perfetto::packet::kInternedData);
      for (Interned* list : {&categories_, &names_, &keys_, &texts_}) list->write_fresh(proto_);
      proto_.end(data);
    }
    proto_.end(packet);
    output_.pass_on();
  }

  std::size_t begin_event(std::uint64_t type, std::uint32_t track) {
    const std::size_t event = proto_.begin(perfetto::packet::kTrackEvent);
    proto_.number(perfetto::event::kType, type);
    proto_.number(perfetto::event::kTrack, tracks_[track]);
    return event;
  }

  void describe_event(std::string_view name, std::string_view category, const TimelineArgs& args) {
    proto_.number(perfetto::event::kCategoryIid, categories_.number_of(category));
    proto_.number(perfetto::event::kNameIid, names_.number_of(name));
    for (const TimelineArg& arg : args.list()) {
      const std::size_t annotation = proto_.begin(perfetto::event::kAnnotation);
      proto_.number(perfetto::annotation::kNameIid, keys_.number_of(arg.key));
      if (const auto* text = std::get_if<std::string_view>(&arg.value))
        proto_.number(perfetto::annotation::kTextIid, texts_.number_of(*text));
      else if (const auto* truth = std::get_if<bool>(&arg.value))
        proto_.number(perfetto::annotation::kBool, *truth ? 1 : 0);
      else if (const auto* size = std::get_if<std::uint64_t>(&arg.value))
        proto_.number(perfetto::annotation::kUnsigned, *size);
      else
        proto_.number(perfetto::annotation::kSigned, static_cast<std::uint64_t>(std::get<std::int64_t>(arg.value)));
      proto_.end(annotation);
    }
  }

  ChunkedOutput& output_;
  ProtobufWriter proto_;
  ProcessNumbers numbers_;
  Interned categories_{perfetto::interned::kCategories}, names_{perfetto::interned::kEventNames},
      keys_{perfetto::interned::kAnnotationNames}, texts_{perfetto::interned::kAnnotationTexts};
  std::vector<std::uint64_t> tracks_;  // uuid of each track of this process
  std::uint64_t last_uuid_ = 0, process_uuid_ = 0, next_id_ = 1;
  std::int64_t pid_ = 0;
  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<Exporter> make_perfetto_exporter(ChunkedOutput& output) {
  return std::make_unique<PerfettoExporter>(output);
}

}  // namespace zerostall
