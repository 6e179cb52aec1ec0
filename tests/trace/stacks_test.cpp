#include "profiler/trace/stacks.h"

#include <gtest/gtest.h>

#include <cstring>

namespace zerostall {
namespace {

std::string bytes(std::initializer_list<unsigned> values) {
  std::string out;
  for (const unsigned value : values) out += static_cast<char>(value);
  return out;
}

TEST(Stacks, ReadsAStack) {
  const auto stack = parse_stack(bytes({1, 2, 2, 1, 0x80, 0x01, 0, 0, 1, 7, 8, 0xac, 0x02}));
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack->python_frames, PythonFrames::known);
  EXPECT_FALSE(stack->native_cut);
  EXPECT_TRUE(stack->python_cut);
  ASSERT_EQ(stack->native.size(), 2u);
  EXPECT_EQ(stack->native[0].module, 1u);
  EXPECT_EQ(stack->native[0].offset, 128u);
  EXPECT_EQ(stack->native[1].module, 0u);
  ASSERT_EQ(stack->python.size(), 1u);
  EXPECT_EQ(stack->python[0].file, 7u);
  EXPECT_EQ(stack->python[0].function, 8u);
  EXPECT_EQ(stack->python[0].line, 300u);
}

TEST(Stacks, ReadsAModule) {
  const auto module = parse_module(bytes({2, 'a', 'b', 3, 'c', '0', 'd'}));
  ASSERT_TRUE(module);
  EXPECT_EQ(module->path, "ab");
  EXPECT_EQ(module->build_id, "c0d");
}

TEST(Stacks, DamagedPayloadsAreNothing) {
  const auto good = bytes({1, 2, 2, 1, 0x80, 0x01, 0, 0, 1, 7, 8, 0xac, 0x02});
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(parse_stack(good.substr(0, size))) << size;
  EXPECT_FALSE(parse_stack(bytes({3, 0, 0, 0})));                                      // no such state
  EXPECT_FALSE(parse_stack(bytes({1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0})));           // more frames than bytes
  EXPECT_FALSE(parse_stack(bytes({1, 0, 0, 0, 0})));                                   // bytes left over
  EXPECT_FALSE(parse_stack(bytes({1, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 1})));  // an id of more than 32 bits
  EXPECT_FALSE(parse_module(bytes({9, 'a'})));
  EXPECT_FALSE(parse_module(bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})));
  EXPECT_FALSE(parse_module({}));
}

TEST(Stacks, AnyBytesAreReadWithoutHarm) {
  std::uint32_t random = 1;
  for (int turn = 0; turn < 50'000; ++turn) {
    std::string payload(32, '\0');
    for (char& byte : payload) byte = static_cast<char>((random = random * 1'664'525 + 1'013'904'223) >> 27);
    const auto size = random % 33;
    if (const auto stack = parse_stack(payload.substr(0, size))) {
      EXPECT_LE(stack->native.size() * 2 + stack->python.size() * 3, size);
    }
    parse_module(payload.substr(0, size));
  }
}

}  // namespace
}  // namespace zerostall
