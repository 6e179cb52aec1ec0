// The native reader. Checksums are made right first, as a fuzzer never would: but for files whose header asks not to
// (an odd number in its reserved field).
#include <cstring>
#include <string>

#include "profiler/trace/format.h"
#include "profiler/trace/read_native.h"
#include "tests/fuzz/whole_route.h"

namespace {

namespace format = zerostall::format;

void repair(std::string& file) {
  format::FileHeader header;
  if (file.size() < sizeof header) return;
  std::memcpy(&header, file.data(), sizeof header);
  if (header.reserved % 2 == 1) return;
  for (std::size_t at = header.header_bytes; at + sizeof(format::SegmentHeader) <= file.size();) {
    format::SegmentHeader segment;
    std::memcpy(&segment, file.data() + at, sizeof segment);
    segment.place = at;
    const std::size_t records = at + sizeof segment;
    if (segment.sealed_bytes <= file.size() - records)
      segment.crc32 = format::crc32(file.data() + records, segment.sealed_bytes);
    std::memcpy(file.data() + at, &segment, sizeof segment);
    if (segment.bytes < sizeof segment) return;
    at += segment.bytes;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string file(reinterpret_cast<const char*>(data), size);
  repair(file);
  auto raw = zerostall::parse_native(std::as_bytes(std::span(file)), "fuzz");
  if (!raw) {
    zerostall::fuzz::follow(raw.error());
  } else {
    std::vector<zerostall::RawTrace> traces;
    traces.push_back(std::move(*raw));
    zerostall::fuzz::follow(std::move(traces));
  }
  return 0;
}
