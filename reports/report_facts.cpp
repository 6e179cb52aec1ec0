// What was run and what is missing of it; and how texts of the program are shown.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "profiler/base/strings.h"
#include "reports/check_words.h"
#include "reports/report_model.h"
#include "reports/stat_notes.h"
#include "reports/words.h"

namespace zerostall::report {
namespace {

bool begins_path(std::string_view text, std::size_t at) {
  if (at > 0 && std::string_view(" \t\"'`([=:,;|").find(text[at - 1]) == std::string_view::npos) return false;
  const auto is_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_' ||
                               text[i] == '.' || text[i] == '-' || (text[i] & 0x80) != 0);
  };
  if (text[at] == '/') return is_word(at + 1);
  return at + 3 < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0 && text[at + 1] == ':' &&
         (text[at + 2] == '\\' || text[at + 2] == '/') && is_word(at + 3);
}

// Folders name users and machines: of an absolute path the last part stays.
std::string without_folders(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (!begins_path(text, at)) {
      result += text[at++];
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \t\n\"'`()<>[],;|", at), text.size());
    const std::string_view path = text.substr(at, end - at);
    const std::size_t folder = path.substr(0, path.size() - 1).find_last_of("/\\");
    result += path.substr(folder + 1);
    at = end;
  }
  return result;
}

std::string steps_words(const RunSummary& run) {
  if (run.steps.empty()) return "none found";
  std::string text = fmt::format("{}, {} judged", counted(std::ssize(run.steps), "step"), run.judged());
  if (run.warmup > 0) text += fmt::format(", first {} warm-up", std::min(run.warmup, std::ssize(run.steps)));
  if (is_inferred(run.steps_from))
    text += fmt::format("; inferred from {}, not marked",
                        run.steps_from == StepsFrom::anchor ? "what occurs once per step" : "launches that repeat");
  return text;
}

std::string device_words(const RunSummary& run) {
  std::string text = shown(show_device(run.meta), 80);
  const bool said = text.find("simulated") != std::string::npos;
  return text +
         (is_modelled(run) ? (said ? ": counted, no time measured" : " (simulated): counted, no time measured") : "");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) lines.push_back(shown(text.substr(at, end - at), kMostSentence));
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::string shown(std::string_view text, std::size_t most) {
  return inert(without_folders(text.substr(0, 8 * most)), most);
}

RunFacts facts_of(const ReportRun& run) {
  const RunSummary& summary = *run.summary;
  RunFacts facts;
  facts.name = shown(run.name, 80);
  facts.trace = summary.path.empty() ? "" : shown(name_without_folders(summary.path), 120);
  facts.program = shown(show_command(summary.meta));
  facts.device = device_words(summary);
  facts.tool = shown(summary.meta.tool, 120);
  facts.steps = steps_words(summary);
  facts.missing = lines_of(notes_of(summary));
  const Count& waits = summary.judged() > 0 && summary.per_step[Counter::waits]
                           ? Count(summary.per_step[Counter::waits]->max)
                           : summary.totals[Counter::waits];
  if (waits == 0) {
    std::int64_t calls = 0;
    for (const CallRow& call : summary.calls) calls += call.count;
    facts.watched =
        fmt::format("Watched: {}, {} on the GPU{}.", counted(calls, "CUDA call"),
                    summary.gpu_work.kernels ? counted(*summary.gpu_work.kernels, "kernel") : "unknown work",
                    summary.judged() > 0 ? ", in " + counted(summary.judged(), "judged step") : "");
  }
  return facts;
}

}  // namespace zerostall::report
