// `zerostall verify` for a person and as data.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/gate/verify.h"

namespace zerostall {

// Of the times in the report: modelled on a simulated device, else as the traces say; nullopt when none was left.
std::optional<Clock> clock_of(const VerifyReport& report);

// The verdict in one sentence, and what is expected to stay and why, a sentence each.
std::string verify_sentence(const VerifyReport& report);
std::vector<std::string> verify_rest(const VerifyReport& report);

// One header line, a table with a line per setting, the whole step, reasons, verdict, notes. Ends in a newline.
std::string render_verify_text(const VerifyReport& report);

// Schema zerostall/verify/1 of metrics.md. Holds nothing that differs between two equal runs.
std::string render_verify_json(const VerifyReport& report);

// For a comment or the summary of a CI job: GitHub-flavoured Markdown, the verdict first, the text folded, a hidden
// marker last.
inline constexpr std::string_view kVerifyMarker = "<!-- zerostall:verify -->";
std::string render_verify_markdown(const VerifyReport& report);

// JUnit XML (junit-10.xsd): one test case per setting; a violation is a <failure>, what cannot be told an <error>.
std::string render_verify_junit(const VerifyReport& report);

}  // namespace zerostall
