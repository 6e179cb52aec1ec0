// Cuts the text of a Chrome trace into pieces of whole events, so that they can be parsed one by one or at the same
// time, in memory that does not depend on the size of the text.
//
// Where an event ends can only be told by parsing; what is done here is a guess that nearly always holds: between two
// events stands "}", a comma and "{". Whoever parses a chunk finds out: the guess was wrong exactly when the chunk does
// not end where an event does. Its unused rest, followed by the next chunk, is then the true text.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/trace/import/text_source.h"

namespace zerostall {

// A piece of the list of events, in the form in which a parser wants it: "[" EVENT "," EVENT ... "]" and room behind.
// Behind the last event of the list the text goes on with the list's own "]" and what follows it.
struct EventChunk {
  std::uint64_t number = 0;
  std::uint64_t begin = 0;   // offset of text() in the whole text
  bool is_last = false;      // the text ends here
  std::size_t size = 0;      // of text()
  std::vector<char> buffer;  // reused from chunk to chunk

  std::string_view text() const { return {buffer.data() + 1, size}; }
  std::string_view as_array() const { return {buffer.data(), size + 2}; }
};

// Where the last "}" "," "{" of a text stands: position behind the "}" and that of the "{".
struct Cut {
  std::size_t end = 0, next = 0;
};
std::optional<Cut> last_cut(std::string_view text);

// Room that a parser wants behind as_array().
inline constexpr std::size_t kChunkPadding = 64;

// Puts brackets and padding around buffer[1, 1 + size).
void enclose(EventChunk& chunk);

// One thread at a time.
class EventChunks {
 public:
  explicit EventChunks(TextSource source);

  // Reads up to the first event. Fails where the text is no JSON object with a list "traceEvents" and no list: the
  // message says what it seems to be.
  Result<Done> begin();

  // False at the end, also after a failure. `chunk` keeps its buffer for the next call.
  Result<bool> next(EventChunk& chunk);

  // What stands before the list of events: `{"schemaVersion": 1, "traceEvents": `; "" = the text is just a list.
  const std::string& header() const { return header_; }
  const TextSource& source() const { return source_; }

 private:
  TextSource source_;
  std::string header_;
  std::vector<char> rest_;    // read and not yet handed out
  std::uint64_t offset_ = 0;  // of rest_ in the text
  std::uint64_t number_ = 0;
  bool ended_ = false;
};

}  // namespace zerostall
