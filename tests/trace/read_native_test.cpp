#include "profiler/trace/read_native.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "profiler/base/files.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using ::testing::HasSubstr;
using zerostall::testing::chunk;
using zerostall::testing::file_header;
using zerostall::testing::TraceBuilder;

Result<RawTrace> parse(const std::string& file) { return parse_native(std::as_bytes(std::span(file)), "t.zstall"); }

TraceBuilder three_steps() {
  TraceBuilder t;
  for (int n = 0; n < 3; ++n) t.step(n, [&] { t.launch(), t.item(); });
  return t;
}

TEST(ReadNative, ReadsWhatWasWritten) {
  TraceBuilder t = three_steps();
  t.note(format::NoteKind::lost_records, "buffer full", 7);
  const auto raw = parse(t.bytes());
  ASSERT_TRUE(raw);
  EXPECT_FALSE(raw->truncated);
  EXPECT_TRUE(raw->oddities.empty());
  EXPECT_EQ(raw->meta.tool, "test");
  EXPECT_EQ(raw->meta.clock, Clock::modelled);
  EXPECT_EQ(raw->meta.device_name, "simulated H200");
  ASSERT_EQ(raw->calls.size(), 9u);
  EXPECT_EQ(raw->strings.text(raw->calls[0].name), "cudaLaunchKernel_v7000");
  EXPECT_EQ(raw->calls[1].direction, CopyDirection::device_to_host);
  ASSERT_EQ(raw->gpu_ops.size(), 6u);
  EXPECT_EQ(raw->gpu_ops[1].target, MemoryKind::pinned);
  ASSERT_EQ(raw->marks.size(), 6u);
  EXPECT_EQ(raw->strings.text(raw->marks[0].text), "step 0");
  EXPECT_EQ(raw->strings.text(raw->marks[0].domain), "zerostall");
  ASSERT_EQ(raw->notes.size(), 1u);
  EXPECT_EQ(raw->notes[0].value, 7u);
}

TEST(ReadNative, MakesOneLineErrorsOfWhatIsNoTrace) {
  EXPECT_THAT(parse("").error().message, HasSubstr("is empty"));
  EXPECT_THAT(parse("{\"traceEvents\": []}").error().message, HasSubstr("not a zerostall trace"));
  EXPECT_THAT(parse("ZS").error().message, HasSubstr("cut off inside its first 32 bytes"));
  std::string newer = file_header();
  newer[8] = 9;
  EXPECT_THAT(parse(newer).error().message, HasSubstr("version 9, this program reads version 1"));
  std::string damaged = file_header();
  damaged[12] = 4;
  EXPECT_THAT(parse(damaged).error().message, HasSubstr("damaged header"));
  EXPECT_FALSE(read_native("/no/such/file.zstall"));
}

TEST(ReadNative, ReadsACutFileUpToItsLastWholeChunk) {
  const std::string whole = three_steps().bytes();
  std::size_t most_calls = 0;
  for (std::size_t size = sizeof(format::FileHeader); size < whole.size(); ++size) {
    const auto raw = parse(whole.substr(0, size));
    ASSERT_TRUE(raw) << size;
    EXPECT_TRUE(raw->truncated) << size;
    EXPECT_EQ(describe(raw->end), "cut off at byte " + std::to_string(size));
    EXPECT_TRUE(raw->calls.empty() || raw->calls.size() == 9) << size;
    most_calls = std::max(most_calls, raw->calls.size());
  }
  EXPECT_EQ(most_calls, 9u);
}

TEST(ReadNative, StopsAtAWrongChecksum) {
  std::string file = three_steps().bytes();
  const std::size_t calls = file.find("ZCHK", file.find("ZCHK") + 4) + sizeof(format::ChunkHeader);
  file[calls + 3] = static_cast<char>(file[calls + 3] ^ 1);
  const auto raw = parse(file);
  ASSERT_TRUE(raw);
  EXPECT_TRUE(raw->truncated);
  EXPECT_TRUE(raw->calls.empty());
  EXPECT_EQ(raw->oddities.at("checksum_errors"), 1);
  const std::size_t chunk_at = calls - sizeof(format::ChunkHeader);
  EXPECT_EQ(describe(raw->end), "damaged at byte " + std::to_string(chunk_at) + " (checksum)");
}

