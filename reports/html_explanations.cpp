// Of the page: what `zerostall explain` says of each cause that was found and each fix that was on.
#include <set>
#include <string>

#include "reports/explain_text.h"
#include "reports/html_parts.h"

namespace zerostall {
namespace {

// Texts are broken for a terminal; lists in them keep their lines.
std::string flowing(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool joins = text[i] == '\n' && i + 1 < text.size() && text[i + 1] != ' ' && text[i + 1] != '-' &&
                       text[i + 1] != '\n' && (i == 0 || text[i - 1] != '\n');
    result += joins ? ' ' : text[i];
  }
  return result;
}

Data explanation(std::string_view name, std::string_view title, std::string_view what, const Explanation* more) {
  static const Explanation kNone{};
  const Explanation& text = more != nullptr ? *more : kNone;
  Data data = object({{"name", std::string(name)},
                      {"title", std::string(title)},
                      {"what_it_is", flowing(what)},
                      {"looks", flowing(text.looks)},
                      {"pytorch", flowing(text.pytorch)},
                      {"libtorch", flowing(text.libtorch)},
                      {"code_before", std::string(text.before)},
                      {"code_after", std::string(text.after)},
                      {"cpp_before", std::string(text.cpp_before)},
                      {"cpp_after", std::string(text.cpp_after)},
                      {"no_problem", flowing(text.no_problem)}});
  const std::pair<const char*, std::string_view> texts[] = {{"what_it_is_parts", what},
                                                            {"looks_parts", text.looks},
                                                            {"pytorch_parts", text.pytorch},
                                                            {"libtorch_parts", text.libtorch},
                                                            {"no_problem_parts", text.no_problem}};
  for (const auto& [key, words] : texts) data.set(key, prose(flowing(words)));
  return data;
}

const Explanation* named(std::span<const Explanation> texts, std::string_view name) {
  for (const Explanation& text : texts)
    if (text.name == name) return &text;
  return nullptr;
}

void add_causes(const std::vector<ReportRun>& runs, std::set<CauseKind>& kinds) {
  if (runs.empty()) return;
  for (const Site& site : runs.front().summary->sites)
    if (!site.of_the_tool) kinds.insert(site.cause.kind);
}

}  // namespace

void add_explanations(const ReportInput& input, Data& page) {
  std::set<CauseKind> kinds;
  add_causes(input.before, kinds);
  add_causes(input.after, kinds);
  Data list{Data::type::list};
  for (const FixText& fix : input.fixes)
    list.push_back(explanation(fix.name, fix.title, fix.explanation, named(fix_explanations(), fix.name)));
  for (const CauseKind kind : kinds) {
    const CauseInfo& info = info_of(kind);
    if (const Explanation* text = named(cause_explanations(), info.slug))
      list.push_back(explanation(info.slug, info.title, text->what, text));
  }
  page.set("has_explanations", flag(!list.is_empty_list()));
  page.set("explanations", list);
}

}  // namespace zerostall
