#include "profiler/cli/compare_options.h"

#include "profiler/cli/completion_hint.h"
#include "profiler/cli/option_parts.h"
#include "profiler/cli/page.h"

namespace zerostall::cli {
namespace {

std::vector<std::string> explained_names() {
  std::vector<std::string> names = cause_names();
  for (const std::string& fix : fix_names()) names.push_back(fix);
  return names;
}

}  // namespace

void add_diff(CLI::App& app, DiffOptions& options) {
  CLI::App* diff =
      app.add_subcommand("diff", "Compare two traces: which waits are gone, new or changed, and the times");
  diff->group(kYourProgram)->footer(help_text(page_of("diff")));
  trace_word(diff->add_option("TRACE", options.a, "Traces, as `stat` takes them: A and B, or all of side A with --vs"));
  trace_word(diff->add_option("--vs", options.b, "The traces of side B"), "TRACE...");
  diff->add_flag("--json", options.json, "Print JSON (schema zerostall/diff/1)");
  rank(diff, options.rank, "The process to compare, of several (default: the one of A that waits most)");
  most_expanded(diff, options.most_expanded);
  how_to_find_steps(diff, options.warmup, options.step_pattern);
}

void add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* explain =
      app.add_subcommand("explain", "Say what a cause of waits or a fix is, how it looks, and what to write instead");
  explain->group(kYourProgram)->footer(help_text(page_of("explain")));
  complete_words(
      word(explain->add_option("NAME", options.name, "A cause (scalar-read ...) or a fix (bn-pinning ...)"), ""),
      explained_names());
}

Result<Options> chosen_diff(DiffOptions options) {
  if (options.b.empty()) {
    if (options.a.size() != 2)
      return Error{options.a.size() < 2
                       ? "diff needs two traces: zerostall diff A B, or zerostall diff A1 A2 --vs B1 B2"
                       : "more than two traces: say where side B begins, zerostall diff A1 A2 --vs B1 B2"};
    options.b = {options.a.back()};
    options.a.pop_back();
  }
  if (options.a.empty()) return Error{"no trace in front of --vs: zerostall diff A1 A2 --vs B1 B2"};
  return Options(std::move(options));
}

}  // namespace zerostall::cli
