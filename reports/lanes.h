// Slices of one track by time alone. Those that overlap without nesting go to further tracks of the same name; where
// these get too many, which no program needs, they are cut to fit and carry the end as recorded.
#pragma once
#include <string>
#include <vector>

#include "reports/timeline.h"

namespace zerostall {

class Lanes {
 public:
  // Makes the first lane at once.
  Lanes(TimelineSink& sink, Track track);

  // In order of begin, outer before inner. `slice.track` is filled in here.
  void add(Slice slice);
  void instant(Nanos time_ns, std::string_view name, std::string_view category, const TimelineArgs& args);
  // Ends what is still under way. Once, at the end.
  void finish();

 private:
  struct Lane {
    std::uint32_t track = 0;
    std::vector<Nanos> open;  // ends of the slices under way, outer first
  };
  void end_until(Lane& lane, Nanos time_ns);
  Lane& lane_for(const Slice& slice);

  TimelineSink& sink_;
  Track track_;
  std::vector<Lane> lanes_;
};

}  // namespace zerostall
