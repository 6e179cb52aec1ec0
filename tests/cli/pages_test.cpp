// Help, pages and completion scripts agree with the options, and what they show can be typed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "profiler/base/strings.h"
#include "profiler/cli/command_tree.h"
#include "profiler/cli/completion.h"
#include "profiler/cli/completion_hint.h"
#include "profiler/cli/options.h"
#include "profiler/cli/page.h"
#include "profiler/cli/page_render.h"

namespace zerostall::cli {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// The words from "zerostall" on in a line for a shell (something may feed or launch it), up to a pipe or redirection;
// quotes are taken off.
std::vector<std::string> arguments_in(std::string line) {
  if (const auto start = line.find(" zerostall "); start != std::string::npos) line = line.substr(start + 1);
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool any = false;
  const auto end_word = [&] {
    if (any) words.push_back(word);
    word.clear(), any = false;
  };
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c, any = true;
    } else if (c == ' ') {
      end_word();
    } else if (c == '|' || c == '>') {
      break;
    } else {
      word += c, any = true;
    }
  }
  end_word();
  return words;
}

Result<Options> parse(const std::vector<std::string>& words) {
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Pages, EveryCommandHasOneWithExamplesAndExitCodes) {
  with_command_tree([](const CLI::App& app) {
    for (const CLI::App* command : commands_of(app)) {
      const Page& page = page_of(command->get_name());
      EXPECT_EQ(page.name, command->get_name());
      EXPECT_GE(page.examples.size(), 2u) << page.name;
      EXPECT_GE(page.exit_codes.size(), 2u) << page.name;
      for (const std::string& other : page.see_also) EXPECT_EQ(page_of(other).name, other) << page.name;
    }
    EXPECT_EQ(pages().size(), commands_of(app).size() + 1);
  });
}

TEST(Pages, EachExampleCanBeTyped) {
  for (const Page& page : pages())
    for (const Example& example : page.examples) {
      const auto words = arguments_in(example.line);
      ASSERT_FALSE(words.empty());
      EXPECT_EQ(words.front(), "zerostall") << example.line;
      const auto parsed = parse(words);
      EXPECT_TRUE(parsed) << example.line << ": " << (parsed ? "" : parsed.error().message);
      EXPECT_FALSE(example.says.empty()) << example.line;
    }
  EXPECT_FALSE(parse(arguments_in("zerostall stat --no-such-option"))) << "a wrong one would be seen";
}

TEST(Pages, AreCheckedInAsTheyAreMade) {
  const fs::path folder = fs::path(ZEROSTALL_SOURCE_DIR) / "profiler/cli/pages";
  const auto made = markdown_pages();
  for (const auto& [name, text] : made)
    EXPECT_EQ(text_of(folder / name), text) << name << " is not up to date: ninja -C build pages";
  for (const auto& entry : fs::directory_iterator(folder))
    EXPECT_EQ(made.count(entry.path().filename().string()), 1u) << entry.path() << " belongs to no command: delete it";
}

TEST(Pages, HelpFitsEightyColumns) {
  for (const Page& page : pages()) {
    const auto parsed = page.name.empty() ? parse({"zerostall", "--help"}) : parse({"zerostall", page.name, "--help"});
    ASSERT_TRUE(parsed);
    std::istringstream help(std::get<ShowOptions>(*parsed).text);
    const bool is_init = page.name == "init";  // keys of a policy, with values that cannot be broken
    for (std::string line; std::getline(help, line);) {
      const bool may_be_long = is_init || line.find("zerostall ") != std::string::npos;
      if (!may_be_long) {
        EXPECT_LE(characters(line), 80u) << page.name << ": " << line;
      }
    }
  }
}

TEST(Pages, ManPagesHoldNoLineThatIsReadAsARequest) {
  const auto files = man_pages();
  EXPECT_EQ(files.size(), pages().size());
  for (const auto& [name, text] : files) {
    EXPECT_THAT(text, HasSubstr(".SH NAME\n"));
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      for (const char c : line) EXPECT_LT(static_cast<unsigned char>(c), 0x80) << name << ": " << line;
      if (!line.starts_with('.')) continue;
      const std::string request = line.substr(1, line.find(' ') - 1);
      EXPECT_THAT((std::vector<std::string>{"TH", "SH", "SS", "PP", "TP", "B", "BR", "nf", "fi", "RS", "RE"}),
                  ::testing::Contains(request))
          << name << ": " << line;
    }
  }
}

TEST(Completion, KnowsWhatFollowsEachOptionThatHasAFewValues) {
  with_command_tree([](const CLI::App& app) {
    const auto hint = [&](const char* command, const char* option) {
      return hint_of(*app.get_subcommand(command)->get_option(option));
    };
    EXPECT_THAT(hint("record", "--device").words, ::testing::IsSupersetOf({"auto", "gpu", "sim"}));
    EXPECT_EQ(hint("record", "--stacks").words, (std::vector<std::string>{"none", "waits", "all"}));
    EXPECT_EQ(hint("stat", "FILE").words, trace_endings());
    EXPECT_EQ(hint("check", "--out").kind, CompletionHint::Kind::words_and_file);
    EXPECT_EQ(hint("check", "--keep").kind, CompletionHint::Kind::files);
    EXPECT_EQ(hint("verify", "--keep").kind, CompletionHint::Kind::folders);
    EXPECT_EQ(hint("stat", "--warmup").kind, CompletionHint::Kind::nothing);
  });
}

TEST(Completion, ScriptsNameEveryOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell);
    with_command_tree([&](const CLI::App& app) {
      for (const CommandPath& path : command_paths(app))
        for (const CLI::Option* option : options_of(*path.app))
          for (const std::string& name : option->get_lnames()) EXPECT_THAT(script, HasSubstr(name)) << shell;
    });
  }
}

}  // namespace
}  // namespace zerostall::cli
