#include "profiler/fleet/messages.h"

#include <fmt/format.h>

#include "profiler/fleet/binary.h"
#include "profiler/fleet/summary_fields.h"

namespace zerostall::fleet {

ZEROSTALL_FIELDS(SeenFile, argument, path, size, ends_hash)
ZEROSTALL_FIELDS(Presence, place, pid, files)
ZEROSTALL_FIELDS(NamedSummary, name, summary)
ZEROSTALL_FIELDS(Unreadable, name, why)
ZEROSTALL_FIELDS(FileFound, file, runs, unreadable)
ZEROSTALL_FIELDS(Findings, failure, files)

namespace {

// Of a build whose structs are others. Sizes are no proof of that, but they differ where a field was added.
std::string own_layout() {
  return fmt::format("zerostall " ZEROSTALL_VERSION " {} {} {} {} {}", sizeof(RunSummary), sizeof(StepRow),
                     sizeof(WaitSeen), sizeof(Site), kCounterCount);
}

template <class Message>
std::string encode_any(const Message& message) {
  std::string body, out;
  Writer(body).write(message);
  Writer header(out);
  header.write(own_layout());
  header.write(body);
  return out;
}

template <class Message>
Result<Message> decode_any(std::string_view bytes) {
  std::string layout, body;
  Reader header(bytes);
  header.read(layout);
  if (header.ok() && layout != own_layout()) return Error{"it runs another build of zerostall"};
  header.read(body);
  Message message;
  Reader reader(body);
  reader.read(message);
  if (!header.ok() || !header.at_end() || !reader.ok() || !reader.at_end()) return Error{"its message is not whole"};
  return message;
}

}  // namespace

std::string encode(const Presence& presence) { return encode_any(presence); }
std::string encode(const Findings& findings) { return encode_any(findings); }
Result<Presence> decode_presence(std::string_view bytes) { return decode_any<Presence>(bytes); }
Result<Findings> decode_findings(std::string_view bytes) { return decode_any<Findings>(bytes); }

}  // namespace zerostall::fleet
