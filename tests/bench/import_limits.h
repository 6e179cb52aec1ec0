// What import_bench compares the importer with: the same text read by the libraries alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace zerostall {

// simdjson reads that much beyond the end.
inline constexpr std::size_t kPadding = 64;

// A file in memory: as it is, and with its text (the same, where it is not compressed) with padding behind it.
struct Loaded {
  std::vector<char> file;
  std::vector<char> text;  // text.size() - kPadding characters
  std::size_t characters() const { return text.size() - kPadding; }
};

// Ends the program where the file cannot be read.
Loaded load(const std::string& path);

// What reading a trace cannot go below: simdjson's on-demand parser in one pass over the text, which visits each field
// of each event and takes name, ts, dur and cat. Returns the number of events.
std::int64_t read_on_demand(std::span<char> text);

// Each writes the whole text of `file` (gzip) into `to`, which has room, and returns its size; the streaming ones in
// pieces that stay in the cache, as a reader with bounded memory does.
std::size_t expand_libdeflate(std::span<const char> file, std::span<char> to);
std::size_t expand_zlib(std::span<const char> file, std::span<char> to);
std::size_t stream_zlib(std::span<const char> file, std::span<char> to);
std::size_t expand_isal(std::span<const char> file, std::span<char> to);
std::size_t stream_isal(std::span<const char> file, std::span<char> to);

}  // namespace zerostall
