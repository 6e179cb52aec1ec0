#include "reports/json_stream.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace zerostall {
namespace {

struct Written {
  std::string text;
  std::size_t pieces = 0;
  ChunkedOutput output{[this](std::string_view piece) {
    text += piece;
    ++pieces;
    return true;
  }};
};

TEST(JsonStream, WritesWhatAParserReads) {
  Written written;
  JsonStream json(written.output);
  json.begin_object();
  json.key("empty").begin_array();
  json.end_array();
  json.key("numbers").begin_array();
  json.value(std::numeric_limits<std::int64_t>::min());
  json.value(std::numeric_limits<std::uint64_t>::max());
  json.value(std::int8_t{-7});
  json.end_line();
  json.value(std::optional<int>());
  json.end_array();
  json.key("truth").value(true);
  json.key("text").value(std::string("a\"b"));
  json.key("none").text_or_null("");
  json.key("nested").begin_object();
  json.end_line();
  json.end_object();
  json.end_object();
  written.output.flush();
  EXPECT_EQ(nlohmann::json::parse(written.text), nlohmann::json::parse(R"({"empty": [], "numbers":
    [-9223372036854775808, 18446744073709551615, -7, null], "truth": true, "text": "a\"b", "none": null, "nested": {}})"));
}

TEST(JsonStream, WritesMicrosecondsExactly) {
  for (const auto& [ns, text] : {std::pair<Nanos, std::string>(1'234'567, "1234.567"),
                                 {0, "0.000"},
                                 {5, "0.005"},
                                 {-1'500, "-1.500"},
                                 {std::numeric_limits<Nanos>::min(), "-9223372036854775.808"}}) {
    Written written;
    JsonStream(written.output).micros(ns);
    written.output.flush();
    EXPECT_EQ(written.text, text);
  }
}

TEST(JsonStream, HandsOnInLargePieces) {
  Written written;
  JsonStream json(written.output);
  json.begin_array();
  for (int i = 0; i < 200'000; ++i) {
    json.value(i);
    json.end_line();
  }
  json.end_array();
  written.output.flush();
  EXPECT_EQ(nlohmann::json::parse(written.text).size(), 200'000u);
  EXPECT_GT(written.pieces, 2u);
  EXPECT_LT(written.pieces, 20u);
}

TEST(ChunkedOutput, AsksNoMoreAfterAFailure) {
  int asked = 0;
  ChunkedOutput output([&](std::string_view) {
    ++asked;
    return false;
  });
  for (int i = 0; i < 3; ++i) {
    output.text() += "x";
    output.flush();
  }
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(output.failed());
}

}  // namespace
}  // namespace zerostall
