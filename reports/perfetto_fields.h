// Numbers of the fields that we write, from Perfetto's public definitions (github.com/google/perfetto, Apache-2.0):
// protos/perfetto/trace/trace.proto, trace_packet.proto, interned_data/interned_data.proto and, in track_event/,
// track_descriptor.proto, process_descriptor.proto, thread_descriptor.proto, track_event.proto, debug_annotation.proto.
#pragma once
#include <cstdint>

namespace zerostall::perfetto {

using Field = std::uint32_t;

namespace trace {
inline constexpr Field kPacket = 1;
}

namespace packet {
inline constexpr Field kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kInternedData = 12, kSequenceFlags = 13,
                       kTrackDescriptor = 60;
inline constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;  // of sequence_flags
}  // namespace packet

namespace track {
inline constexpr Field kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kChildOrdering = 11, kRank = 12;
inline constexpr std::uint64_t kExplicitOrder = 3;  // of child_ordering: by sibling_order_rank
}  // namespace track

namespace process {
inline constexpr Field kPid = 1, kName = 6;
}

namespace thread {
inline constexpr Field kPid = 1, kTid = 2, kName = 5;
}

namespace event {
inline constexpr Field kCategoryIid = 3, kAnnotation = 4, kType = 9, kNameIid = 10, kTrack = 11, kFlow = 47,
                       kLastFlow = 48;
inline constexpr std::uint64_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3;  // of type
}  // namespace event

namespace annotation {
inline constexpr Field kNameIid = 1, kBool = 2, kUnsigned = 3, kSigned = 4, kTextIid = 17;
}

namespace interned {
inline constexpr Field kCategories = 1, kEventNames = 2, kAnnotationNames = 3, kAnnotationTexts = 29;
inline constexpr Field kIid = 1, kText = 2;  // of each of them
}  // namespace interned

}  // namespace zerostall::perfetto
