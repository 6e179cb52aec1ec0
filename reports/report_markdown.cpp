#include "reports/report_markdown.h"

#include <fmt/format.h>

#include "reports/check_markdown.h"
#include "reports/report_model.h"
#include "reports/verify_report.h"

namespace zerostall {
namespace {

using namespace report;

std::string cell(const std::optional<FigureSide>& side) { return side ? side->text : "unknown"; }

std::string table(const FigureGroup& group, bool two) {
  std::string text =
      two ? fmt::format("\n| {} | before | after | change | |\n|---|--:|--:|--:|---|\n", markdown_text(group.title))
          : fmt::format("\n| {} | | |\n|---|--:|---|\n", markdown_text(group.title));
  for (const Figure& row : group.rows) {
    text += "| " + row.title + " | ";
    if (two) text += cell(row.before) + " | ";
    text += cell(row.after) + " | ";
    if (two) text += row.change + " | ";
    text += std::string(words_of(row.sure)) + " |\n";
  }
  return text;
}

}  // namespace

std::string render_report_markdown(const ReportInput& input) {
  if (input.check != nullptr) return render_check_markdown(*input.check);
  if (input.verify != nullptr) return render_verify_markdown(*input.verify);
  const ReportVerdict verdict = verdict_of(input);
  std::string text = fmt::format("**{}:** {}\n", verdict.word, markdown_text(verdict.sentence));
  if (!verdict.incomplete.empty()) text += "\n";
  for (const std::string& line : verdict.incomplete) text += "- " + markdown_text(line) + "\n";
  for (const FigureGroup& group : figures_of(input))
    if (!group.modelled) text += table(group, !input.before.empty());
  if (!verdict.beside.empty()) text += "\n";
  for (const std::string& line : verdict.beside) text += "- " + markdown_text(line) + "\n";
  return text;
}

}  // namespace zerostall
