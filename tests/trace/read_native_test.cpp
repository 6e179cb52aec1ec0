#include "profiler/trace/read_native.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "profiler/base/files.h"
#include "tests/faults/fault_count.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using ::testing::HasSubstr;
using zerostall::testing::file_header;
using zerostall::testing::file_of;
using zerostall::testing::kFileHeaderBytes;
using zerostall::testing::SegmentBuilder;
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
  EXPECT_THAT(parse("ZS").error().message, HasSubstr("cut off inside its first 88 bytes"));
  std::string newer = file_header();
  newer[8] = 9;
  EXPECT_THAT(parse(newer).error().message, HasSubstr("version 9, this program reads version 2"));
  std::string damaged = file_header();
  damaged[12] = 4;
  EXPECT_THAT(parse(damaged).error().message, HasSubstr("damaged header"));
  EXPECT_FALSE(read_native("/no/such/file.zstall"));
}

// Each byte more gives as many records or more, and never another one.
TEST(ReadNative, ReadsACutFileUpToItsLastWholeRecord) {
  const std::string whole = three_steps().bytes();
  std::size_t calls = 0;
  testing::FaultCount faults("file_cut_inside");
  for (std::size_t size = kFileHeaderBytes; size < whole.size(); ++size) {
    faults.next();
    const auto raw = parse(whole.substr(0, size));
    ASSERT_TRUE(raw) << size;
    EXPECT_TRUE(raw->truncated) << size;
    EXPECT_THAT(describe(raw->end), ::testing::AnyOf("cut off at byte " + std::to_string(size), HasSubstr("(record)")));
    EXPECT_GE(raw->calls.size(), calls) << size;
    calls = raw->calls.size();
  }
  EXPECT_EQ(calls, 8u);  // all but the one whose last byte is missing
}

// What a segment says of itself may be older than its last record, never newer.
TEST(ReadNative, ReadsWhatAKilledProcessLeft) {
  TraceBuilder t = three_steps();
  t.closed = false;
  const auto raw = parse(t.bytes() + std::string(8192, '\0'));  // with space that was reserved for more
  ASSERT_TRUE(raw);
  EXPECT_TRUE(raw->truncated);
  EXPECT_EQ(raw->calls.size(), 9u);
  EXPECT_EQ(raw->marks.size(), 6u);
  EXPECT_THAT(describe(raw->end), HasSubstr("its process was killed"));
}

// Its thread was at work while the process ended.
TEST(ReadNative, ReadsWhatWasAddedAfterASegmentWasSealed) {
  SegmentBuilder segment(1, 1);
  segment.add(format::MarkRecord{.time_ns = 1, .kind = format::MarkKind::instant});
  const auto sealed_bytes = static_cast<std::uint32_t>(segment.bytes.size());
  segment.add(format::MarkRecord{.time_ns = 2, .kind = format::MarkKind::instant});
  std::string file = file_of({segment});
  format::SegmentHeader header;
  std::memcpy(&header, file.data() + kFileHeaderBytes, sizeof header);
  header.sealed_bytes = sealed_bytes;
  header.crc32 = format::crc32(segment.bytes.data(), sealed_bytes);
  std::memcpy(file.data() + kFileHeaderBytes, &header, sizeof header);
  const auto raw = parse(file);
  ASSERT_TRUE(raw);
  EXPECT_FALSE(raw->truncated);
  EXPECT_EQ(raw->marks.size(), 2u);
}

TEST(ReadNative, LeavesOutASegmentWithAWrongChecksum) {
  const SegmentBuilder bad =
      SegmentBuilder(1, 1).add(format::MarkRecord{.time_ns = 1, .kind = format::MarkKind::instant});
  const SegmentBuilder good =
      SegmentBuilder(2, 2).add(format::MarkRecord{.time_ns = 2, .kind = format::MarkKind::instant});
  std::string file = file_of({bad, good});
  file[kFileHeaderBytes + sizeof(format::SegmentHeader) + 2] ^= 1;
  const auto raw = parse(file);
  ASSERT_TRUE(raw);
  EXPECT_TRUE(raw->truncated);
  ASSERT_EQ(raw->marks.size(), 1u);
  EXPECT_EQ(raw->marks[0].thread, 2u);
  EXPECT_EQ(raw->oddities.at("checksum_errors"), 1);
  EXPECT_EQ(describe(raw->end), "damaged at byte 128 (checksum)");
}

