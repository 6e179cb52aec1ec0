// Layout, after base64 and zlib:
//   4 bytes, little endian: length of the header
//   header: JSON, see write_header
//   five columns of LEB128 numbers, one number a slice, rows one after the other; their lengths in bytes stand in the
//   header:
//     gap    from the end of the slice before in its row, or from the begin of the trace, ns
//     length ns
//     name   position in `names`
//     link   0 = none, else 1 + zigzag of (position of the slice that is linked to - that of the last link of this row)
//     value  waits: drains (0 unknown, 1 no, 2 yes) + 4 * idle (likewise) + 16 * host to device + 32 * failed
//                   + 64 * (1 + position in `sites`, 0 = none)
//            bubbles and gaps: GapCause + 8 * avoidable ns;  steps: 1 + position in `steps`, 0 = never closed
//            work: bytes;  calls: 1 = failed;  ranges: 1 = never closed
#include "reports/timeline_blob.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <memory>

#include "reports/json_stream.h"
#include "reports/timeline_blob_parts.h"
#include "reports/words.h"

namespace zerostall {
namespace {

constexpr std::int64_t kFewestBytes = 3;      // of base64, that a slice takes where there are many
constexpr std::int64_t kFewSlices = 500'000;  // are encoded to see what they take, as regular ones take far less
constexpr std::size_t kLongestName = 500;     // characters: names of kernels may be any length
constexpr int kLevel = 5;                     // of libdeflate: above it time grows, size hardly shrinks

struct Thinned {
  std::vector<std::int64_t> by_step;  // last: outside
  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const std::int64_t n : by_step) sum += n;
    return sum;
  }
};

void put(std::string& to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) to.push_back(static_cast<char>(number | 0x80));
  to.push_back(static_cast<char>(number));
}

std::uint64_t zigzag(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}

// Position among all slices of each call and of each wait.
struct Ordinals {
  std::vector<std::uint32_t> calls, waits;

  Ordinals(const TimelineSource& source, const BlobContent& content)
      : calls(source.trace->calls.size(), kNoIndex), waits(source.waits->size(), kNoIndex) {
    std::uint32_t next = 0;
    for (const BlobRow& row : content.rows)
      for (const BlobSlice& slice : row.slices) {
        const BlobKind kind = content.names[slice.name].kind;
        if (kind == BlobKind::call) calls[slice.own] = next;
        if (kind == BlobKind::wait || kind == BlobKind::other_wait) waits[slice.own] = next;
        ++next;
      }
  }
  std::uint32_t target(BlobKind kind, std::uint32_t link) const {
    if (link == kNoIndex) return kNoIndex;
    return kind == BlobKind::bubble ? waits[link] : calls[link];
  }
};

// Names that are still in use, in order of first use.
class UsedNames {
 public:
  explicit UsedNames(const BlobContent& content) : content_(content), number_(content.names.size(), kNoIndex) {}
  std::uint32_t number(std::uint32_t name) {
    if (number_[name] == kNoIndex) {
      number_[name] = static_cast<std::uint32_t>(used_.size());
      used_.push_back(name);
    }
    return number_[name];
  }
  void write(JsonStream& json) const {
    json.key("names").begin_array();
    for (const std::uint32_t name : used_) {
      json.value(static_cast<int>(content_.names[name].kind));
      json.value(shortened(content_.names[name].text, kLongestName));
    }
    json.end_array();
  }

 private:
  const BlobContent& content_;
  std::vector<std::uint32_t> number_, used_;
};

using Columns = std::array<std::string, 5>;

void write_row(const BlobContent& content, const BlobRow& row, const Ordinals& ordinals, UsedNames& names,
               Columns& columns) {
  auto& [gaps, lengths, name_column, links, values] = columns;
  Nanos end_ns = content.range.begin_ns;
  std::int64_t last_link = 0;
  for (const BlobSlice& slice : row.slices) {
    put(gaps, static_cast<std::uint64_t>(slice.begin_ns - end_ns));
    put(lengths, static_cast<std::uint64_t>(slice.end_ns - slice.begin_ns));
    put(name_column, names.number(slice.name));
    const std::uint32_t target = ordinals.target(content.names[slice.name].kind, slice.link);
    put(links, target == kNoIndex ? 0 : 1 + zigzag(std::int64_t{target} - last_link));
    if (target != kNoIndex) last_link = target;
    put(values, slice.value);
    end_ns = slice.end_ns;
  }
}

