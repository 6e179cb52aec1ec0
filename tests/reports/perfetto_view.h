// Reads back what export_perfetto wrote, by nothing but Perfetto's published field numbers, written out here once more.
#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace zerostall::testing {

// A protobuf message: the values of each field, in order.
struct Message {
  std::map<std::uint32_t, std::vector<std::uint64_t>> numbers;  // varint and fixed64
  std::map<std::uint32_t, std::vector<std::string>> bytes;

  explicit Message(std::string_view text) {
    while (!text.empty()) {
      const std::uint64_t tag = varint(text);
      const auto field = static_cast<std::uint32_t>(tag >> 3);
      if ((tag & 7) == 0) {
        numbers[field].push_back(varint(text));
      } else if ((tag & 7) == 1) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < 8; ++i) value |= std::uint64_t{static_cast<std::uint8_t>(text.at(i))} << (8 * i);
        numbers[field].push_back(value);
        text.remove_prefix(8);
      } else if ((tag & 7) == 2) {
        const std::uint64_t size = varint(text);
        if (size > text.size()) throw std::runtime_error("a field reaches past its message");
        bytes[field].emplace_back(text.substr(0, size));
        text.remove_prefix(size);
      } else {
        throw std::runtime_error("a wire type that nobody writes");
      }
    }
  }

  std::uint64_t number(std::uint32_t field, std::uint64_t otherwise = 0) const {
    const auto found = numbers.find(field);
    return found == numbers.end() ? otherwise : found->second.at(0);
  }
  std::string text(std::uint32_t field) const {
    const auto found = bytes.find(field);
    return found == bytes.end() ? "" : found->second.at(0);
  }
  std::vector<Message> messages(std::uint32_t field) const {
    std::vector<Message> list;
    if (const auto found = bytes.find(field); found != bytes.end())
      for (const std::string& one : found->second) list.emplace_back(one);
    return list;
  }

 private:
  static std::uint64_t varint(std::string_view& text) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (text.empty()) throw std::runtime_error("a varint without end");
      const auto byte = static_cast<std::uint8_t>(text.front());
      text.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    throw std::runtime_error("a varint of more than 64 bits");
  }
};

struct SeenSlice {
  std::string name, category;
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::size_t depth = 0;
  std::map<std::string, std::string> args;
  std::uint64_t flow = 0, last_flow = 0;
  bool instant = false;
};

struct SeenTrack {
  std::string name, process;
  std::uint64_t pid = 0, tid = 0, parent = 0;
  std::vector<SeenSlice> slices;  // in order of begin
  std::vector<std::size_t> open;  // under way while reading
};

// Fails (throws) where a viewer would: a text that was never defined, an end without a begin, slices that do not nest.
class PerfettoView {
 public:
  std::map<std::uint64_t, SeenTrack> tracks;  // by uuid

  explicit PerfettoView(const std::string& file) {
    bool is_first = true;
    for (const Message& packet : Message(file).messages(1)) {
      check(packet.number(10) != 0, "a packet without sequence");
      check(packet.number(13) == (is_first ? 1u : 2u), "the first packet clears state, all others need it");
      is_first = false;
      for (const Message& data : packet.messages(12))
        for (const std::uint32_t kind : {1u, 2u, 3u, 29u})
          for (const Message& entry : data.messages(kind))
            check(texts_[kind].emplace(entry.number(1), entry.text(2)).second, "a text defined twice");
      for (const Message& descriptor : packet.messages(60)) add_track(descriptor);
      for (const Message& event : packet.messages(11)) add_event(event, packet.number(8));
    }
    for (const auto& [uuid, track] : tracks) check(track.open.empty(), "a slice without end");
  }

  // The only one of this name.
  const SeenTrack& track(const std::string& name) const {
    const SeenTrack* found = nullptr;
    for (const auto& [uuid, track] : tracks) {
      if (track.name != name) continue;
      check(found == nullptr, "two tracks called " + name);
      found = &track;
    }
    check(found != nullptr, "no track called " + name);
    return *found;
  }
  std::vector<std::string> names(const std::string& track_name) const {
    std::vector<std::string> list;
    for (const SeenSlice& slice : track(track_name).slices) list.push_back(slice.name);
    return list;
  }

 private:
  static void check(bool good, const std::string& problem) {
    if (!good) throw std::runtime_error(problem);
  }

  std::string defined(std::uint32_t kind, std::uint64_t number) const { return texts_.at(kind).at(number); }

  void add_track(const Message& descriptor) {
    SeenTrack track;
    track.name = descriptor.text(2);
    track.parent = descriptor.number(5);
    check(track.parent == 0 || tracks.contains(track.parent), "a track before its parent");
    for (const Message& process : descriptor.messages(3)) {
      track.process = process.text(6);
      track.pid = process.number(1);
    }
    for (const Message& thread : descriptor.messages(4)) {
      track.pid = thread.number(1);
      track.tid = thread.number(2);
      track.name = thread.text(5) + " " + std::to_string(track.tid);
    }
    check(tracks.emplace(descriptor.number(1), track).second, "a track described twice");
  }

  void add_event(const Message& event, std::uint64_t time) {
    SeenTrack& track = tracks.at(event.number(11));
    if (event.number(9) == 2) {
      check(!track.open.empty(), "an end without a begin");
      SeenSlice& slice = track.slices[track.open.back()];
      check(slice.begin_ns <= time, "a slice that ends before it begins");
      slice.end_ns = time;
      track.open.pop_back();
      return;
    }
    check(event.number(9) == 1 || event.number(9) == 3, "an event of no kind");
    SeenSlice slice;
    slice.instant = event.number(9) == 3;
    slice.begin_ns = slice.end_ns = time;
    slice.name = defined(2, event.number(10));
    slice.category = defined(1, event.number(3));
    slice.depth = track.open.size();
    slice.flow = event.number(47);
    slice.last_flow = event.number(48);
    for (const Message& arg : event.messages(4)) {
      std::string& value = slice.args[defined(3, arg.number(1))];
      if (arg.numbers.contains(17)) value = defined(29, arg.number(17));
      if (arg.numbers.contains(2)) value = arg.number(2) == 1 ? "true" : "false";
      if (arg.numbers.contains(3)) value = std::to_string(arg.number(3));
      if (arg.numbers.contains(4)) value = std::to_string(static_cast<std::int64_t>(arg.number(4)));
    }
    if (!slice.instant && !track.slices.empty())
      check(track.slices.back().instant || track.slices.back().begin_ns <= time, "slices out of order");
    if (!slice.instant) track.open.push_back(track.slices.size());
    track.slices.push_back(std::move(slice));
  }

  std::map<std::uint32_t, std::map<std::uint64_t, std::string>> texts_;
};

}  // namespace zerostall::testing
