// What the page's button copies: for a comment or a chat.
#pragma once
#include <string>

#include "reports/html_report.h"

namespace zerostall {

// GitHub-flavoured Markdown. That of `check` or `verify` where one gave the verdict; else the sentence and the table.
std::string render_report_markdown(const ReportInput& input);

}  // namespace zerostall
