#include "profiler/tracer/command.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "profiler/tracer/stored_path.h"

namespace zerostall::tracer {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 17;

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }  // npos + 1 = 0

std::vector<std::string_view> split(std::string_view bytes) {
  std::vector<std::string_view> list;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\0'), bytes.size());
    list.push_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return list;
}

// What of Python's own command line names its script. `behind`: position of the first argument of the script.
struct Script {
  std::string_view text;
  bool is_path = false;
  std::size_t behind = 0;
};

// -m and -c take the rest of their word, or the next one, and end Python's own options; -W and -X take a value too.
// Letters can stand together: "-um".
Script of_letters(const std::vector<std::string_view>& words, std::size_t& at) {
  const std::string_view word = words[at];
  for (std::size_t i = 1; i < word.size(); ++i) {
    const char letter = word[i];
    const bool takes_value = letter == 'm' || letter == 'c' || letter == 'W' || letter == 'X';
    if (!takes_value) continue;
    if (i + 1 == word.size()) ++at;  // the value is the next word
    if (letter == 'c') return {"-c", false, at + 1};
    if (letter == 'm' && at < words.size())
      return {i + 1 == word.size() ? words[at] : word.substr(i + 1), false, at + 1};
    break;
  }
  return {};
}

Script find_script(const std::vector<std::string_view>& words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (word == "-") return {word, false, at + 1};
    if (word == "--" && at + 1 < words.size()) return {words[at + 1], true, at + 2};
    if (word == "--check-hash-based-pycs") ++at;
    if (word.starts_with("--")) continue;
    if (!word.starts_with('-')) return {word, true, at + 1};
    if (const Script found = of_letters(words, at); found.behind != 0) return found;
  }
  return {};
}

// A module's name, and nothing that only stands where one is expected.
bool is_module(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c == '.' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c > 127;
  });
}

std::string executable() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return std::string(path, n > 0 ? static_cast<std::size_t>(n) : 0);
}

std::string read_arguments(bool& whole) {
  std::string bytes(kMostBytes, '\0');
  std::size_t used = 0;
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t n = 0;
  while (file >= 0 && used < bytes.size() && (n = ::read(file, bytes.data() + used, bytes.size() - used)) > 0)
    used += static_cast<std::size_t>(n);
  if (file >= 0) ::close(file);
  bytes.resize(used);
  whole = used > 0 && used < kMostBytes;
  return bytes;
}

}  // namespace

Command read_command(std::string_view program, std::string_view arguments, bool whole,
                     const std::function<std::string(std::string_view)>& tell_path) {
  Command command;
  command.program = file_name(program);
  const std::vector<std::string_view> words = split(arguments);
  std::size_t behind = 1;
  if (command.program.starts_with("python")) {
    const Script script = find_script(words);
    if (script.is_path)
      command.script = tell_path(script.text);
    else if (script.text == "-c" || script.text == "-")
      command.script = script.text;
    else if (is_module(script.text))
      command.script = "-m " + std::string(script.text);
    if (script.behind != 0) behind = script.behind;
  }
  if (whole && !words.empty())
    command.arguments = static_cast<std::int64_t>(words.size() - std::min(behind, words.size()));
  return command;
}

Command own_command() {
  bool whole = false;
  const std::string arguments = read_arguments(whole);
  return read_command(executable(), arguments, whole, [](std::string_view path) { return stored_path(path); });
}

}  // namespace zerostall::tracer