// Any damaged byte ends in a trace or an error, never in a crash or a huge allocation.
TEST(ReadNative, SurvivesEveryFlippedByte) {
  TraceBuilder t = three_steps();
  t.note(format::NoteKind::lost_records, "buffer full", 7);
  testing::FaultCount faults("file_flipped_inside");
  for (const bool closed : {true, false}) {
    t.closed = closed;
    const std::string whole = t.bytes();
    for (std::size_t i = 0; i < whole.size(); ++i)
      for (const int bits : {0x01, 0x80, 0xff}) {
        faults.next();
        std::string file = whole;
        file[i] = static_cast<char>(file[i] ^ bits);
        auto raw = parse(file);
        if (raw) build_trace(std::move(*raw));
      }
  }
}

TEST(ReadNative, RefusesAbsurdLengths) {
  SegmentBuilder segment;
  segment.bytes = std::string("\x05\x02\x01\xff\xff\xff\xff\x0f", 8);  // a string of four gigabytes
  EXPECT_TRUE(parse(file_of({segment}))->truncated);
  std::string file = file_of({SegmentBuilder()});
  format::SegmentHeader header;
  std::memcpy(&header, file.data() + kFileHeaderBytes, sizeof header);
  header.committed_bytes = header.sealed_bytes = 0xfffffff0u;
  std::memcpy(file.data() + kFileHeaderBytes, &header, sizeof header);
  EXPECT_EQ(describe(parse(file)->end), "damaged at byte 128 (segment header)");
}

TEST(ReadNative, SkipsDefinitionsOfNewerWriters) {
  const auto raw = parse(file_of({SegmentBuilder()
                                      .define(static_cast<format::DefinitionKind>(99), 1, "new!")
                                      .add(format::MarkRecord{.time_ns = 5, .kind = format::MarkKind::instant})}));
  ASSERT_TRUE(raw);
  EXPECT_FALSE(raw->truncated);
  ASSERT_EQ(raw->marks.size(), 1u);
  EXPECT_EQ(raw->marks[0].time_ns, 5);
  EXPECT_EQ(raw->oddities.at("unknown_definitions"), 1);
}

TEST(ReadNative, LetsLaterMetaReplaceEarlier) {
  using format::DefinitionKind;
  const auto raw =
      parse(file_of({SegmentBuilder()
                         .define(DefinitionKind::meta, 0, R"({"tool": "a", "clock": "modelled"})")
                         .define(DefinitionKind::meta, 0, R"({"tool": "b", "version": "2", "device": {"name": "X"}})")
                         .define(DefinitionKind::meta, 0, "not json")}));
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->meta.tool, "b 2");
  EXPECT_EQ(raw->meta.clock, Clock::modelled);
  EXPECT_EQ(raw->meta.device_name, "X");
  EXPECT_EQ(raw->oddities.at("unreadable_meta"), 1);
}

// Segments are read thread by thread: what the tracer told last may stand before what it told first.
TEST(ReadNative, TakesTheLargestOfTheCostsThatATracerTold) {
  const auto cost = [](int samples) {
    return R"({"own_cost": {"launch": {"samples": )" + std::to_string(samples) + R"(, "ns": 900}}})";
  };
  using format::DefinitionKind;
  const auto raw = parse(file_of({SegmentBuilder(1, 0).define(DefinitionKind::meta, 0, cost(500)),
                                  SegmentBuilder(2, 1).define(DefinitionKind::meta, 0, cost(3))}));
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->meta.own_cost.at("launch").samples, 500);
}

TEST(ReadNative, SurvivesMetaThatIsNestedWithoutEnd) {
  const std::size_t depth = 500'000;
  const std::string deep = R"({"device": )" + std::string(depth, '[') + std::string(depth, ']') + "}";
  const auto raw = parse(file_of({SegmentBuilder().define(format::DefinitionKind::meta, 0, deep)}));
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->oddities.at("unreadable_meta"), 1);
}

TEST(ReadNative, AddsUpCountsThatAreDamaged) {
  std::string file = file_of({SegmentBuilder()});
  format::FileHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  header.lost_calls = header.lost_marks = header.lost_gpu_ops = header.late_calls = ~std::uint64_t{0} >> 1;
  std::memcpy(file.data(), &header, sizeof header);
  auto raw = parse(file);
  ASSERT_TRUE(raw);
  EXPECT_TRUE(raw->truncated);
  EXPECT_GT(build_trace(std::move(*raw)).lost_records, 0);
}

