#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/export_runs.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Record = std::map<std::string, std::string>;  // by column

// RFC 4180, strictly: what a spreadsheet reads. Throws on ragged rows and stray quotes.
std::vector<std::vector<std::string>> cells_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row = {""};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && text.substr(i, 2) == "\"\"") {
      row.back() += text[++i];
    } else if (c == '"') {
      if (!quoted && !row.back().empty()) throw std::runtime_error("a quote within a cell");
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      row.emplace_back();
    } else if (!quoted && c == '\r') {
      if (text.substr(i, 2) != "\r\n") throw std::runtime_error("a line that does not end in CR LF");
      ++i;
      rows.push_back(row);
      row = {""};
    } else {
      row.back() += c;
    }
  }
  if (quoted || row.size() > 1 || !row.front().empty()) throw std::runtime_error("the last row has no end");
  for (const auto& each : rows)
    if (each.size() != rows.front().size()) throw std::runtime_error("rows of different lengths");
  return rows;
}

std::vector<Record> table(CsvTable which, const std::vector<const ExportProcess*>& processes) {
  const auto rows = cells_of(exported({ExportFormat::csv, which}, processes));
  std::vector<Record> records;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    Record record;
    for (std::size_t c = 0; c < rows[i].size(); ++c) record[rows[0][c]] = rows[i][c];
    EXPECT_EQ(record.size(), rows[0].size());  // no column twice
    records.push_back(record);
  }
  return records;
}

TEST(ExportCsv, HasARowForEachStep) {
  TraceBuilder t = small_run();
  const ExportProcess process = process_of(t);
  const auto rows = table(CsvTable::steps, {&process});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].at("process"), "rank0");
  EXPECT_EQ(rows[1].at("clock"), "modelled");
  EXPECT_EQ(rows[1].at("step"), "1");
  EXPECT_EQ(rows[1].at("waits"), "2");
  EXPECT_EQ(rows[1].at("h2d_stalls"), "1");
  EXPECT_EQ(rows[1].at("judged"), "false");
  EXPECT_EQ(rows[2].at("judged"), "true");
  EXPECT_EQ(rows[2].at("begin_ns"), std::to_string(process.steps.steps[2].begin_ns));
  EXPECT_EQ(std::stoll(rows[2].at("duration_ns")), process.steps.steps[2].end_ns - process.steps.steps[2].begin_ns);
}

TEST(ExportCsv, LeavesTheUnknownEmpty) {
  TraceBuilder t = small_run();
  t.copy("cudaMemcpyAsync_v3020", kHostToDevice, 64, kUnknownMemory);
  RawTrace raw = raw_of(t);
  raw.truncated = true;
  const ExportProcess process = process_of(std::move(raw));
  EXPECT_EQ(table(CsvTable::steps, {&process})[0].at("drains"), "");
  EXPECT_EQ(table(CsvTable::waits, {&process})[0].at("idle"), "");
  const Record copy = table(CsvTable::copies, {&process}).back();
  EXPECT_EQ(copy.at("host_memory"), "");
  EXPECT_EQ(copy.at("blocking"), "");
  EXPECT_EQ(copy.at("bytes"), "64");
}

TEST(ExportCsv, HasARowForEachWait) {
  TraceBuilder t = small_run();
  t.call("cudaMalloc_v3020");
  const ExportProcess process = process_of(t);
  const auto rows = table(CsvTable::waits, {&process});
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[1].at("calls"), "cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize");
  EXPECT_EQ(rows[1].at("region"), "train");
  EXPECT_EQ(rows[1].at("copy_bytes"), "4");
  EXPECT_EQ(rows[1].at("copy_host_memory"), "pinned");
  EXPECT_EQ(rows[1].at("host_to_device"), "false");
  EXPECT_EQ(rows[6].at("place"), "outside");
  EXPECT_EQ(rows[6].at("step"), "");
  EXPECT_EQ(rows[7].at("kind"), "implicit");
  EXPECT_EQ(rows[7].at("host_wait"), "false");
  EXPECT_EQ(rows[7].at("copy_direction"), "");
}

TEST(ExportCsv, HasARowForEachCall) {
  TraceBuilder t;
  t.call("cudaMemcpy_v3020", [&] { t.call("cuStreamSynchronize"); }).result = 700;
  const ExportProcess process = process_of(t);
  const auto rows = table(CsvTable::calls, {&process});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("call"), "cudaMemcpy");
  EXPECT_EQ(rows[0].at("result"), "700");
  EXPECT_EQ(rows[0].at("nested"), "false");
  EXPECT_EQ(rows[1].at("nested"), "true");
  EXPECT_EQ(rows[1].at("kind"), "stream_sync");
  EXPECT_EQ(rows[1].at("thread"), "100");
}

TEST(ExportCsv, HasTheGpusTimesOfEachCopy) {
  TraceBuilder t = small_run();
  const ExportProcess process = process_of(t);
  const auto rows = table(CsvTable::copies, {&process});
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0].at("direction"), "host to device");
  EXPECT_EQ(rows[0].at("blocking"), "true");
  EXPECT_EQ(rows[1].at("blocking"), "false");  // pinned: its sync waits, not the copy
  EXPECT_EQ(rows[0].at("gpu_begin_ns"), std::to_string(process.trace.gpu_ops[0].begin_ns));
  EXPECT_EQ(rows[0].at("stream"), "13");
}

TEST(ExportCsv, QuotesWhatNeedsIt) {
  TraceBuilder t;
  t.step(0, [&] { t.range("a,\"b\"\nc\xff", [&] { t.item(); }); });
  const ExportProcess process = process_of(t, "rank,0");
  const auto rows = table(CsvTable::waits, {&process});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("region"), "a,\"b\"\\nc\\xff");
  EXPECT_EQ(rows[0].at("process"), "rank,0");
}

TEST(ExportCsv, HasOneHeaderForAllProcesses) {
  TraceBuilder a = small_run(), b = small_run();
  const ExportProcess first = process_of(a, "rank0"), second = process_of(b, "rank1");
  const auto rows = table(CsvTable::steps, {&first, &second});
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[5].at("process"), "rank1");
}

}  // namespace
}  // namespace zerostall
