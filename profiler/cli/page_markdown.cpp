#include <fmt/format.h>

#include "profiler/base/strings.h"
#include "profiler/cli/command_tree.h"
#include "profiler/cli/page.h"
#include "profiler/cli/page_render.h"

namespace zerostall::cli {
namespace {

// What a reader of Markdown would take for markup, outside code.
std::string plain(std::string_view text) {
  std::string out;
  bool code = false;
  for (const char c : text) {
    if (c == '`') code = !code;
    if (!code && (c == '*' || c == '_' || c == '<' || c == '|')) out += '\\';
    out += c;
  }
  return out;
}

// Paragraphs as they are, lines that are indented as code.
std::string prose(std::string_view text) {
  std::string out;
  bool code = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (const bool is_code = line.starts_with("  "); is_code != code) {
      out += is_code ? "\n" : out.ends_with("\n\n") ? "" : "\n";
      code = is_code;
    }
    out += code ? "  " + std::string(line) : plain(line);
    out += "\n";
  }
  return out;
}

std::string terms(const std::vector<Term>& all) {
  std::string out;
  for (const Term& term : all) out += fmt::format("- `{}`: {}\n", term.word, plain(term.meaning));
  return out;
}

std::string options_text(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : positionals_of(app))
    out += fmt::format("- `{}`: {}\n", option->get_name(), plain(option->get_description()));
  for (const std::string& group : app.get_groups()) {
    std::string rows;
    for (const CLI::Option* option : options_of(app))
      if (option->get_group() == group)
        rows += fmt::format("- `{}`: {}\n", option_title(*option), plain(option->get_description()));
    if (!rows.empty()) out += (out.empty() ? "" : "\n") + ("**" + group + "**\n\n") + rows;
  }
  return out;
}

std::string section_text(const Section& section) {
  std::string out = section.title.empty() ? "" : "## " + section.title + "\n";
  if (!section.text.empty()) out += prose(section.text);
  if (!section.terms.empty()) out += (section.text.empty() ? "" : "\n") + terms(section.terms);
  return out + "\n";
}

std::string examples_text(const Page& page) {
  std::string out = "## Examples\n";
  for (const Example& example : page.examples) {
    out += fmt::format("{}{}:\n\n    {}\n", out.ends_with("Examples\n") ? "" : "\n", plain(sentence(example.says)),
                       example.line);
    if (example.prints.empty()) continue;
    out += "\nprints, among the rest:\n\n    ";
    for (const char c : example.prints) out += c == '\n' ? std::string("\n    ") : std::string(1, c);
    out += "\n";
  }
  return out + "\n";
}

std::string see_also(const Page& page) {
  std::string out = "## See also\n";
  for (const std::string& name : page.see_also)
    out += fmt::format("{}[zerostall {}]({}.md)", &name == &page.see_also.front() ? "" : ", ", name, name);
  return out + "\n";
}

std::string page_text(const CLI::App& command, const Page& page) {
  std::string out =
      fmt::format("# zerostall {}\n{}.\n\n    {}\n\n", page.name, plain(command.get_description()), usage_of(command));
  for (const Section& section : page.sections) out += section_text(section);
  out += "## Options\n" + options_text(command) + "\n";
  for (const CLI::App* part : commands_of(command))
    out += fmt::format("## zerostall {} {}\n{}.\n\n    {}\n\n{}\n", page.name, part->get_name(),
                       plain(part->get_description()), usage_of(*part), options_text(*part));
  return out + examples_text(page) + "## Exit codes\n" + terms(page.exit_codes) + "\n" + see_also(page);
}

std::string index_text(const CLI::App& app) {
  std::string out = fmt::format("# The commands of zerostall\n{}\n", plain(app.get_description()));
  std::string group;
  for (const CLI::App* command : commands_of(app)) {
    if (command->get_group() != group) {
      group = command->get_group();
      out += fmt::format("\n{}:\n\n", group);
    }
    out +=
        fmt::format("- [{}]({}.md): {}\n", command->get_name(), command->get_name(), plain(command->get_description()));
  }
  out += "\nExit codes of all:\n\n" + terms(page_of("").exit_codes);
  return out +
         "\nMade from what `--help` says by `ninja -C build pages`: change the options and "
         "profiler/cli/page_texts_*.cpp,\n"
         "not these files.\n";
}

}  // namespace

std::map<std::string, std::string> markdown_pages() {
  std::map<std::string, std::string> files;
  with_command_tree([&](const CLI::App& app) {
    files["README.md"] = index_text(app);
    for (const CLI::App* command : commands_of(app))
      files[command->get_name() + ".md"] = page_text(*command, page_of(command->get_name()));
  });
  return files;
}

}  // namespace zerostall::cli
