// What the HTML report and its JSON say, as figures, rows and sentences: made once, so that both say the same. Texts
// are fit to be shown: in one line, cut where they are long, without folders of the machine.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/html_report.h"

namespace zerostall::report {

// How far a change, or a figure on its own, can be relied on.
enum class Sure : std::uint8_t { exact, significant, not_significant, not_tested, modelled, cannot_tell };
std::string_view name_of(Sure sure);   // "not-significant"
std::string_view words_of(Sure sure);  // "no significant difference"

struct FigureSide {
  std::int64_t median = 0, p95 = 0;
  std::optional<std::int64_t> min, max;  // of counts
  std::string text;                      // as shown
};

struct Figure {
  std::string key;  // "waits", "step_ns"
  std::string title;
  bool is_time = false;                     // nanoseconds
  std::optional<FigureSide> before, after;  // nullopt = unknown, or there is no such side
  std::string change;                       // "-3", "same", "differs", "unknown"; "" = of one side
  Sure sure = Sure::exact;
  std::string why;  // what that rests on; "" = it goes without saying
};

struct FigureGroup {
  std::string title;      // "per judged step"
  bool modelled = false;  // none of it was measured
  std::vector<Figure> rows;
};
std::vector<FigureGroup> figures_of(const ReportInput& input);

// The verdict of the gate where there is one; else what changed, or what waits.
struct ReportVerdict {
  std::string kind;  // "pass", "violation", "cannot-tell", "changed", "equal", "counted"
  std::string word;  // "Pass"
  std::string sentence;
  std::vector<std::string> reasons;     // why it is not a pass, or what makes two runs hard to compare
  std::vector<std::string> incomplete;  // what is missing of the traces: it stands right under the sentence
  std::vector<std::string> beside;      // what to know beside it: waits allowed, outside of steps, of other threads
};
ReportVerdict verdict_of(const ReportInput& input);

// A place that waits, on one side or both.
struct SiteSide {
  std::int64_t waits = 0;                    // in the whole run
  std::optional<Spread> per_step;            // nullopt: no judged steps
  std::optional<std::int64_t> blocked_ns;    // in the whole run
  std::optional<std::int64_t> avoidable_ns;  // likewise
};
struct SiteRow {
  std::string id, place, cause, cause_title, confidence, advice, what, evidence, via;
  std::string region;  // where the place is an address of a library; "" = it is named by more, or in no region
  std::int64_t kinds = 1;
  std::optional<SiteSide> before, after;  // nullopt: nothing waits there
  std::string state;                      // "gone", "new", "fewer", "more", "same"; "" = of one side
  std::vector<std::string> stack;         // innermost first; empty = not recorded
  std::string stack_note;                 // why it is cut or missing
};
struct SiteRows {
  std::vector<SiteRow> rows;
  std::int64_t left_out = 0;
};
SiteRows sites_of(const ReportInput& input);

// Facts of a run for "what was run", and what is missing in it.
struct RunFacts {
  std::string name, trace, program, device, tool, steps;
  std::vector<std::string> missing;
  std::string watched;  // where nothing waits: what was looked at
};
RunFacts facts_of(const ReportRun& run);

// A text of the program or of a user, fit to be shown; absolute paths in it become names of files.
std::string shown(std::string_view text, std::size_t most = 240);

// In cells: "3", "1–3, median 2"; without the median "1–3", "unknown". In sentences: "3", "1 to 3 (median 2)".
std::string show_spread(const Spread& spread);
std::string show_bounds(const std::optional<Spread>& spread);
std::string spread_in_words(const Spread& spread);

// A time by its own unit, three figures long: "850 ns", "12.3 µs", "1.25 ms", "2.31 s"; "unknown".
std::string show_duration(const Count& nanos);
// Steps whose times count: judged and steady.
std::vector<const StepRow*> steady_steps(const RunSummary& run);

inline bool is_modelled(const RunSummary& run) { return run.meta.clock == Clock::modelled; }

}  // namespace zerostall::report
