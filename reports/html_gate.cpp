// Of the page: what the gate found.
#include <algorithm>

#include "profiler/base/strings.h"
#include "reports/check_words.h"
#include "reports/html_parts.h"
#include "reports/report_model.h"
#include "reports/words.h"

namespace zerostall {
namespace {

using namespace report;
constexpr std::size_t kMostRows = 100;

Data findings_of(const CheckReport& report) {
  Data list{Data::type::list};
  std::size_t count = 0;
  for (const Finding& finding : report.findings)
    if (++count <= kMostRows) {
      Data entry = prose(shown(sentence(finding), kMostSentence));
      entry.set("level", std::string(name_of(finding.level)));
      list.push_back(entry);
    }
  return list;
}

Data budgets_of(const CheckReport& report) {
  Data list{Data::type::list};
  std::size_t count = 0;
  for (const BudgetResult& result : report.budgets)
    if (++count <= kMostRows)
      list.push_back(object({{"process", shown(result.run, 80)},
                             {"budget", shown(describe(result.budget))},
                             {"verdict", std::string(name_of(result.verdict))},
                             {"found", shown(describe(report, result), kMostSentence)}}));
  return list;
}

const CounterSpreads* region_of(const RunSummary& run, const std::string& name) {
  for (const RegionSummary& region : run.regions)
    if (region.name == name) return &region.per_step;
  return nullptr;
}

Data settings_of(const VerifyReport& report) {
  Data list{Data::type::list};
  for (const VerifyRun& run : report.runs) {
    const CounterSpreads none;
    const CounterSpreads* found = region_of(run.summary, report.plan.region);
    const CounterSpreads& per_step = found != nullptr ? *found : none;
    list.push_back(object({{"setting", setting_name(run.fixes)},
                           {"waits", show_bounds(per_step[Counter::waits])},
                           {"stream_syncs", show_bounds(per_step[Counter::stream_syncs])},
                           {"event_syncs", show_bounds(per_step[Counter::event_syncs])},
                           {"h2d_stalls", show_bounds(per_step[Counter::h2d_stalls])},
                           {"whole", show_bounds(run.summary.per_step[Counter::waits])}}));
  }
  return list;
}

}  // namespace

void add_gate(const ReportInput& input, Data& page) {
  const bool check = input.check != nullptr, verify = input.verify != nullptr && !input.verify->runs.empty();
  const Data findings = check ? findings_of(*input.check) : Data(Data::type::list);
  const Data budgets = check ? budgets_of(*input.check) : Data(Data::type::list);
  page.set("has_findings", flag(!findings.is_empty_list()));
  page.set("findings", findings);
  page.set("has_budgets", flag(!budgets.is_empty_list()));
  page.set("budgets", budgets);
  const std::size_t more =
      check && input.check->findings.size() > kMostRows ? input.check->findings.size() - kMostRows : 0;
  page.set("findings_left_out", text(more > 0 ? counted(static_cast<std::int64_t>(more), "more finding") : ""));
  page.set("has_settings", flag(verify));
  page.set("settings", verify ? settings_of(*input.verify) : Data(Data::type::list));
  page.set("region", text(input.verify != nullptr ? input.verify->plan.region : ""));
  page.set("plan", text(input.verify != nullptr ? input.verify->plan.title : ""));
}

}  // namespace zerostall
