// The one sentence at the top, and what must be known beside it.
#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/strings.h"
#include "reports/check_words.h"
#include "reports/report_model.h"
#include "reports/verify_report.h"
#include "reports/words.h"

namespace zerostall::report {
namespace {

constexpr std::size_t kMostReasons = 20;

const RunSummary& after_of(const ReportInput& input) { return *input.after.front().summary; }
const RunSummary* before_of(const ReportInput& input) {
  return input.before.empty() ? nullptr : input.before.front().summary;
}

std::string word_of(Verdict verdict) {
  return verdict == Verdict::pass ? "Pass" : verdict == Verdict::violation ? "Violation" : "Cannot tell";
}

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

void add_reasons(const std::vector<Reason>& reasons, std::string_view but, ReportVerdict& verdict) {
  for (const Reason& reason : reasons) {
    if (reason.text == but) continue;
    if (verdict.reasons.size() == kMostReasons) {
      verdict.reasons.push_back("and more: the JSON has them all");
      return;
    }
    verdict.reasons.push_back(shown(reason.text, kMostSentence));
  }
}

ReportVerdict of_check(const CheckReport& report) {
  ReportVerdict verdict{std::string(name_of(report.verdict)), word_of(report.verdict), {}, {}, {}, {}};
  const std::string line = headline(report);
  const std::size_t colon = line.find(": ");
  verdict.sentence = shown(capitalized(colon == std::string::npos ? line : line.substr(colon + 2)), kMostSentence);
  add_reasons(report.reasons, "", verdict);
  for (const CheckedFacts& facts : report.checked)
    if (verdict.beside.size() < kMostReasons) verdict.beside.push_back(shown(describe(facts), kMostSentence));
  for (const std::string& note : report.notes)
    if (verdict.beside.size() < 2 * kMostReasons) verdict.beside.push_back(shown(note, kMostSentence));
  return verdict;
}

ReportVerdict of_verify(const VerifyReport& report) {
  const Judgement& judgement = report.judgement;
  ReportVerdict verdict{std::string(name_of(judgement.verdict)), word_of(judgement.verdict), {}, {}, {}, {}};
  const std::string sentence = verify_sentence(report);
  verdict.sentence = shown(capitalized(sentence), kMostSentence);
  add_reasons(judgement.reasons, sentence, verdict);
  for (const std::string& rest : verify_rest(report)) verdict.beside.push_back("Stays: " + shown(rest, kMostSentence));
  for (const std::string& note : judgement.notes) verdict.beside.push_back(shown(capitalized(note), kMostSentence));
  return verdict;
}

std::string kinds_of(const Changes& changes) {
  std::string text;
  for (const auto& [rows, word] :
       {std::pair(&changes.gone, "gone"), std::pair(&changes.added, "new"), std::pair(&changes.changed, "changed")})
    if (!rows->empty())
      text += fmt::format("{}{} of wait {}", text.empty() ? "" : ", ", counted(std::ssize(*rows), "kind"), word);
  return text;
}

// What of a gain in time can be said.
std::string time_words(const Comparison& all) {
  if (all.times.modelled && all.times.why_not.empty()) return "No time was measured.";
  if (!all.times.why_not.empty()) return fmt::format("Times are not compared: {}.", all.times.why_not);
  if (all.times.rows.empty()) return "";
  const TimeChange& step = all.times.rows.front();
  if (step.verdict == TimeVerdict::cannot_tell) return "Whether steps take another time cannot be told.";
  if (step.verdict == TimeVerdict::no_difference) return "Step times do not differ significantly.";
  const double share = step.a->median == 0 ? 0 : 100.0 * double(*step.difference) / double(step.a->median);
  return fmt::format("Steps take {:.1f} % {} time ({}).", std::abs(share),
                     step.verdict == TimeVerdict::shorter ? "less" : "more",
                     step.test->p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", step.test->p));
}

std::string figure_words(const std::optional<CountFigure>& figure) {
  if (!figure) return "unknown";
  if (figure->spread) return spread_in_words(*figure->spread);
  return fmt::format("{:.3g} on average", double(figure->sum) / double(std::max<std::int64_t>(figure->samples, 1)));
}

ReportVerdict of_comparison(const Comparison& all) {
  const CounterChange& waits = all.counters[static_cast<std::size_t>(Counter::waits)];
  const std::string_view per = all.basis == Basis::step ? "per step" : "per run";
  ReportVerdict verdict;
  if (all.verdict == CountsVerdict::equal) {
    verdict.kind = "equal";
    verdict.word = "Same counts";
    verdict.sentence = fmt::format("The same host waits before and after: {} {}{}.", figure_words(waits.a), per,
                                   all.waits.resized.empty() ? "" : ", some of another size");
  } else if (all.verdict == CountsVerdict::cannot_tell) {
    verdict.kind = "cannot-tell";
    verdict.word = "Cannot tell";
    verdict.sentence = "What is known of the host waits is equal, and some of it is not known.";
  } else {
    const std::string kinds = kinds_of(all.waits);
    verdict.kind = "changed";
    verdict.word = "Changed";
    verdict.sentence = fmt::format("Host waits {}: {} → {}{}.", per, figure_words(waits.a), figure_words(waits.b),
                                   kinds.empty() ? "" : "; " + kinds);
  }
  if (const std::string times = time_words(all); !times.empty()) verdict.sentence += " " + times;
  if (!all.reasons.empty()) verdict.sentence += " The two runs are not comparable as they are.";
  for (const std::string& reason : all.reasons) verdict.reasons.push_back(shown(capitalized(reason), kMostSentence));
  for (const std::string& note : all.notes) verdict.beside.push_back(shown(capitalized(note), kMostSentence));
  return verdict;
}

// "3 times", "once", "1 to 3 times (median 2)".
std::string times_in_words(const Spread& spread) {
  if (spread.min == 1 && spread.max == 1) return "once";
  if (spread.min == spread.max) return fmt::format("{} times", spread.min);
  return fmt::format("{} to {} times (median {})", spread.min, spread.max, spread.median);
}

std::string worst_place(const RunSummary& run) {
  for (const Site& site : run.sites)
    if (!site.of_the_tool && (run.judged() == 0 || site.judged > 0))
      return fmt::format(", most at {} ({})", shown(shown_place(site), 120), info_of(site.cause.kind).slug);
  return {};
}

ReportVerdict of_run(const RunSummary& run) {
  ReportVerdict verdict{"counted", "Counted", {}, {}, {}, {}};
  const auto& waits = run.per_step[Counter::waits];
  const Count& total = run.totals[Counter::waits];
  if (!run.has_cuda_calls) {
    verdict.kind = "cannot-tell";
    verdict.word = "Cannot tell";
    verdict.sentence = "The trace holds no CUDA call, so there is nothing to count.";
  } else if (run.judged() == 0) {
    verdict.sentence = fmt::format("{} in the whole run{}; without judged steps, waits per step are not known.",
                                   total ? counted(*total, "host wait") : "An unknown number of host waits",
                                   total.value_or(0) > 0 ? worst_place(run) : "");
  } else if (!waits) {
    verdict.kind = "cannot-tell";
    verdict.word = "Cannot tell";
    verdict.sentence = "How often the host waits in a step is not known.";
  } else if (waits->max == 0) {
    verdict.sentence = fmt::format("The host never waits for the GPU in {}.", counted(run.judged(), "judged step"));
  } else {
    verdict.sentence =
        fmt::format("The host waits for the GPU {} in each step{}.", times_in_words(*waits), worst_place(run));
  }
  return verdict;
}

std::string from_to(std::string_view what, const RunSummary* before, const RunSummary& after,
                    Count (*value)(const RunSummary&)) {
  const Count other = value(after);
  if (before == nullptr) return fmt::format("{}: {}", what, show(other));
  const Count one = value(*before);
  return one == other ? fmt::format("{}: {}, before and after", what, show(other))
                      : fmt::format("{}: {} → {}", what, show(one), show(other));
}

// Why a trace is not all that happened; "" = it is.
std::string cut_words(const RunSummary& run) {
  return run.truncated ? fmt::format("The trace is {}. What came after that is in no figure.",
                                     shown(describe(run.end), kMostSentence))
                       : "";
}
std::string lost_words(const RunSummary& run) {
  return run.lost > 0 ? fmt::format(
                            "{} of GPU work lost while recording. Waits are counted from the calls and hold; "
                            "whether the GPU ran dry is not known.",
                            counted(run.lost, "record"))
                      : "";
}
std::string calls_only_words(const RunSummary& run) {
  return run.meta.counts_only ? "Recorded with --counts-only: what ran on the GPU is not known." : "";
}

// Said of both sides at once, where it is the same.
void add_incomplete(const ReportInput& input, ReportVerdict& verdict) {
  for (const auto words : {cut_words, lost_words, calls_only_words}) {
    const std::string after = words(after_of(input)), before = before_of(input) ? words(*before_of(input)) : "";
    if (before_of(input) == nullptr || before == after) {
      if (!after.empty()) verdict.incomplete.push_back((before_of(input) ? "Before and after: " : "") + after);
      continue;
    }
    if (!before.empty()) verdict.incomplete.push_back("Before: " + before);
    if (!after.empty()) verdict.incomplete.push_back("After: " + after);
  }
}

// What no figure per step holds. The gate's facts say the same of a check.
void add_uncounted(const ReportInput& input, ReportVerdict& verdict) {
  const RunSummary& after = after_of(input);
  const RunSummary* before = before_of(input);
  if (after.judged() > 0) {
    verdict.beside.push_back(from_to("Host waits outside of steps, in the whole run", before, after,
                                     [](const RunSummary& run) { return run.outside[Counter::waits]; }));
    verdict.beside.push_back(from_to("Host waits of other threads during steps (loaders, loggers), in the whole run",
                                     before, after,
                                     [](const RunSummary& run) { return run.background[Counter::waits]; }));
  }
  const auto implicit = [](const RunSummary& run) { return run.totals[Counter::implicit]; };
  if (implicit(after).value_or(1) > 0 || (before != nullptr && implicit(*before).value_or(1) > 0))
    verdict.beside.push_back(
        from_to("Calls that may wait, such as cudaMalloc and cudaFree, in no total", before, after, implicit));
}

}  // namespace

ReportVerdict verdict_of(const ReportInput& input) {
  ReportVerdict verdict;
  if (input.check != nullptr)
    verdict = of_check(*input.check);
  else if (input.verify != nullptr)
    verdict = of_verify(*input.verify);
  else if (input.after.empty())
    verdict = {"cannot-tell", "Cannot tell", "Nothing that used CUDA was recorded.", {}, {}, {}};
  else
    verdict = input.comparison != nullptr ? of_comparison(*input.comparison) : of_run(after_of(input));
  if (input.check == nullptr && !input.after.empty()) add_uncounted(input, verdict);
  if (!input.after.empty()) add_incomplete(input, verdict);
  return verdict;
}

}  // namespace zerostall::report
