// The same importer behind compressed text: bytes that claim to be gzip as they are, others after they were compressed,
// in two members. By two threads.
#include <isa-l/igzip_lib.h>

#include <span>
#include <vector>

#include "profiler/trace/import/kineto.h"
#include "tests/fuzz/whole_route.h"

namespace {

using Bytespan = std::span<const std::uint8_t>;

void append_member(Bytespan text, std::vector<std::uint8_t>& to) {
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.next_in = const_cast<std::uint8_t*>(text.data());
  stream.avail_in = static_cast<std::uint32_t>(text.size());
  const std::size_t before = to.size();
  to.resize(before + text.size() + text.size() / 8 + 512);
  stream.next_out = to.data() + before;
  stream.avail_out = static_cast<std::uint32_t>(to.size() - before);
  if (isal_deflate(&stream) != COMP_OK || stream.avail_in > 0) __builtin_trap();
  to.resize(before + stream.total_out);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytespan input(data, size);
  std::vector<std::uint8_t> compressed;
  if (size < 2 || data[0] != 0x1f || data[1] != 0x8b) {
    append_member(input.first(size / 3), compressed);
    append_member(input.subspan(size / 3), compressed);
  } else {
    compressed.assign(input.begin(), input.end());
  }
  const auto bytes = std::as_bytes(std::span(compressed));
  zerostall::fuzz::follow(zerostall::parse_kineto(bytes, "fuzz", {.most_expanded = 1 << 22, .threads = 2}));
  return 0;
}
