#include <fmt/format.h>

#include "profiler/base/strings.h"
#include "profiler/cli/command_tree.h"
#include "profiler/cli/page.h"
#include "profiler/cli/page_render.h"

namespace zerostall::cli {
namespace {

// The code point that begins at `at`; moves `at` behind it. The texts are ours, so whole.
unsigned code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  const unsigned first = byte(at++);
  if (first < 0x80) return first;
  unsigned value = first < 0xe0 ? first & 0x1f : first < 0xf0 ? first & 0x0f : first & 0x07;
  for (; at < text.size() && (byte(at) & 0xc0) == 0x80; ++at) value = value << 6 | (byte(at) & 0x3f);
  return value;
}

// A line of text: nothing in it is a request, and dashes can be copied into a shell.
std::string escaped(std::string_view text) {
  std::string out = !text.empty() && (text[0] == '.' || text[0] == '\'') ? "\\&" : "";
  for (std::size_t at = 0; at < text.size();) {
    switch (const unsigned c = code_point(text, at); c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c < 0x80 ? std::string(1, static_cast<char>(c)) : fmt::format("\\[u{:04X}]", c);
    }
  }
  return out;
}

// Escaped, no line longer than a screen: sources of man pages are read too.
std::string lines(std::string_view text) {
  std::string out;
  const std::string all = filled(text, kHelpWidth, 0);
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    out += escaped(std::string_view(all).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

std::string verbatim(std::string_view text) {
  std::string out = ".PP\n.nf\n.RS 4\n";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += escaped(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + ".RE\n.fi\n";
}

std::string prose(std::string_view text) {
  std::string out, paragraph, code;
  const auto flush = [&] {
    if (!paragraph.empty()) out += (out.empty() ? "" : ".PP\n") + lines(paragraph);
    if (!code.empty()) out += verbatim(code);
    paragraph.clear(), code.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_code = line.starts_with("  ");
    if (line.empty() || is_code != !code.empty()) flush();
    if (is_code)
      code.append(line.substr(2)).append("\n");
    else
      paragraph.append(paragraph.empty() || line.empty() ? "" : " ").append(line);
  }
  flush();
  return out;
}

std::string tagged(const std::string& word, const std::string& meaning) {
  return ".TP\n.B " + escaped(word) + "\n" + lines(meaning);
}

std::string terms(const std::vector<Term>& all) {
  std::string out;
  for (const Term& term : all) out += tagged(term.word, term.meaning);
  return out;
}

std::string heading(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return ".SH \"" + escaped(text) + "\"\n";
}

std::string options_text(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : positionals_of(app)) out += tagged(option->get_name(), option->get_description());
  for (const std::string& group : app.get_groups()) {
    std::string rows;
    for (const CLI::Option* option : options_of(app))
      if (option->get_group() == group) rows += tagged(option_title(*option), option->get_description());
    if (!rows.empty()) out += (group == "Options" ? "" : ".SS \"" + escaped(group) + "\"\n") + rows;
  }
  return out;
}

std::string examples_text(const Page& page) {
  std::string out = heading("Examples");
  for (const Example& example : page.examples) {
    out += (&example == &page.examples.front() ? "" : ".PP\n") + lines(sentence(example.says) + ":") +
           verbatim(example.line);
    if (!example.prints.empty()) out += ".PP\nprints, among the rest:\n" + verbatim(example.prints);
  }
  return out;
}

// ".BR zerostall-stat (1),"
std::string see_also(const std::vector<std::string>& names) {
  std::string out = heading("See also");
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format(".BR {} (1){}\n", escaped(names[i]), i + 1 < names.size() ? "," : "");
  return out;
}

std::string head(const std::string& name, const std::string& purpose, const std::string& usage) {
  constexpr const char* kDate = "2026-12-01";  // of the texts; not of the build, which is to give the same files again
  return fmt::format(".TH {} 1 \"{}\" \"zerostall {}\" \"zerostall\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}",
                     escaped(name), kDate, ZEROSTALL_VERSION, escaped(name), escaped(purpose), lines(usage));
}

std::string sections(const Page& page) {
  std::string out;
  for (const Section& section : page.sections)
    out += heading(section.title.empty() ? "Description" : section.title) + prose(section.text) + terms(section.terms);
  return out;
}

std::string page_text(const CLI::App& command, const Page& page) {
  std::string out = head("zerostall-" + page.name, command.get_description(), usage_of(command)) + sections(page) +
                    heading("Options") + options_text(command);
  for (const CLI::App* part : commands_of(command))
    out += heading("zerostall " + page.name + " " + part->get_name()) + lines(part->get_description() + ".") +
           verbatim(usage_of(*part)) + options_text(*part);
  std::vector<std::string> others = {"zerostall"};
  for (const std::string& name : page.see_also) others.push_back("zerostall-" + name);
  return out + examples_text(page) + heading("Exit status") + terms(page.exit_codes) + see_also(others);
}

std::string program_text(const CLI::App& app) {
  const Page& page = page_of("");
  std::string out = head("zerostall", "count what a training step waits for", usage_of(app)) + heading("Description") +
                    lines(app.get_description());
  for (const Section& section : page.sections) out += ".PP\n" + prose(section.text);
  out += heading("Commands");
  std::vector<std::string> others;
  for (const CLI::App* command : commands_of(app)) {
    out += tagged(command->get_name(), command->get_description());
    others.push_back("zerostall-" + command->get_name());
  }
  return out + heading("Options") + options_text(app) + examples_text(page) + heading("Exit status") +
         terms(page.exit_codes) + see_also(others);
}

}  // namespace

std::map<std::string, std::string> man_pages() {
  std::map<std::string, std::string> files;
  with_command_tree([&](const CLI::App& app) {
    files["zerostall.1"] = program_text(app);
    for (const CLI::App* command : commands_of(app))
      files["zerostall-" + command->get_name() + ".1"] = page_text(*command, page_of(command->get_name()));
  });
  return files;
}

}  // namespace zerostall::cli
