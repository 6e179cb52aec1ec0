#include "profiler/fleet/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "profiler/base/files.h"
#include "profiler/fleet/binary.h"
#include "profiler/fleet/summary_fields.h"
#include "profiler/trace/read_trace.h"
#include "reports/stat_json.h"
#include "reports/stat_text.h"
#include "tests/trace/trace_builder.h"

namespace zerostall::fleet {
namespace {

using ::testing::HasSubstr;

// Gives every field of a value, and of all that it is made of, another content than that of a new one.
class Filler {
 public:
  template <class T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>)
      value = !value;
    else if constexpr (std::is_enum_v<T>)
      value = static_cast<T>(1);
    else if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(++next_ % 2 == 0 ? next_ * 1000 : -next_);
    else
      visit_fields(value, [this](auto&... fields) { (fill(fields), ...); });
  }
  void fill(std::string& text) { text = "text \"\n\x01 " + std::to_string(++next_); }
  template <class T>
  void fill(std::optional<T>& value) {
    fill(value.emplace());
  }
  template <class T, std::size_t N>
  void fill(std::array<T, N>& values) {
    for (T& value : values) fill(value);
  }
  template <class T>
  void fill(std::vector<T>& values) {
    values.resize(2);
    for (T& value : values) fill(value);
  }
  template <class K, class V>
  void fill(std::map<K, V>& values) {
    for (int i = 0; i < 2; ++i) {
      K key{};
      fill(key);
      fill(values[key]);
    }
  }

 private:
  std::int64_t next_ = 0;
};

// Field by field, through everything.
struct Equal {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>) {
      return a == b;
    } else {
      bool equal = true;
      visit_fields(a, [&](const auto&... of_a) {
        visit_fields(b, [&](const auto&... of_b) { equal = ((*this)(of_a, of_b) && ...); });
      });
      return equal;
    }
  }
  template <class T>
  bool operator()(const std::optional<T>& a, const std::optional<T>& b) const {
    return a.has_value() == b.has_value() && (!a || (*this)(*a, *b));
  }
  template <class T>
  bool operator()(const std::vector<T>& a, const std::vector<T>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), *this);
  }
  template <class T, std::size_t N>
  bool operator()(const std::array<T, N>& a, const std::array<T, N>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), *this);
  }
  template <class K, class V>
  bool operator()(const std::map<K, V>& a, const std::map<K, V>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [this](const auto& x, const auto& y) {
      return x.first == y.first && (*this)(x.second, y.second);
    });
  }
};

Findings full_findings() {
  Findings findings;
  NamedSummary& run = findings.files.emplace_back().runs.emplace_back();
  findings.failure = "none";
  findings.files[0].file = std::numeric_limits<std::uint64_t>::max();
  findings.files[0].unreadable = {{"rank3.zstall", "is empty"}};
  run.name = "rank0.zstall";
  Filler().fill(run.summary);
  return findings;
}

TEST(Messages, CarryEveryFieldOfASummary) {
  const Findings sent = full_findings();
  const auto got = decode_findings(encode(sent));
  ASSERT_TRUE(got);
  EXPECT_TRUE(Equal{}(sent.files[0].runs[0].summary, got->files[0].runs[0].summary));
  EXPECT_FALSE(Equal{}(RunSummary{}, got->files[0].runs[0].summary));
  EXPECT_EQ(got->failure, "none");
  EXPECT_EQ(got->files[0].file, sent.files[0].file);
  EXPECT_EQ(got->files[0].runs[0].name, "rank0.zstall");
  EXPECT_EQ(got->files[0].unreadable[0].why, "is empty");
  EXPECT_EQ(encode(*got), encode(sent));
}

// The other side of it: reports print the same of what came as of what was sent.
TEST(Messages, OfARealSummaryGiveTheSameReports) {
  zerostall::testing::TraceBuilder t;
  for (int n = 0; n < 6; ++n)
    t.step(n, [&] {
      t.at("train.py", "step", 7).range("forward", [&] { t.launch(); });
      t.item();
      t.upload(4096);
    });
  const auto folder = TempFolder::make();
  t.write(folder->path() / "t.zstall");
  auto traces = read_trace(folder->path() / "t.zstall");
  ASSERT_TRUE(traces);
  const RunSummary run = analyze(std::move(traces->front()), {.path = "t.zstall"});
  Findings sent;
  sent.files.push_back({0, {{"t", run}}, {}});
  const auto got = decode_findings(encode(sent));
  ASSERT_TRUE(got);
  const RunSummary& same = got->files[0].runs[0].summary;
  EXPECT_EQ(render_stat_json(same, {}, {}, true), render_stat_json(run, {}, {}, true));
  EXPECT_EQ(render_stat_text(same, {}), render_stat_text(run, {}));
}

TEST(Messages, ThatAreNotWholeAreRefusedWhereverTheyEnd) {
  const std::string whole = encode(full_findings());
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 7)
    EXPECT_FALSE(decode_findings(whole.substr(0, size))) << size;
  EXPECT_FALSE(decode_findings(whole + "x"));
  EXPECT_THAT(decode_findings(whole.substr(0, whole.size() / 2)).error().message, HasSubstr("not whole"));
}

TEST(Messages, OfAnotherBuildAreRefused) {
  std::string other = encode(Presence{"here", 1, {}});
  other[3] = static_cast<char>(other[3] ^ 1);
  EXPECT_THAT(decode_presence(other).error().message, HasSubstr("another build"));
}

// A size that is not true must neither crash nor take all memory.
TEST(Messages, WithAnyByteChangedNeverCrash) {
  const std::string whole = encode(full_findings());
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    std::string changed = whole;
    changed[at] = static_cast<char>(0xff);
    if (const auto got = decode_findings(changed)) {
      EXPECT_LE(encode(*got).size(), 2 * whole.size());
    }
  }
}

TEST(Messages, NumbersOfAnySizeComeBack) {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{63}, std::int64_t{-64},
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    std::string bytes;
    Writer(bytes).write(value);
    std::int64_t back = 7;
    Reader reader(bytes);
    reader.read(back);
    EXPECT_EQ(back, value);
    EXPECT_TRUE(reader.ok() && reader.at_end());
  }
}

}  // namespace
}  // namespace zerostall::fleet
