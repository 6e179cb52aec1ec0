// What is said about each command beside its options: the one source of the end of --help, of the man pages and of the
// pages in profiler/cli/pages. The options themselves come from the tree of command_tree.h.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zerostall::cli {

struct Term {
  std::string word, meaning;
};

// Paragraphs are lines without indentation, filled by whoever renders them; lines that begin with two spaces stay as
// they are. An empty line ends a paragraph.
struct Section {
  std::string title;  // "" = the first, which has none
  std::string text;
  std::vector<Term> terms = {};  // behind the text
};

struct Example {
  std::string line;         // as typed, beginning with "zerostall" or, in a pipe, holding "| zerostall"
  std::string says = {};    // what it is for, half a line
  std::string prints = {};  // the part of its output to look at, as seen in a real run; "" = nothing worth showing
};

enum class TakesCommand { no, optional, needed };  // behind `--`

struct Page {
  std::string name;  // "stat"; "" = zerostall itself
  TakesCommand command = TakesCommand::no;
  std::vector<Section> sections = {};
  std::vector<Example> examples = {};
  std::vector<Term> exit_codes = {};
  std::vector<std::string> see_also = {};  // names of commands
};

// In the order of --help, zerostall itself first.
std::span<const Page> pages();
const Page& page_of(std::string_view command);  // of an unknown one: an empty page

// Parts of pages(), by theme.
std::vector<Page> trace_pages();  // record, stat, diff, export, report
std::vector<Page> gate_pages();   // check, baseline, history, init
std::vector<Page> other_pages();  // verify, explain, doctor, completion

// Words of a text filled into lines of `width` characters, the first of which has `indent` spaces less to come. Words
// that are longer stand alone.
std::string filled(std::string_view text, std::size_t width, std::size_t indent);

// With a capital at its front: "A row for each step".
std::string sentence(std::string text);

// Sections, examples and exit codes as --help ends with them: at most 80 columns where the text allows.
std::string help_text(const Page& page);

inline constexpr std::size_t kHelpWidth = 80;

}  // namespace zerostall::cli