// Any damaged byte ends in a trace or an error, never in a crash or a huge allocation.
TEST(ReadNative, SurvivesEveryFlippedByte) {
  const std::string whole = three_steps().bytes();
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const int bits : {0x01, 0x80, 0xff}) {
      std::string file = whole;
      file[i] = static_cast<char>(file[i] ^ bits);
      auto raw = parse(file);
      if (raw) build_trace(std::move(*raw));
    }
}

TEST(ReadNative, RefusesAbsurdLengths) {
  format::ChunkHeader header{format::kChunkMagic, format::ChunkKind::calls, 72, 0xfffffff0u, 0};
  std::string file = file_header() + std::string(reinterpret_cast<const char*>(&header), sizeof header) + "short";
  EXPECT_TRUE(parse(file)->truncated);
  // Records shorter than any writer's would make millions of them out of a small file.
  file = file_header() + chunk(format::ChunkKind::calls, 1, std::string(1000, 'x'));
  EXPECT_TRUE(parse(file)->truncated);
  EXPECT_TRUE(parse(file)->calls.empty());
  file = file_header() + chunk(format::ChunkKind::strings, 0, std::string("\x01\0\0\0\xff\xff\xff\xff", 8));
  EXPECT_TRUE(parse(file)->truncated);
}

TEST(ReadNative, ReadsLongerRecordsOfNewerWritersAndSkipsUnknownChunks) {
  format::MarkRecord mark{};
  mark.time_ns = 5;
  mark.kind = format::MarkKind::instant;
  const std::string record(reinterpret_cast<const char*>(&mark), sizeof mark);
  const std::string longer = record + std::string(8, '\x7f');
  const auto raw =
      parse(file_header() + chunk(static_cast<format::ChunkKind>(99), 4, "new!") +
            chunk(format::ChunkKind::marks, sizeof mark + 8, longer + longer) + chunk(format::ChunkKind::end, 0, ""));
  ASSERT_TRUE(raw);
  EXPECT_FALSE(raw->truncated);
  EXPECT_EQ(raw->marks.size(), 2u);
  EXPECT_EQ(raw->marks[1].time_ns, 5);
  EXPECT_EQ(raw->oddities.at("unknown_chunks"), 1);
}

TEST(ReadNative, LetsLaterMetaReplaceEarlier) {
  const auto raw =
      parse(file_header() + chunk(format::ChunkKind::meta, 0, R"({"tool": "a", "clock": "modelled"})") +
            chunk(format::ChunkKind::meta, 0, R"({"tool": "b", "version": "2", "device": {"name": "X"}})") +
            chunk(format::ChunkKind::meta, 0, "not json") + chunk(format::ChunkKind::end, 0, ""));
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->meta.tool, "b 2");
  EXPECT_EQ(raw->meta.clock, Clock::modelled);
  EXPECT_EQ(raw->meta.device_name, "X");
  EXPECT_EQ(raw->oddities.at("unreadable_meta"), 1);
}

TEST(ReadNative, NamesWhatLostItsString) {
  format::CallRecord call{};
  call.name = 42;
  const auto raw = parse(file_header() + chunk(format::ChunkKind::calls, sizeof call,
                                               {reinterpret_cast<const char*>(&call), sizeof call}));
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->strings.text(raw->calls.at(0).name), "(name lost)");
  EXPECT_EQ(raw->oddities.at("missing_strings"), 1);
}

TEST(ReadNative, SaysWhereAndHowAFileIsDamaged) {
  const auto end_of = [](const std::string& rest) { return describe(parse(file_header() + rest)->end); };
  EXPECT_EQ(end_of(""), "cut off at byte 32");
  EXPECT_EQ(end_of(std::string(16, 'x')), "damaged at byte 32 (chunk header)");
  EXPECT_EQ(end_of(chunk(format::ChunkKind::calls, 1, std::string(10, 'x'))), "damaged at byte 32 (chunk contents)");
  EXPECT_EQ(describe(TraceEnd{}), "cut off");
  std::string file = three_steps().bytes();
  file[32 + 8 + 3] = '\x40';  // the first chunk claims a gigabyte, yet the file ends as it was written
  EXPECT_EQ(describe(parse(file)->end), "damaged at byte 32 (chunk length)");
}

TEST(ReadNative, CountsBytesBehindTheEnd) {
  const auto raw = parse(three_steps().bytes() + "more");
  ASSERT_TRUE(raw);
  EXPECT_FALSE(raw->truncated);
  EXPECT_EQ(raw->calls.size(), 9u);
  EXPECT_EQ(raw->oddities.at("bytes_after_end"), 4);
}

}  // namespace
}  // namespace zerostall
