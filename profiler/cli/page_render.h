// Pages of commands for readers outside the program: Markdown for the repository, roff for man.
#pragma once
#include <map>
#include <string>

namespace zerostall::cli {

// Name of the file -> its text. README.md is the index.
std::map<std::string, std::string> markdown_pages();

// zerostall.1, zerostall-stat.1 ... ASCII; lines for groff -man and mandoc alike.
std::map<std::string, std::string> man_pages();

}  // namespace zerostall::cli