TEST(ReadNative, NamesWhatLostItsString) {
  const auto raw = parse(file_of({SegmentBuilder().add(format::CallRecord{.callback_id = 42, .domain = 2})}));
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->strings.text(raw->calls.at(0).name), "(name lost)");
  EXPECT_EQ(raw->oddities.at("missing_strings"), 1);
}

TEST(ReadNative, SaysWhereAndHowAFileIsDamaged) {
  const auto end_of = [](const std::string& rest) { return describe(parse(file_header(9999) + rest)->end); };
  EXPECT_EQ(end_of(""), "cut off at byte 128");
  EXPECT_EQ(end_of(std::string(64, 'x')), "damaged at byte 128 (segment header)");
  SegmentBuilder nonsense;
  nonsense.bytes = "\x70";
  EXPECT_EQ(end_of(nonsense.at(128)), "damaged at byte 128 (record)");
  EXPECT_EQ(end_of(nonsense.at(64)), "damaged at byte 128 (segment header)");  // moved from elsewhere
  EXPECT_EQ(describe(TraceEnd{}), "cut off");
}

// A module and a stack at one line of Python, as the tracer lays them out.
const std::string kModule = std::string(
    "\x06lib.so\x02"
    "ab",
    10);
const std::string kStack = std::string("\x01\x00\x01\x05\x10\x01\x01\x02\x1f", 9);

TEST(ReadNative, ReadsStacksAndWhatTheyName) {
  SegmentBuilder segment;
  format::CallRecord call;
  call.stack = 9;
  segment.add(call)
      .define(format::DefinitionKind::stack, 9, kStack)
      .define(format::DefinitionKind::string, 1, "train.py")
      .define(format::DefinitionKind::string, 2, "step")
      .define(format::DefinitionKind::module, 5, kModule);
  const auto raw = parse(file_of({segment}));
  ASSERT_TRUE(raw);
  ASSERT_EQ(raw->calls.size(), 1u);
  EXPECT_EQ(raw->calls[0].stack, 9u);
  const Stack& stack = raw->stacks.stacks.at(9);
  EXPECT_EQ(raw->stacks.modules.at(stack.native.at(0).module).path, "lib.so");
  EXPECT_EQ(raw->strings.text(stack.python.at(0).file), "train.py");
  EXPECT_EQ(raw->strings.text(stack.python.at(0).function), "step");
  EXPECT_EQ(stack.python.at(0).line, 31u);
  EXPECT_FALSE(raw->oddities.contains("damaged_definitions"));
}

TEST(ReadNative, CountsStacksThatCannotBeRead) {
  SegmentBuilder segment;
  segment.define(format::DefinitionKind::stack, 1, "\x07")
      .define(format::DefinitionKind::module, 2, "")
      .define(format::DefinitionKind::stack, 9, kStack);
  const auto raw = parse(file_of({segment}));
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->oddities.at("damaged_definitions"), 2);
  EXPECT_EQ(raw->oddities.at("missing_strings"), 2);  // those of the sound one
  EXPECT_EQ(raw->strings.text(raw->stacks.stacks.at(9).python.at(0).function), "(name lost)");
}

// Segments lie where there was room; a thread's follow each other by number.
TEST(ReadNative, PutsAThreadsSegmentsInOrder) {
  const auto mark = [](std::int64_t time) {
    return format::MarkRecord{.time_ns = time, .kind = format::MarkKind::instant};
  };
  const auto raw = parse(file_of({SegmentBuilder(7, 3, 1).add(mark(30)), SegmentBuilder(7, 3, 0).add(mark(10))}));
  ASSERT_EQ(raw->marks.size(), 2u);
  EXPECT_EQ(raw->marks[0].time_ns, 10);
  EXPECT_EQ(raw->marks[1].time_ns, 30);
}

TEST(ReadNative, SaysWhyRecordingEnded) {
  std::string file = file_of({SegmentBuilder()});
  format::FileHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  header.stop_reason = format::StopReason::no_space;
  header.lost_calls = 3;
  header.lost_gpu_ops = 4;
  std::memcpy(file.data(), &header, sizeof header);
  const auto raw = parse(file);
  EXPECT_TRUE(raw->truncated);
  EXPECT_EQ(raw->lost_calls, 3);
  EXPECT_EQ(describe(raw->end), "cut off: the disk was full");
  EXPECT_EQ(parse(file)->notes.at(0).value, 4u);
}

}  // namespace
}  // namespace zerostall
