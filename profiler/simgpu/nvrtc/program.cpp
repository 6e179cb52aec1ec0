#include "profiler/simgpu/nvrtc/program.h"

#include <elf.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace zerostall::simgpu::nvrtc {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The source with comments and string literals blanked out; `"C"` stays, since it decides about names.
std::string without_comments(std::string_view source) {
  std::string text(source);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, text.size()); ++i)
      if (text[i] != '\n') text[i] = ' ';
  };
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    std::size_t end = i;
    if (text.compare(i, 2, "//") == 0) {
      end = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", i + 2);
      end = close == std::string::npos ? text.size() : close + 2;
    } else if (text[i] == '"') {
      end = i + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      ++end;
      if (text.compare(i, 3, "\"C\"") == 0) {
        i = end - 1;
        continue;
      }
    }
    if (end == i) continue;
    blank(i, end);
    i = end - 1;
  }
  return text;
}

// Position after the parentheses that open at or after `at`, if nothing but blanks comes before them; else `at`.
std::size_t after_parentheses(const std::string& text, std::size_t at) {
  std::size_t i = at;
  while (i < text.size() && std::isspace(static_cast<unsigned char>(text[i]))) ++i;
  if (i >= text.size() || text[i] != '(') return at;
  int depth = 0;
  for (; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return text.size();
}

// The name in `... __global__ [attributes] void [attributes] NAME (`, from behind `__global__`.
std::string declared_name(const std::string& text, std::size_t at) {
  while (at < text.size()) {
    if (!in_word(text[at])) {
      if (text[at] == ';' || text[at] == '{' || text[at] == '(') return {};
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    const std::size_t after = after_parentheses(text, end);
    const bool attribute = word.starts_with("__");  // __launch_bounds__(...), __attribute__((...))
    if (after != end && !attribute) return word;
    at = attribute ? after : end;
  }
  return {};
}

// What stands before `__global__` in its declaration: since the last `;`, `}` or, for extern "C" blocks, `{`.
std::string_view before(const std::string& text, std::size_t at) {
  const std::size_t last = text.find_last_of(";}", at);
  const std::size_t begin = last == std::string::npos ? 0 : last + 1;
  return std::string_view(text).substr(begin, at - begin);
}

std::string mangled(const std::string& identifier) {
  return "_Z" + std::to_string(identifier.size()) + identifier + "v";
}

}  // namespace

std::vector<Kernel> kernels_of(std::string_view source) {
  const std::string text = without_comments(source);
  constexpr std::string_view kGlobal = "__global__";
  std::vector<Kernel> kernels;
  for (std::size_t at = text.find(kGlobal); at != std::string::npos; at = text.find(kGlobal, at + kGlobal.size())) {
    const std::string name = declared_name(text, at + kGlobal.size());
    const bool known = std::any_of(kernels.begin(), kernels.end(), [&](const Kernel& k) { return k.name == name; });
    if (name.empty() || known) continue;
    const std::string_view head = before(text, at);
    const bool c_linkage = head.find("\"C\"") != std::string_view::npos;
    kernels.push_back({name, c_linkage ? name : mangled(name), head.find("template") != std::string_view::npos});
  }
  return kernels;
}

std::string lowered_name(const std::vector<Kernel>& kernels, std::string_view expression) {
  std::string text(expression);
  std::erase_if(text, [](char c) { return std::isspace(static_cast<unsigned char>(c)) || c == '&'; });
  const std::size_t arguments = std::min(text.find('<'), text.size());
  const std::size_t scope = text.rfind("::", arguments);
  const std::string name =
      text.substr(scope == std::string::npos ? 0 : scope + 2, arguments - (scope == std::string::npos ? 0 : scope + 2));
  const auto kernel = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& k) { return k.name == name; });
  if (kernel == kernels.end()) return {};
  if (kernel->symbol == kernel->name || arguments == text.size()) return kernel->symbol;
  std::string identifier = text;
  std::replace_if(
      identifier.begin(), identifier.end(), [](char c) { return !in_word(c); }, '_');
  return mangled(identifier);
}

std::string architecture(const std::vector<std::string>& options, const std::string& otherwise) {
  for (std::size_t i = 0; i < options.size(); ++i)
    for (const char* option : {"--gpu-architecture", "-arch"}) {
      if (!options[i].starts_with(option)) continue;
      const std::string rest = options[i].substr(std::strlen(option));
      if (rest.starts_with("=")) return rest.substr(1);
      if (rest.empty() && i + 1 < options.size()) return options[i + 1];
    }
  return otherwise;
}

std::string ptx_for(const std::vector<std::string>& symbols, const std::string& architecture) {
  const std::size_t digits = architecture.find('_');
  std::string text =
      "//\n// Made by zerostall's simulated NVRTC: nothing was compiled, the kernels are empty.\n//\n\n.version "
      "8.0\n.target sm_" +
      (digits == std::string::npos ? architecture : architecture.substr(digits + 1)) + "\n.address_size 64\n\n";
  for (const std::string& symbol : symbols) text += ".visible .entry " + symbol + "()\n{\n\tret;\n}\n\n";
  return text;
}

std::string cubin_for(const std::string& ptx) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_CUDA;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + ptx;
}

}  // namespace zerostall::simgpu::nvrtc
