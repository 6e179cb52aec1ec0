#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "reports/check_markdown.h"
#include "reports/table.h"
#include "reports/verify_all_report.h"
#include "reports/words.h"

namespace zerostall {
namespace {

// All regions that a job claims something about, in the order of the plans.
std::vector<std::string> regions_of(const VerifyAllReport& report) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const VerifyReport& job : report.jobs) {
    add(job.plan.region);
    for (const FixClaim& claim : job.plan.claims) add(claim.region);
    for (const RestClaim& rest : job.plan.rest) add(rest.region);
  }
  return names;
}

std::string waits_in(const RunSummary& run, const std::string& region) {
  for (const RegionSummary& r : run.regions)
    if (r.name == region) return show_range(r.per_step[Counter::waits]);
  return "0";
}

// One line of the table: job, fixes, waits of each region and of the whole step, verdict.
using Row = std::vector<std::string>;

std::vector<Row> rows_of(const VerifyAllReport& report, const std::vector<std::string>& regions) {
  std::vector<Row> rows;
  for (const VerifyReport& job : report.jobs)
    for (const VerifyRun& run : job.runs) {
      const bool first = &run == &job.runs.front(), last = &run == &job.runs.back();
      // With many fixes on their names would push the figures out of sight.
      Row row = {first ? job_name(job.plan) : "",
                 last && run.fixes.size() > 1 ? fmt::format("all {}", run.fixes.size()) : setting_name(run.fixes)};
      for (const std::string& region : regions) row.push_back(waits_in(run.summary, region));
      row.push_back(show_range(run.summary.per_step[Counter::waits]));
      row.push_back(last ? std::string(name_of(job.judgement.verdict)) : "");
      rows.push_back(std::move(row));
    }
  return rows;
}

std::string sentence(const VerifyAllReport& report) {
  std::size_t runs = 0;
  std::int64_t judged = 0;
  std::vector<std::string> left;
  for (const VerifyReport& job : report.jobs) {
    runs += job.runs.size();
    for (const VerifyRun& run : job.runs) judged += static_cast<std::int64_t>(run.summary.judged());
    if (job.runs.empty()) continue;
    const auto& waits = job.runs.back().summary.per_step[Counter::waits];
    if (waits && waits->max > 0) left.push_back(job_name(job.plan));
  }
  const std::string text =
      fmt::format("each fix removes exactly the waits it claims, in {} jobs, {} runs, {} judged steps; ",
                  report.jobs.size(), runs, judged);
  return text + (left.empty() ? "with all fixes on no host wait is left in any step"
                              : "with all fixes on host waits are left in " + join(left, ", "));
}

std::string device_of(const VerifyAllReport& report) {
  return report.jobs.empty() ? "" : report.jobs.front().plan.device_title;
}

}  // namespace

std::string job_name(const VerifyPlan& plan) {
  std::string name = plan.scenario + " " + plan.size;
  for (const std::string& word : plan.settings) name += " " + word;
  return name;
}

Verdict verdict_of(const VerifyAllReport& report) {
  Verdict worst = report.jobs.empty() ? Verdict::cannot_tell : Verdict::pass;
  for (const VerifyReport& job : report.jobs) {
    if (job.judgement.verdict == Verdict::violation) return Verdict::violation;
    if (job.judgement.verdict == Verdict::cannot_tell) worst = Verdict::cannot_tell;
  }
  return worst;
}

std::string render_verify_all_text(const VerifyAllReport& report) {
  const std::vector<std::string> regions = regions_of(report);
  Table table{{"host waits per step", "fixes on"}, rows_of(report, regions)};
  table.header.insert(table.header.end(), regions.begin(), regions.end());
  table.header.insert(table.header.end(), {"whole step", "verdict"});
  std::string text = render_table(table);
  for (const VerifyReport& job : report.jobs)
    for (const Reason& reason : job.judgement.reasons)
      text += fmt::format("{}  {}: {}\n", reason.verdict == Verdict::violation ? "FAIL" : "CANNOT TELL",
                          job_name(job.plan), printable(reason.text));
  if (verdict_of(report) != Verdict::pass) return text;
  const bool counted_only = clock_of(report.jobs.front()) == Clock::modelled;
  return text + fmt::format("PASS  {} ({}{})\n", sentence(report), device_of(report),
                            counted_only ? ": counted, no time measured" : "");
}

std::string render_verify_all_markdown(const VerifyAllReport& report) {
  const std::vector<std::string> regions = regions_of(report);
  std::string text = fmt::format("**zerostall verify --all: {}** ({})\n\n| host waits per step | fixes on |",
                                 name_of(verdict_of(report)), markdown_text(device_of(report)));
  std::string rule = "|---|---|";
  for (const std::string& region : regions) {
    text += fmt::format(" {} |", markdown_text(region));
    rule += "---:|";
  }
  text += fmt::format(" whole step | verdict |\n{}---:|---|\n", rule);
  for (const Row& row : rows_of(report, regions)) {
    for (const std::string& cell : row) text += fmt::format("| {} ", markdown_text(cell));
    text += "|\n";
  }
  for (const VerifyReport& job : report.jobs)
    for (const Reason& reason : job.judgement.reasons)
      text += fmt::format("\n- {}: {}\n", markdown_text(job_name(job.plan)), markdown_text(reason.text));
  return text + fmt::format("\n{}\n", kVerifyMarker);
}

}  // namespace zerostall
