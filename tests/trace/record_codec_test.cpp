// What goes in comes out, for every field and its extremes.
#include "profiler/trace/record_codec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace zerostall::format {
namespace {

// Extremes and small numbers alike, so that flags, sticky fields and long differences all occur.
template <class T>
T some(std::mt19937_64& random) {
  switch (random() % 5) {
    case 0:
      return std::numeric_limits<T>::max();
    case 1:
      return std::numeric_limits<T>::min();
    case 2:
      return static_cast<T>(random());
    default:
      return static_cast<T>(random() % 3);
  }
}

void fill(CallRecord& r, std::mt19937_64& random) {
  r = {some<std::int64_t>(random),      some<std::int64_t>(random),  some<std::uint64_t>(random),
       some<std::uint64_t>(random),     some<std::uint64_t>(random), 0,
       some<std::uint32_t>(random),     some<std::int32_t>(random),  some<std::uint32_t>(random),
       some<std::uint32_t>(random) / 4, some<std::uint32_t>(random), static_cast<std::uint8_t>(random() % 4),
       some<std::uint8_t>(random),      some<std::uint8_t>(random)};
}
void fill(GpuRecord& r, std::mt19937_64& random) {
  r = {some<std::int64_t>(random),
       some<std::int64_t>(random),
       some<std::uint64_t>(random),
       some<std::uint64_t>(random),
       some<std::uint32_t>(random),
       some<std::uint32_t>(random),
       some<std::uint32_t>(random),
       some<std::uint32_t>(random),
       some<std::uint32_t>(random),
       some<std::uint32_t>(random),
       GpuKind::graph,
       some<std::uint8_t>(random),
       some<std::uint8_t>(random),
       some<std::uint8_t>(random),
       some<std::uint8_t>(random)};
}
void fill(MarkRecord& r, std::mt19937_64& random) {
  r = {some<std::int64_t>(random),  some<std::uint64_t>(random), 0,
       some<std::uint32_t>(random), some<std::uint32_t>(random), MarkKind::end};
}
void fill(NoteRecord& r, std::mt19937_64& random) {
  r = {some<std::int64_t>(random), some<std::uint64_t>(random), 0, some<std::uint32_t>(random), NoteKind::tool_problem};
}
void fill(OverheadRecord& r, std::mt19937_64& random) {
  r = {some<std::int64_t>(random), some<std::int64_t>(random), some<std::uint32_t>(random), some<std::uint32_t>(random),
       some<std::uint32_t>(random)};
}

template <class Record>
class RecordCodec : public ::testing::Test {};
using Records = ::testing::Types<CallRecord, GpuRecord, MarkRecord, NoteRecord, OverheadRecord>;
TYPED_TEST_SUITE(RecordCodec, Records);

TYPED_TEST(RecordCodec, GivesBackEveryField) {
  std::mt19937_64 random(7);
  constexpr std::size_t kRecords = 20'000;
  std::vector<TypeParam> written(kRecords);
  std::vector<std::uint8_t> bytes(kRecords * kMostRecordBytes);
  Encoder out(bytes.data());
  CodecState state;
  for (TypeParam& record : written) {
    std::memset(static_cast<void*>(&record), 0, sizeof record);  // padding is compared below
    fill(record, random);
    const std::uint8_t* before = out.at();
    encode(out, record, state);
    ASSERT_LE(static_cast<std::size_t>(out.at() - before), kMostRecordBytes);
  }
  Decoder in(bytes.data(), out.at());
  state = {};
  for (const TypeParam& expected : written) {
    ASSERT_EQ(in.number(), static_cast<std::uint64_t>(kind_of(expected)));
    TypeParam record;
    transfer(in, record, state);
    ASSERT_TRUE(in.ok());
    std::uint8_t a[2 * kMostRecordBytes], b[2 * kMostRecordBytes];
    Encoder first(a), second(b);
    CodecState none, same;
    encode(first, expected, none);
    encode(second, record, same);
    ASSERT_EQ(first.at() - a, second.at() - b);
    ASSERT_EQ(std::memcmp(a, b, static_cast<std::size_t>(first.at() - a)), 0);
  }
  EXPECT_TRUE(in.at_end());
}

// Cut anywhere, the decoder says so and gives no number from behind the end.
TEST(RecordCodecDecoder, SaysWhereRecordsEnd) {
  std::uint8_t bytes[kMostRecordBytes];
  Encoder out(bytes);
  CodecState state;
  encode(out, CallRecord{.begin_ns = 5, .end_ns = 1 << 20, .stream = 7, .bytes = 1 << 30, .correlation = 9}, state);
  for (const std::uint8_t* end = bytes; end < out.at(); ++end) {
    Decoder in(bytes, end);
    CodecState fresh;
    CallRecord record;
    in.number();
    transfer(in, record, fresh);
    EXPECT_FALSE(in.ok()) << end - bytes;
  }
}

TEST(RecordCodecDecoder, RefusesNumbersThatDoNotFit) {
  const std::uint8_t eleven[11] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
  Decoder endless(eleven, eleven + 11);
  endless.number();
  EXPECT_FALSE(endless.ok());
  const std::uint8_t large[2] = {0x80, 0x02};
  Decoder narrow(large, large + 2);
  std::uint8_t field = 0;
  plain(narrow, field);
  EXPECT_FALSE(narrow.ok());
}

// The usual launch: what a trace of a training step consists of.
TEST(RecordCodecDecoder, IsShortForWhatRepeats) {
  std::uint8_t bytes[kMostRecordBytes];
  CodecState state;
  CallRecord call{.begin_ns = 1'000'000,
                  .end_ns = 1'003'000,
                  .stream = 0x7f00dead,
                  .correlation = 1,
                  .context = 1,
                  .callback_id = 211,
                  .domain = 2};
  Encoder first(bytes);
  encode(first, call, state);
  call = {.begin_ns = 1'008'000,
          .end_ns = 1'011'000,
          .stream = 0x7f00dead,
          .correlation = 3,
          .context = 1,
          .callback_id = 211,
          .domain = 2};
  Encoder second(bytes);
  encode(second, call, state);
  EXPECT_LE(second.at() - bytes, 10);
}

}  // namespace
}  // namespace zerostall::format
