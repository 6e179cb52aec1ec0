// `zerostall report`: one HTML page that opens from disk, offline, and says what a run does, or what changed between
// two. Tables, verdict and explanations need no script; charts and timeline do.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/analyze/compare.h"
#include "profiler/gate/check.h"
#include "profiler/gate/verify.h"
#include "reports/explain_text.h"
#include "reports/timeline_blob.h"

namespace zerostall {

// A process of one side.
struct ReportRun {
  std::string name;  // of the process beside others; "" = it is the only one
  const RunSummary* summary = nullptr;
  TimelineBlob timeline{};  // empty: the page has none
};

struct ReportInput {
  std::vector<ReportRun> before;           // empty: a report of one side
  std::vector<ReportRun> after;            // at least one: the first is the one that is shown in full
  const Comparison* comparison = nullptr;  // of both sides; null with one
  const CheckReport* check = nullptr;      // a verdict of the gate; null = none was asked for
  const VerifyReport* verify = nullptr;    // a verdict of `verify`; null likewise
  std::vector<FixText> fixes{};            // those that were switched on: explained
  std::string command{};                   // that makes the report again; not shown, where it is empty
};

// The whole page. Holds no source text, no absolute path, no host or user name. Names from the program are inert: a
// Content-Security-Policy forbids everything that is not inlined here. Times of the simulated GPU stand folded, as
// modelled. Total: runs without steps, without waits, with lost records are said to be so.
std::string render_html_report(const ReportInput& input);

// The figures of the page as JSON (schema zerostall/report/1), the same that the page holds for its scripts.
std::string render_report_json(const ReportInput& input);

}  // namespace zerostall
