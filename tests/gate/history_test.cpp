#include "profiler/gate/history.h"

#include <gtest/gtest.h>

namespace zerostall {
namespace {

// Commits 0, 1, ... in a row, each the child of the one before; -1 = not measured.
HistorySeries series_of(const std::vector<std::int64_t>& values) {
  HistorySeries series;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0) continue;
    HistoryCommit commit;
    commit.commit = std::to_string(i);
    if (i > 0) commit.parents = {std::to_string(i - 1)};
    commit.values["waits"] = {0, values[i], values[i] * 10};
    series.commits.push_back(commit);
  }
  return series;
}

// "1: 0->2 certain, ..." with the commit, what it rose from and to, and what is known of that.
std::string rises(const HistorySeries& series) {
  std::string text;
  for (const Rise& rise : rises_of(series, "waits"))
    text += (text.empty() ? "" : ", ") + series.commits[rise.before].commit + "-" + series.commits[rise.at].commit +
            ": " + std::to_string(rise.from) + "->" + std::to_string(rise.to) + (rise.certain ? "" : " between") +
            (rise.seen_once ? " once" : "");
  return text;
}

TEST(History, FindsTheCommitAtWhichACountRoseAndStayed) {
  EXPECT_EQ(rises(series_of({})), "");
  EXPECT_EQ(rises(series_of({3})), "");
  EXPECT_EQ(rises(series_of({0, 0, 1, 1})), "1-2: 0->1");
  EXPECT_EQ(rises(series_of({0, 0, 1, 1, 3, 3})), "1-2: 0->1, 3-4: 1->3");
  EXPECT_EQ(rises(series_of({3, 2, 2, 0})), "");
}

// No step has more than one, and each commit has more such steps.
TEST(History, FindsTheCommitFromWhichOnAWaitComesMoreOften) {
  HistorySeries series = series_of({1, 1, 1, 1, 1});
  const std::int64_t sums[] = {5, 5, 10, 10, 20};
  for (std::size_t i = 0; i < 5; ++i) {
    series.commits[i].steps = 20;
    series.commits[i].values["waits"] = {sums[i] < 20 ? 0 : 1, 1, sums[i]};
  }
  EXPECT_EQ(rises(series), "1-2: 1->1, 3-4: 1->1 once");
  ASSERT_EQ(rises_of(series, "waits").size(), 2u);
  const Rise rise = rises_of(series, "waits")[0];
  EXPECT_TRUE(rise.more_often);
  EXPECT_EQ(rise.from_sum, 5);
  EXPECT_EQ(rise.to_sum, 10);
  series.commits[3].values["waits"] = {0, 1, 5};  // went back
  EXPECT_EQ(rises(series), "3-4: 1->1 once");
}

TEST(History, ASpikeThatWentBackIsNone) {
  EXPECT_EQ(rises(series_of({0, 5, 0, 0})), "");
  EXPECT_EQ(rises(series_of({1, 5, 1, 2, 2})), "2-3: 1->2");
  EXPECT_EQ(rises(series_of({0, 5, 1, 1})), "0-1: 0->5");  // it never came all the way back
  EXPECT_EQ(rises(series_of({2, 1, 2, 2})), "1-2: 1->2");  // repaired, and broken again
}

TEST(History, TheLastCommitMayBeASpike) { EXPECT_EQ(rises(series_of({0, 0, 1})), "1-2: 0->1 once"); }

TEST(History, WhatWasNotMeasuredLeavesItOpen) {
  EXPECT_EQ(rises(series_of({0, -1, -1, 1, 1})), "0-3: 0->1 between");
  HistorySeries unknown = series_of({0, 0, 1, 1});
  for (HistoryCommit& commit : unknown.commits) commit.parents.clear();
  EXPECT_EQ(rises(unknown), "1-2: 0->1 between");
}

TEST(History, ACommitWithoutTheMetricWasNotMeasured) {
  HistorySeries series = series_of({0, 0, 1, 1});
  series.commits[1].values.clear();
  EXPECT_EQ(rises(series), "0-2: 0->1 between");
}

TEST(History, CommitsAreSortedByTimeWhereThatIsKnownOfAll) {
  std::vector<HistoryCommit> commits(3);
  for (std::size_t i = 0; i < 3; ++i) commits[i].commit = std::string(1, static_cast<char>('a' + i));
  commits[0].committed_at = 30, commits[1].committed_at = 10, commits[2].committed_at = 20;
  auto sorted = commits;
  sort_commits(sorted);
  EXPECT_EQ(sorted[0].commit + sorted[1].commit + sorted[2].commit, "bca");
  commits[1].committed_at.reset();
  sort_commits(commits);
  EXPECT_EQ(commits[0].commit + commits[1].commit + commits[2].commit, "abc");
}

TEST(History, RanksAddUpAndTheMostCounts) {
  Baseline baseline;
  BaselineProcess a, b;
  a.judged = b.judged = 10;
  a.counts = {{"waits", {2, 20, 2}}, {"failed", {0, 0, 0}}};
  b.counts = {{"waits", {5, 12, 1}}};
  baseline.processes = {a, b};
  const HistoryCommit commit = history_of(baseline);
  EXPECT_EQ(commit.steps, 20);
  EXPECT_EQ(commit.values.at("waits"), (HistoryValue{1, 5, 32}));
  EXPECT_FALSE(commit.values.contains("failed")) << "not known of all";
}

}  // namespace
}  // namespace zerostall
