#include <fmt/format.h>

#include <set>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "reports/table.h"
#include "reports/verify_catalogue_report.h"
#include "reports/words.h"

namespace zerostall {
namespace {

// "1", "0-2", "0 + 3 memory calls".
std::string per_step(const std::string& waits, const std::string& memory_calls) {
  return memory_calls == "0" ? waits : fmt::format("{} + {} memory calls", waits, memory_calls);
}

std::string expected(const CatalogueClaim& claim) {
  return per_step(fmt::to_string(claim.waits), fmt::to_string(claim.memory_calls));
}

std::string found(const RunSummary& run) {
  return per_step(show_range(run.per_step[Counter::waits]), show_range(run.per_step[Counter::implicit]));
}

std::string named(const RunSummary& run) {
  std::string text;
  for (const CauseFound& cause : causes_found(run))
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", info_of(cause.kind).slug, name_of(cause.confidence));
  return text.empty() ? "-" : text;
}

std::string table(const CatalogueReport& report) {
  Table table{{"waits per step", "", "expected", "found", "cause named", "near miss because"}, {}};
  table.words = 2;
  std::string last;
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const auto& [claim, run] = report.runs[i];
    const bool passed = report.verdicts[i].verdict == Verdict::pass;
    table.rows.push_back({claim.scenario == last ? "" : claim.scenario, claim.variant + (passed ? "" : " !"),
                          expected(claim), found(run), named(run), claim.why});
    last = claim.scenario;
  }
  return render_table(table);
}

std::string reasons(const CatalogueReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.runs.size(); ++i)
    for (const Reason& reason : report.verdicts[i].reasons)
      text += fmt::format("{}  {} {}: {}\n", reason.verdict == Verdict::violation ? "FAIL" : "CANNOT TELL",
                          report.runs[i].claim.scenario, report.runs[i].claim.variant, printable(reason.text));
  return text;
}

std::string note(const CatalogueReport& report) {
  std::int64_t unreal = 0;
  for (const CatalogueRun& run : report.runs) unreal += run.summary.unreal_readbacks.judged;
  if (unreal == 0) return {};
  return fmt::format("note  {} in judged steps had no real value; waits behind branches on them were not seen\n",
                     counted(unreal, "read-back"));
}

}  // namespace

std::string render_verify_catalogue_text(const CatalogueReport& report) {
  std::string text = table(report) + reasons(report);
  if (verdict_of(report) != Verdict::pass) return text + note(report);
  std::set<std::string> classes;
  std::int64_t judged = 0;
  for (const CatalogueRun& run : report.runs) {
    classes.insert(run.claim.scenario);
    judged += static_cast<std::int64_t>(run.summary.judged());
  }
  text += fmt::format(
      "PASS  {}, {}, {}: each cause is found as often as it is made and called by its name; no fixed twin waits; no "
      "near miss is taken for the cause ({}{})\n",
      counted(static_cast<std::int64_t>(classes.size()), classes.size() == 1 ? "class" : "classe"),
      counted(static_cast<std::int64_t>(report.runs.size()), "run"), counted(judged, "judged step"),
      report.device_title, report.device.starts_with("sim") ? ": counted, no time measured" : "");
  return text + note(report);
}

}  // namespace zerostall
