// What a timeline blob is made of, between the trace and its bytes.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reports/timeline.h"
#include "reports/timeline_blob.h"

namespace zerostall {

// Of a slice, by its name's entry. The numbers stand in the blob.
enum class BlobKind : std::uint8_t {
  step = 0,
  region = 1,
  wait = 2,
  other_wait = 3,  // in no total
  call = 4,
  range = 5,
  gap = 6,     // the GPU is idle, and no wait is to blame
  bubble = 7,  // the GPU is idle because of a wait
  kernel = 8,
  copy = 9,
  memset = 10,
  graph = 11,
};

struct BlobSlice {
  Nanos begin_ns = 0, end_ns = 0;
  std::uint32_t name = 0;         // position in BlobContent::names
  std::uint32_t own = kNoIndex;   // calls, waits: position in the trace's or the list of waits
  std::uint32_t link = kNoIndex;  // work: its call; bubbles: their wait
  std::uint64_t value = 0;        // by kind, see timeline_blob.cpp
};

// Slices of a row are in order and do not overlap.
struct BlobRow {
  std::uint32_t track = 0;
  std::vector<BlobSlice> slices;
};

struct BlobName {
  BlobKind kind = BlobKind::call;
  std::string text;
};

struct BlobContent {
  TimeRange range;
  std::vector<Track> tracks;
  std::vector<BlobRow> rows;  // those of a track together, outer first
  std::vector<BlobName> names;

  std::int64_t count() const;
};

// Everything. Tracks: steps; of each thread its waits, calls and ranges, the marking thread first, then those with
// most waits; of each device its idle times; of each stream its work.
BlobContent collect_blob(const TimelineSource& source);

// Which site (position in RunSummary::sites) each wait belongs to; nullopt: not in a step, or not in the summary.
std::vector<std::optional<std::uint32_t>> sites_of_waits(const TimelineSource& source);

// Where the viewer opens: the costliest wait of a judged step of median length, or of the step next to that in length
// that has one.
struct BlobOpening {
  std::optional<std::size_t> step;  // position in Steps::steps
  std::uint32_t wait = kNoIndex;    // position in the list of waits
};
BlobOpening find_opening(const TimelineSource& source);

// What is never left out.
BlobContent always_kept(const BlobContent& content);

// Leaves about `most` slices (those that are always kept may be more). How many went, by step; last: outside of steps.
std::vector<std::int64_t> thin_out(const TimelineSource& source, const BlobOpening& opening, std::int64_t most,
                                   BlobContent& content);

}  // namespace zerostall
