#include "profiler/cli/report_options.h"

#include "profiler/cli/option_parts.h"
#include "profiler/cli/page.h"

namespace zerostall::cli {

void add_report(CLI::App& app, ReportArguments& options) {
  CLI::App* report =
      app.add_subcommand("report", "Write one HTML page: what waits, or what changed between two traces");
  report->group(kYourProgram)->footer(help_text(page_of("report")));
  trace_word(report->add_option("A", options.a, "A trace, as `stat` takes it (default: the newest run*.zstall here)"));
  trace_word(report->add_option("B", options.b, "The trace after a change: the page compares it with A"));
  word(report->add_option("-o,--output", options.output, "The page to write (- or nothing: standard output)"), "FILE");
  rank(report, options.rank, "The process to show in full, of several (default: the one of A that waits most)");
  report
      ->add_option("--max-size", options.max_bytes,
                   "Leave parts of the timeline out beyond this size of the page (default: 8 MB)")
      ->type_name("SIZE")
      ->transform(CLI::Validator(byte_size, ""));
  most_expanded(report, options.most_expanded);
  how_to_find_steps(report, options.warmup, options.step_pattern);
}

}  // namespace zerostall::cli
