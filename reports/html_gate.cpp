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

// Those that are not among the reasons of the verdict, which stand at the top.
std::vector<const Finding*> other_findings(const CheckReport& report) {
  std::vector<const Finding*> others;
  for (const Finding& finding : report.findings) {
    const std::string text = sentence(finding);
    if (std::none_of(report.reasons.begin(), report.reasons.end(), [&](const Reason& r) { return r.text == text; }))
      others.push_back(&finding);
  }
  return others;
}

Data findings_of(const std::vector<const Finding*>& findings) {
  Data list{Data::type::list};
  std::size_t count = 0;
  for (const Finding* found : findings)
    if (const Finding& finding = *found; ++count <= kMostRows) {
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
  const auto others = check ? other_findings(*input.check) : std::vector<const Finding*>();
  const Data findings = findings_of(others);
  const Data budgets = check ? budgets_of(*input.check) : Data(Data::type::list);
  page.set("has_findings", flag(!findings.is_empty_list()));
  page.set("findings", findings);
  page.set("has_budgets", flag(!budgets.is_empty_list()));
  page.set("budgets", budgets);
  const std::size_t more = others.size() > kMostRows ? others.size() - kMostRows : 0;
  page.set("findings_left_out", text(more > 0 ? counted(static_cast<std::int64_t>(more), "more finding") : ""));
  page.set("has_settings", flag(verify));
  page.set("settings", verify ? settings_of(*input.verify) : Data(Data::type::list));
  page.set("region", text(input.verify != nullptr ? input.verify->plan.region : ""));
  page.set("plan", text(input.verify != nullptr ? input.verify->plan.title : ""));
}

}  // namespace zerostall