std::string_view word_of(TrackKind kind) {
  switch (kind) {
    case TrackKind::steps:
      return "steps";
    case TrackKind::waits:
    case TrackKind::other_waits:
      return "waits";
    case TrackKind::calls:
      return "calls";
    case TrackKind::ranges:
      return "ranges";
    case TrackKind::gpu_gaps:
      return "idle";
    case TrackKind::gpu_work:
      break;
  }
  return "work";
}

class HeaderWriter {
 public:
  HeaderWriter(const TimelineSource& source, const BlobContent& content, const BlobOpening& opening,
               const Thinned& thinned, JsonStream& json)
      : source_(source), content_(content), opening_(opening), thinned_(thinned), json_(json) {}

  void write(const Ordinals& ordinals, const UsedNames& names, const Columns& columns) {
    json_.begin_object();
    json_.key("format").value("zerostall/timeline/1");
    json_.key("modelled").value(source_.trace->meta.clock == Clock::modelled);
    json_.key("device").value(show_device(source_.trace->meta));
    json_.key("length").value(content_.range.end_ns - content_.range.begin_ns);
    json_.key("lost").value(source_.trace->lost_records + source_.trace->lost_calls);
    json_.key("cut_off").value(source_.trace->truncated ? describe(source_.trace->end) : std::string());
    json_.key("left_out").value(thinned_.total());
    json_.key("bytes").begin_array();
    for (const std::string& column : columns) json_.value(column.size());
    json_.end_array();
    write_tracks();
    write_steps();
    json_.key("sites").begin_array();
    for (const Site& site : source_.summary->sites) {
      json_.value(site.id);
      json_.value(shortened(shown_place(site), kLongestName));
    }
    json_.end_array();
    write_opening(ordinals);
    names.write(json_);
    json_.end_object();
  }

 private:
  void write_tracks() {
    json_.key("tracks").begin_array();
    for (std::uint32_t t = 0; t < content_.tracks.size(); ++t) {
      const Track& track = content_.tracks[t];
      json_.begin_object();
      json_.key("kind").value(word_of(track.kind));
      json_.key("name").value(track.name);
      json_.key("rows").begin_array();
      for (const BlobRow& row : content_.rows)
        if (row.track == t) json_.value(row.slices.size());
      json_.end_array();
      json_.end_object();
    }
    json_.end_array();
  }

  // Four numbers each: number, begin, length, 1 = judged; and how many slices of it are left out.
  void write_steps() {
    json_.key("steps").begin_array();
    for (std::size_t i = 0; i < source_.steps->steps.size(); ++i) {
      const Step& step = source_.steps->steps[i];
      json_.value(step.number);
      json_.value(step.begin_ns - content_.range.begin_ns);
      json_.value(step.end_ns - step.begin_ns);
      json_.value(i < source_.summary->steps.size() && source_.summary->steps[i].judged ? 1 : 0);
      json_.value(i < thinned_.by_step.size() ? thinned_.by_step[i] : 0);
    }
    json_.end_array();
  }

  void write_opening(const Ordinals& ordinals) {
    json_.key("open").begin_object();
    json_.key("step").value(opening_.step);
    const std::uint32_t wait = opening_.wait == kNoIndex ? kNoIndex : ordinals.waits[opening_.wait];
    json_.key("wait").value(wait == kNoIndex ? std::nullopt : std::optional(wait));
    json_.end_object();
  }

  const TimelineSource& source_;
  const BlobContent& content_;
  const BlobOpening& opening_;
  const Thinned& thinned_;
  JsonStream& json_;
};

