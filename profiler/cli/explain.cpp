#include "profiler/cli/explain.h"

#include <string_view>
#include <vector>

#include "fixes/catalog.h"
#include "profiler/cli/names.h"
#include "reports/explain_text.h"

namespace zerostall::cli {

Outcome run_explain(const ExplainOptions& options) {
  std::vector<FixText> texts;
  for (const fixes::Fix& fix : fixes::all()) texts.push_back({fix.name, fix.title, fix.cause, fix.explanation});
  if (options.name.empty()) return {ExitCode::ok, render_names(texts), {}};

  std::vector<std::string_view> names;
  for (std::size_t kind = 0; kind < kCauseKinds; ++kind) {
    names.push_back(info_of(static_cast<CauseKind>(kind)).slug);
    if (names.back() == options.name) return {ExitCode::ok, render_explanation(static_cast<CauseKind>(kind)), {}};
  }
  for (const FixText& fix : texts) {
    names.push_back(fix.name);
    if (fix.name == options.name) return {ExitCode::ok, render_explanation(fix), {}};
  }
  return fail(ExitCode::bad_use, unknown_name("name", options.name, names));
}

}  // namespace zerostall::cli
