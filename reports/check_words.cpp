#include "reports/check_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "profiler/analyze/causes.h"
#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "profiler/gate/doubts.h"
#include "reports/words.h"

namespace zerostall {
namespace {

// A log of a GitHub job acts on what follows it, wherever in a line it stands.
constexpr std::string_view kLogCommand = "##[";

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

// "in 18 judged steps of each of 4 processes (simulated H200)".
std::string steps_words(const CheckReport& report) {
  const auto& checked = report.checked;
  std::int64_t sum = 0;
  bool alike = true, one_device = true;
  for (const CheckedFacts& facts : checked) {
    sum += facts.judged;
    alike = alike && facts.judged == checked.front().judged;
    one_device = one_device && facts.device == checked.front().device;
  }
  std::string text = "in " + counted(alike && !checked.empty() ? checked.front().judged : sum, "judged step");
  if (checked.size() > 1) text += fmt::format(" of {}{} processes", alike ? "each of " : "", checked.size());
  if (!checked.empty() && !checked.front().device.empty())
    text += fmt::format(" ({}{})", inert(checked.front().device, 60), one_device ? "" : " and others");
  return text;
}

// "at most 2 waits per step", "waits per step 0 → 2"; "" = not known.
std::string waits_words(const CheckReport& report) {
  std::optional<std::int64_t> most;
  for (const CheckedFacts& facts : report.checked) {
    if (!facts.most_waits) return {};
    most = std::max(most.value_or(0), *facts.most_waits);
  }
  if (!most) return {};
  const BeforeAfter* compared = nullptr;  // the baseline counts what is allowed, too
  for (const BeforeAfter& row : report.compared)
    if (row.name == "waits per step" && row.before && row.after &&
        (compared == nullptr || *row.after > *compared->after))
      compared = &row;
  if (compared != nullptr) return fmt::format("waits per step {} → {}", *compared->before, *compared->after);
  return fmt::format("{}{} per step", *most > 0 ? "at most " : "", counted(*most, "wait"));
}

bool is_judged(const BudgetResult& result) { return result.applies && result.budget.level != Level::off; }

std::int64_t count_of(const CheckReport& report, FindingKind kind) {
  return std::count_if(report.findings.begin(), report.findings.end(),
                       [&](const Finding& f) { return f.kind == kind && f.level == Level::error; });
}

// What is wrong, by kind of rule.
std::string broken_words(const CheckReport& report, std::int64_t budgets, std::int64_t exceeded) {
  std::vector<std::string> parts;
  if (exceeded > 0) parts.push_back(fmt::format("{} of {} exceeded", exceeded, counted(budgets, "budget")));
  if (const auto n = count_of(report, FindingKind::baseline); n > 0)
    parts.push_back(counted(n, "place") + " worse than the baseline");
  if (const auto n = count_of(report, FindingKind::allowance_expired); n > 0)
    parts.push_back(counted(n, "allowance") + " expired");
  if (const auto n = count_of(report, FindingKind::improved); n > 0)
    parts.push_back(counted(n, "place") + " better than the baseline");
  if (parts.empty() && !report.reasons.empty()) parts.push_back(inert(report.reasons.front().text));
  return join(parts, ", ");
}

std::string held_words(const CheckReport& report, std::int64_t budgets, std::int64_t exceeded) {
  std::string text = exceeded > 0  ? fmt::format("{} of {} exceeded (warning)", exceeded, counted(budgets, "budget"))
                     : budgets > 0 ? counted(budgets, "budget") + " held"
                                   : "no budget to keep";
  if (!report.baseline.empty()) text += ", nothing worse than the baseline";
  return text;
}

std::string cannot_tell_words(const CheckReport& report) {
  std::int64_t more = -1;
  std::string first;
  for (const Reason& reason : report.reasons) {
    if (reason.verdict != Verdict::cannot_tell) continue;
    if (++more == 0) first = inert(reason.text);
  }
  if (first.empty()) first = "nothing was judged";
  return more > 0 ? fmt::format("{} (and {})", first, counted(more, "more reason")) : first;
}

bool is_modelled(const CheckReport& report, const std::string& run) {
  return std::any_of(report.checked.begin(), report.checked.end(),
                     [&](const CheckedFacts& facts) { return facts.name == run && facts.modelled; });
}

// Counts and days differ from run to run.
std::string without_digits(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

// As a TOML basic string that is a glob.
std::string glob_string(std::string_view text) {
  std::string out = "\"";
  for (std::size_t taken = 0; !text.empty(); ++taken) {
    if (taken == kMostCharacters) {
      out += '*';
      break;
    }
    const std::size_t bytes = character_bytes(text);
    const std::string_view c = text.substr(0, std::max<std::size_t>(bytes, 1));
    if (bytes == 0)
      out += '?';  // no text of TOML
    else if (c == "\"" || c == "\\")
      out += fmt::format("\\{}", c);
    else if (printable(c) != c)
      out += std::string(c.size(), '?');  // would turn or hide what stands around it; a glob counts bytes
    else
      out += c;
    text.remove_prefix(c.size());
  }
  return replaced(out, kLogCommand, "##?") + '"';
}

}  // namespace

std::string inert(std::string_view text, std::size_t most) {
  // Cut before it is escaped, too: of a text without end only the front is looked at.
  const bool long_text = text.size() > 4 * most;
  std::string whole = replaced(printable(text.substr(0, 4 * most)), kLogCommand, "##\\x5b");
  std::size_t bytes = 0, characters = 0, end = 0;
  while (bytes < whole.size() && characters < most) {
    if (characters + 3 <= most) end = bytes;
    bytes += std::max<std::size_t>(character_bytes(std::string_view(whole).substr(bytes)), 1);
    ++characters;
  }
  if (bytes >= whole.size() && !long_text) return whole;
  return whole.substr(0, end) + "...";
}

std::string headline(const CheckReport& report) {
  if (report.verdict == Verdict::cannot_tell) return "cannot tell: " + cannot_tell_words(report);
  std::int64_t budgets = 0, exceeded = 0;
  for (const BudgetResult& result : report.budgets) {
    if (!is_judged(result)) continue;
    ++budgets;
    const bool counts = report.verdict == Verdict::pass || result.budget.level == Level::error;
    if (result.verdict == Verdict::violation && counts) ++exceeded;
  }
  const std::string what =
      report.verdict == Verdict::pass ? held_words(report, budgets, exceeded) : broken_words(report, budgets, exceeded);
  const std::string waits = waits_words(report);
  return fmt::format("{}: {} {}{}{}", name_of(report.verdict), what, steps_words(report), waits.empty() ? "" : ", ",
                     waits);
}

std::string left_out(std::size_t all, std::size_t shown, std::string_view noun) {
  if (all <= shown) return {};
  return counted(static_cast<std::int64_t>(all - shown), fmt::format("more {}", noun));
}

std::string describe(const CheckedFacts& facts) {
  std::string text;
  if (!facts.name.empty()) text = inert(facts.name, kMostCharacters) + ": ";
  text += fmt::format("{} of {} judged ({}, {} of warm-up)", facts.judged, counted(facts.steps, "step"),
                      inert(facts.steps_from, 40), facts.warmup);
  if (facts.most_waits)
    text += fmt::format("; {}{} per step", *facts.most_waits > 0 ? "at most " : "", counted(*facts.most_waits, "wait"));
  text += fmt::format("; {} allowed, {} outside of steps, {} on other threads", counted(facts.allowed, "wait"),
                      facts.outside, facts.background);
  if (facts.unreal_readbacks > 0)
    text += fmt::format("; {} without a real value: waits behind branches on them were not seen",
                        counted(facts.unreal_readbacks, "read-back"));
  return text;
}

std::string describe(const CheckReport& report, const BudgetResult& result) {
  if (result.budget.level == Level::off) return "off";
  if (!result.applies) return "for another device or rank";
  if (result.verdict == Verdict::cannot_tell) return "cannot tell: " + inert(result.why);
  std::string text = "found " + (result.budget.metric->is_time ? show_time(result.actual) : show(result.actual));
  if (result.budget.metric->is_time && is_modelled(report, result.run)) text += " (modelled)";
  if (result.verdict == Verdict::pass) return text;
  if (result.step && result.budget.limit.of == Statistic::window)
    text += fmt::format(" in the {} steps from step {} on", result.budget.limit.steps, *result.step);
  else if (result.step)
    text += fmt::format(" in step {}", *result.step);
  if (result.steps_over > 1) text += fmt::format(", {} judged steps over the limit", result.steps_over);
  return text;
}

std::string describe(const BeforeAfter& row) {
  return fmt::format("{}{}: {} → {}", row.run.empty() ? "" : inert(row.run, kMostCharacters) + ": ",
                     inert(row.name, kMostCharacters), show(row.before), show(row.after));
}

std::vector<std::string> doubts_in(const CheckReport& report) {
  std::vector<std::string> texts;
  for (const Reason& reason : report.reasons)
    if (reason.verdict == Verdict::cannot_tell) texts.push_back(inert(reason.text));
  if (report.verdict == Verdict::cannot_tell && texts.size() == 1) texts.clear();
  return texts;
}

std::string what_to_do(const CheckReport& report) {
  if (report.verdict != Verdict::cannot_tell) return {};
  for (const CheckedFacts& facts : report.checked)
    if (facts.steps > 0 && facts.judged < kFewestJudgedSteps)
      return fmt::format("run at least {} steps: {} of warm-up and {} to judge", facts.warmup + kFewestJudgedSteps,
                         facts.warmup, kFewestJudgedSteps);
  return {};
}

std::string allow_toml(std::span<const Allowance> allowances) {
  std::string text;
  for (const Allowance& allow : allowances.first(std::min(allowances.size(), kMostSuggested))) {
    if (!text.empty()) text += '\n';
    text += "[[allow]]\n";
    const auto line = [&](std::string_view key, const std::string& value) {
      if (!value.empty()) text += fmt::format("{} = {}\n", key, glob_string(value));
    };
    line("site", allow.site);
    line("cause", allow.cause);
    line("kernel", allow.kernel);
    line("region", allow.region);
    text += fmt::format("waits_per_step = {}\n", allow.waits_per_step);
    if (allow.every > 1) text += fmt::format("every = {}\n", allow.every);
    text += fmt::format("reason = {}\n", glob_string(allow.reason));
  }
  if (const auto rest = left_out(allowances.size(), kMostSuggested, "place"); !rest.empty())
    text += fmt::format("# and {}\n", rest);
  return text;
}

std::optional<std::string> repository_path(std::string_view file) {
  if (file.empty() || file.size() > 1000 || file.front() == '/' || file.front() == '<' || printable(file) != file)
    return std::nullopt;
  if (file.find_first_of("\\:") != std::string_view::npos || file.find(kLogCommand) != std::string_view::npos)
    return std::nullopt;
  for (const auto& part : std::filesystem::path(file))
    if (part == "..") return std::nullopt;
  return std::filesystem::path(file).lexically_normal().string();
}

std::string name_without_folders(const std::string& file) {
  if (auto inside = repository_path(file)) return *inside;
  return std::filesystem::path(file).lexically_normal().filename().string();
}

std::optional<Location> location_of(const CheckReport& report, const Finding& finding) {
  if (finding.site)
    if (auto file = repository_path(finding.site->file)) return Location{std::move(*file), finding.site->line};
  const bool in_policy = finding.policy_line > 0 && !finding.site;
  if (auto file = repository_path(report.policy); file && in_policy)
    return Location{std::move(*file), finding.policy_line};
  return std::nullopt;
}

std::string fingerprint(const CheckReport& report, const Finding& finding) {
  const bool of_budget = finding.budget && *finding.budget < report.budgets.size();
  const std::string rule = of_budget ? describe(report.budgets[*finding.budget].budget.scope) + "\n" +
                                           std::string(report.budgets[*finding.budget].budget.metric->key)
                                     : "";
  const std::string place = finding.site ? finding.site->id : without_digits(finding.text);
  return fmt::format("{:016x}", stable_hash({name_of(finding.kind), finding.run, rule, place}));
}

bool differs_in_place_alone(const Finding& finding, const Finding& before) {
  const auto rest = [](const Finding& f) { return std::string_view(f.text).substr(0, f.text.size() - f.place.size()); };
  return !finding.place.empty() && !before.place.empty() && finding.budget == before.budget &&
         finding.run == before.run && finding.level == before.level && rest(finding) == rest(before);
}

std::string sentence(const Finding& finding) {
  const std::string run = finding.run.empty() ? "" : inert(finding.run, kMostCharacters) + ": ";
  return run + (finding.text.empty() ? rule_of(finding) : inert(finding.text));
}

std::string rule_of(const Finding& finding) {
  const bool of_wait = finding.site && finding.kind != FindingKind::improved;
  return std::string(of_wait ? info_of(finding.site->cause).slug : name_of(finding.kind));
}

}  // namespace zerostall
