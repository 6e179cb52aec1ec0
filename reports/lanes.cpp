#include "reports/lanes.h"

#include <limits>
#include <utility>

namespace zerostall {
namespace {

constexpr std::size_t kMostLanes = 64;  // each slice looks for its own among them

}  // namespace

Lanes::Lanes(TimelineSink& sink, Track track) : sink_(sink), track_(std::move(track)) {
  lanes_.push_back({sink_.add_track(track_), {}});
}

void Lanes::end_until(Lane& lane, Nanos time_ns) {
  for (; !lane.open.empty() && lane.open.back() <= time_ns; lane.open.pop_back())
    sink_.end(lane.track, lane.open.back());
}

Lanes::Lane& Lanes::lane_for(const Slice& slice) {
  for (Lane& lane : lanes_) {
    end_until(lane, slice.begin_ns);
    if (lane.open.empty() || slice.end_ns <= lane.open.back()) return lane;
  }
  if (lanes_.size() == kMostLanes) return lanes_.back();
  track_.lane = static_cast<std::uint32_t>(lanes_.size());
  lanes_.push_back({sink_.add_track(track_), {}});
  return lanes_.back();
}

void Lanes::add(Slice slice) {
  Lane& lane = lane_for(slice);
  slice.track = lane.track;
  TimelineArgs with_end;
  if (!lane.open.empty() && slice.end_ns > lane.open.back()) {
    with_end = *slice.args;
    with_end.add("recorded_end_ns", slice.end_ns);
    slice.args = &with_end;
    slice.end_ns = lane.open.back();
  }
  sink_.begin(slice);
  lane.open.push_back(slice.end_ns);
}

void Lanes::instant(Nanos time_ns, std::string_view name, std::string_view category, const TimelineArgs& args) {
  sink_.instant(lanes_.front().track, time_ns, name, category, args);
}

void Lanes::finish() {
  for (Lane& lane : lanes_) end_until(lane, std::numeric_limits<Nanos>::max());
}

}  // namespace zerostall
