// `zerostall check` as GitHub-flavoured Markdown: the comment of a pull or merge request, and the summary of a job
// ($GITHUB_STEP_SUMMARY).
#pragma once
#include <string>
#include <string_view>

#include "profiler/gate/check.h"

namespace zerostall {

// A comment that holds this is ours: it is updated, not answered by a second one.
inline constexpr std::string_view kCheckMarker = "<!-- zerostall:check -->";

// First line: the verdict, with what it was before where there is a baseline. At most 15 lines are visible, the rest
// is folded (<details>); the last line is kCheckMarker. Holds neither the command nor folders of the user's. Names
// of the program under test stand in code spans or are escaped: no HTML, links, mentions or images of theirs. Stays
// below 60,000 bytes: GitHub refuses comments of more than 65,536.
std::string render_check_markdown(const CheckReport& report);

// A text in a code span that nothing in it can end, fit for a cell of a table.
std::string markdown_code(std::string_view text);
// A text as it is, without a meaning for Markdown.
std::string markdown_text(std::string_view text);

}  // namespace zerostall
