#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/printable.h"
#include "reports/table.h"
#include "reports/verify_report.h"
#include "reports/words.h"

namespace zerostall {
namespace {

const CounterSpreads* region_of(const RunSummary& run, const std::string& name) {
  for (const RegionSummary& region : run.regions)
    if (region.name == name) return &region.per_step;
  return nullptr;
}

std::string header(const VerifyPlan& plan) {
  std::string accum = plan.accum > 1 ? fmt::format(", {} micro-steps", plan.accum) : "";
  return fmt::format("{}{} · {} steps, first {} not judged · {}\n", plan.title, accum, plan.steps, plan.warmup,
                     plan.device_title);
}

std::string clock_mark(const VerifyReport& report) { return clock_of(report) == Clock::modelled ? " (modelled)" : ""; }

std::string table(const VerifyReport& report) {
  const std::string mark = clock_mark(report);
  Table table{{"region " + report.plan.region, "waits/step", "GPU ran dry" + mark, "stream syncs", "event syncs",
               "H2D stalls", "blocked" + mark},
              {}};
  for (const VerifyRun& run : report.runs) {
    const CounterSpreads none;
    const CounterSpreads* found = region_of(run.summary, report.plan.region);
    const CounterSpreads& per_step = found != nullptr ? *found : none;
    table.rows.push_back({setting_name(run.fixes), show_range(per_step[Counter::waits]),
                          show_range(per_step[Counter::drains]), show_range(per_step[Counter::stream_syncs]),
                          show_range(per_step[Counter::event_syncs]), show_range(per_step[Counter::h2d_stalls]),
                          show_counter(Counter::blocked_ns, per_step)});
  }
  return render_table(table);
}

// Of the run with the most fixes (the last one).
const VerifyRun& fixed_run(const VerifyReport& report) { return report.runs.back(); }

std::string whole_step_line(const VerifyReport& report) {
  const auto& before = report.runs.front().summary.per_step[Counter::stream_syncs];
  const auto& after = fixed_run(report).summary.per_step[Counter::stream_syncs];
  return fmt::format("whole step, loader included: {} → {} stream syncs\n", show_range(before), show_range(after));
}

// Of a fix and its variants ("async-loss=upstream") one is on.
bool is_asked_for(const std::string& fix, const std::vector<std::string>& fixes) {
  const auto base = [](const std::string& name) { return name.substr(0, name.find('=')); };
  return std::any_of(fixes.begin(), fixes.end(), [&](const std::string& on) { return base(on) == base(fix); });
}

// Waits with nothing queued before them in the run as it is, without fixes.
std::string idle_line(const VerifyReport& report) {
  Counters sum;
  for (const StepRow& step : report.runs.front().summary.steps)
    for (const RegionRow& region : step.regions)
      if (step.judged && region.name == report.plan.region) sum.add(region.counters);
  const std::string where =
      fmt::format(" in `{}` ({}, judged steps)", report.plan.region, setting_name(report.runs.front().fixes));
  const std::string idle = idle_sentence(sum, where, clock_mark(report));
  return idle.empty() ? "" : "note  " + idle + "\n";
}

// What happened between the updates of the run with the most fixes, and in the middle of one: not judged.
std::string between_lines(const VerifyReport& report) {
  const RunSummary& run = fixed_run(report).summary;
  std::string text;
  if (const std::string between = between_sentence(run); !between.empty())
    text += "note  " + between + ", not judged\n";
  for (const std::string& name : report.plan.listed) {
    std::int64_t waits = 0, steps = 0;
    for (const StepRow& step : run.steps)
      for (const RegionRow& region : step.regions)
        if (region.name == name && step.judged && region.counters[Counter::waits].value_or(0) > 0)
          waits += *region.counters[Counter::waits], ++steps;
    if (waits > 0)
      text += fmt::format("note  {} in `{}` in {}, not judged\n", counted(waits, "host wait"), name,
                          counted(steps, "judged step"));
  }
  return text;
}

std::string rest_lines(const VerifyReport& report) {
  std::string text;
  for (const std::string& sentence : verify_rest(report)) text += "stays  " + sentence + "\n";
  return text;
}

std::string measured_words(const VerifyReport& report) {
  const bool modelled = clock_of(report) == Clock::modelled;
  return modelled ? report.plan.device_title + ": counted, no time measured" : report.plan.device_title;
}

std::string fixes_words(const std::vector<std::string>& fixes) {
  if (fixes.empty()) return "no fix on";
  if (fixes.size() == 1) return fixes.front() + " on";
  return fixes.size() == 2 ? "both fixes on" : fmt::format("all {} fixes on", fixes.size());
}

std::string pass_sentence(const VerifyReport& report) {
  const RunSummary& run = fixed_run(report).summary;
  const CounterSpreads* region = region_of(run, report.plan.region);
  const std::int64_t inside = region == nullptr || !(*region)[Counter::waits] ? 0 : (*region)[Counter::waits]->max;
  const std::int64_t syncs_inside =
      region == nullptr || !(*region)[Counter::stream_syncs] ? 0 : (*region)[Counter::stream_syncs]->max;
  const auto& whole = run.per_step[Counter::stream_syncs];
  // Waits that are left must not read as if there were none: say what passed first.
  const std::string_view what = inside == 0 ? "" : "the fixes remove exactly what they claim; left: ";
  const auto& all_waits = run.per_step[Counter::waits];
  const bool nowhere = all_waits && all_waits->max == 0;  // nor in the loader, nor anywhere else in the step
  std::string line =
      fmt::format("{}{} inside `{}` in each of {}, {}{}", what, counted(inside, "host wait"), report.plan.region,
                  counted(run.judged(), "judged step"), fixes_words(fixed_run(report).fixes),
                  nowhere ? "; none in the whole step, loader included" : "");
  if (whole && whole->max > syncs_inside)
    line += fmt::format("; {} per step remain outside it", counted(whole->max - syncs_inside, "stream sync"));
  return line + fmt::format(" ({})", measured_words(report));
}

// The verdict last but for its notes: it is what a reader looks for at the end.
std::string verdict_lines(const VerifyReport& report) {
  const Judgement& judgement = report.judgement;
  if (judgement.verdict == Verdict::pass) return "PASS  " + pass_sentence(report) + "\n";
  std::string text;
  for (const Reason& reason : judgement.reasons)
    text +=
        fmt::format("{}  {}\n", reason.verdict == Verdict::violation ? "FAIL" : "CANNOT TELL", printable(reason.text));
  return text;
}

}  // namespace

std::string verify_sentence(const VerifyReport& report) {
  const Judgement& judgement = report.judgement;
  if (judgement.verdict == Verdict::pass) return pass_sentence(report);
  return judgement.reasons.empty() ? std::string(name_of(judgement.verdict)) : judgement.reasons.front().text;
}

std::vector<std::string> verify_rest(const VerifyReport& report) {
  std::vector<std::string> sentences;
  if (report.runs.empty()) return sentences;
  const VerifyPlan& plan = report.plan;
  for (const FixClaim& claim : plan.claims)
    if (claim.in_baseline && claim.removes.waits > 0 && !is_asked_for(claim.name, fixed_run(report).fixes))
      sentences.push_back(fmt::format("{} in `{}`: {} is not asked for", counted(claim.removes.waits, "wait"),
                                      plan.region, claim.name));
  for (const RestClaim& rest : plan.rest)
    if (rest.stays.waits > 0)
      sentences.push_back(fmt::format("{} in `{}`: {}", counted(rest.stays.waits, "wait"), rest.region, rest.reason));
  return sentences;
}

std::string render_verify_text(const VerifyReport& report) {
  std::string text = header(report.plan);
  if (!report.runs.empty())
    text += table(report) + idle_line(report) + whole_step_line(report) + rest_lines(report) + between_lines(report);
  text += verdict_lines(report);
  for (const std::string& note : report.judgement.notes) text += "note  " + printable(note) + "\n";
  return text;
}

}  // namespace zerostall