std::string plain_bytes(const TimelineSource& source, const BlobContent& content, const BlobOpening& opening,
                        const Thinned& thinned) {
  const Ordinals ordinals(source, content);
  UsedNames names(content);
  Columns columns;
  for (std::string& column : columns) column.reserve(static_cast<std::size_t>(content.count()) * 2);
  for (const BlobRow& row : content.rows) write_row(content, row, ordinals, names, columns);
  std::string bytes(4, '\0');
  ChunkedOutput output([&](std::string_view piece) {
    bytes += piece;
    return true;
  });
  JsonStream json(output);
  HeaderWriter(source, content, opening, thinned, json).write(ordinals, names, columns);
  output.flush();
  const std::size_t header = bytes.size() - 4;
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<char>(header >> (8 * i));
  for (const std::string& column : columns) bytes += column;
  return bytes;
}

std::string deflated(std::string_view bytes) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string out(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()), '\0');
  out.resize(libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
  return out;
}

std::string base64_of(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  char* to = out.data();
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t n) {
      return i + n < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[i + n])} : 0u;
    };
    const std::uint32_t three = at(0) << 16 | at(1) << 8 | at(2);
    const std::size_t digits = std::min<std::size_t>(4, bytes.size() - i + 1);
    for (std::size_t d = 0; d < digits; ++d) to[d] = kDigits[three >> (18 - 6 * d) & 63];
    to += 4;
  }
  return out;
}

std::string grouped(std::int64_t count) {
  std::string text = show_bytes(static_cast<Bytes>(count));
  return text.substr(0, text.size() - 2);
}

std::string reason(const Thinned& thinned, std::int64_t all) {
  const std::int64_t total = thinned.total();
  if (total == 0) return {};
  std::size_t whole = 0;
  for (std::size_t i = 0; i + 1 < thinned.by_step.size(); ++i) whole += thinned.by_step[i] == 0;
  return fmt::format(
      "{} of {} events are not shown, to keep the page small: first those far from judged steps and waits; "
      "{} of {} are whole",
      grouped(total), grouped(all), whole, counted(static_cast<std::int64_t>(thinned.by_step.size()) - 1, "step"));
}

}  // namespace

TimelineBlob make_timeline_blob(const TimelineSource& source, Bytes at_most) {
  constexpr int kMostTries = 6;
  BlobContent content = collect_blob(source);
  const std::int64_t all = content.count();
  TimelineBlob blob;
  if (all == 0) return blob;
  const BlobOpening opening = find_opening(source);
  Thinned thinned{std::vector<std::int64_t>(source.steps->steps.size() + 1, 0)};
  const auto encoded = [&](const BlobContent& of) {
    return base64_of(deflated(plain_bytes(source, of, opening, thinned)));
  };
  const auto leave = [&](std::int64_t most) {
    const auto gone = thin_out(source, opening, most, content);
    for (std::size_t i = 0; i < gone.size(); ++i) thinned.by_step[i] += gone[i];
  };
  const auto limit = static_cast<std::int64_t>(std::min<Bytes>(at_most, std::numeric_limits<std::int32_t>::max()));
  leave(std::max(kFewSlices, limit / kFewestBytes));
  blob.base64 = encoded(content);
  if (static_cast<std::int64_t>(blob.base64.size()) > limit) {
    const BlobContent always = always_kept(content);
    const std::int64_t least = always.count();
    const auto least_size = static_cast<double>(encoded(always).size());
    for (int n = 1; n<kMostTries&& static_cast<std::int64_t>(blob.base64.size())> limit; ++n) {
      const double room = 0.97 * static_cast<double>(limit) - least_size;
      const double part = n + 1 < kMostTries ? room / (static_cast<double>(blob.base64.size()) - least_size) : 0;
      const auto others = static_cast<double>(content.count() - least);
      leave(least + static_cast<std::int64_t>(others * std::clamp(part, 0.0, 1.0)));
      blob.base64 = encoded(content);
      if (content.count() == least) break;
    }
  }
  blob.slices = content.count();
  blob.left_out = thinned.total();
  blob.why = reason(thinned, all);
  return blob;
}

}  // namespace zerostall
