#include "profiler/trace/symbol_files.h"

#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

#include "profiler/base/strings.h"
#include "profiler/trace/elf_id.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;

void add(std::vector<fs::path>& list, const fs::path& path) {
  std::error_code error;
  if (path.empty() || !fs::exists(path, error) || std::find(list.begin(), list.end(), path) != list.end()) return;
  list.push_back(path);
}

// "lib/python3.11" and the like of an installation.
std::vector<fs::path> library_folders(const fs::path& prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const char* lib : {"lib", "lib64"})
    for (const auto& entry : fs::directory_iterator(prefix / lib, error))
      if (entry.path().filename().string().starts_with("python3")) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// The prefix a virtual environment was made from.
fs::path base_of(const fs::path& environment) {
  std::ifstream in(environment / "pyvenv.cfg");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("home = ")) return fs::path(line.substr(7)).parent_path();
  return {};
}

void add_python(std::vector<fs::path>& list, const fs::path& prefix) {
  if (prefix.empty()) return;
  add(list, prefix);
  add(list, base_of(prefix));
}

fs::path on_path(const char* program) {
  const char* path = std::getenv("PATH");
  std::error_code error;
  for (std::string_view rest = path ? path : ""; !rest.empty();) {
    const auto colon = std::min(rest.find(':'), rest.size());
    const fs::path file = fs::path(rest.substr(0, colon)) / program;
    if (fs::exists(file, error)) return file;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return {};
}

// A virtual environment has pyvenv.cfg; they are kept at most two folders deep ("build/venv").
void add_environments_below(const fs::path& folder, int depth, std::vector<fs::path>& list) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, error)) {
    if (!entry.is_directory(error) || entry.is_symlink(error)) continue;
    if (fs::exists(entry.path() / "pyvenv.cfg", error))
      add_python(list, entry.path());
    else if (depth > 1)
      add_environments_below(entry.path(), depth - 1, list);
  }
}

std::vector<fs::path> candidates(const fs::path& stored, const SymbolRoots& roots) {
  if (stored.is_absolute()) return {stored};
  std::vector<fs::path> found;
  for (const fs::path& root : roots.project) {
    add(found, root / stored);
    add(found, root.parent_path() / stored);  // another repository beside it
  }
  for (const fs::path& prefix : roots.pythons) {
    add(found, prefix / stored);
    for (const fs::path& folder : library_folders(prefix)) add(found, folder / stored);
  }
  return found;
}

std::vector<fs::path> below(const fs::path& folder, const fs::path& name) {
  std::vector<fs::path> found;
  std::error_code error;
  if (fs::is_regular_file(folder, error)) return {folder};
  fs::recursive_directory_iterator entries(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error))
    if (const std::string file = entries->path().filename().string(); file == name || file == name.string() + ".debug")
      found.push_back(entries->path());
  return found;
}

std::string id_in_notes(std::string_view notes) {
  constexpr std::size_t kHeader = sizeof(Elf64_Nhdr);
  while (notes.size() >= kHeader) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), kHeader);
    notes.remove_prefix(kHeader);
    const std::size_t name = (std::size_t{note.n_namesz} + 3) & ~std::size_t{3};
    const std::size_t text = (std::size_t{note.n_descsz} + 3) & ~std::size_t{3};
    if (notes.size() < name + text) break;
    if (note.n_type == NT_GNU_BUILD_ID && notes.starts_with(std::string_view("GNU\0", 4))) {
      std::string id;
      for (const char c : notes.substr(name, note.n_descsz)) {
        id += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
        id += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
      }
      return id;
    }
    notes.remove_prefix(name + text);
  }
  return "";
}

template <class T>
bool read_at(std::ifstream& in, std::uint64_t offset, T* to, std::size_t bytes) {
  return static_cast<bool>(in.seekg(static_cast<std::streamoff>(offset)) &&
                           in.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(bytes)));
}

}  // namespace

SymbolRoots find_symbol_roots(std::vector<fs::path> given) {
  SymbolRoots roots;
  roots.given = std::move(given);
  std::error_code error;
  const fs::path working = fs::current_path(error);
  add(roots.project, working);
  for (fs::path folder = working; folder.has_relative_path(); folder = folder.parent_path())
    if (fs::exists(folder / ".git", error)) {
      add(roots.project, folder);
      break;
    }
  if (const char* environment = std::getenv("VIRTUAL_ENV")) add_python(roots.pythons, environment);
  if (const fs::path python = on_path("python3"); !python.empty()) {
    add_python(roots.pythons, python.parent_path().parent_path());
    add_python(roots.pythons, fs::canonical(python, error).parent_path().parent_path());
  }
  for (const fs::path& root : roots.project) add_environments_below(root, 2, roots.pythons);
  return roots;
}

std::string build_id_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  Elf64_Ehdr header;
  if (!read_at(in, 0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) return "";
  std::vector<Elf64_Phdr> parts(header.e_phnum);
  const std::size_t bytes = parts.size() * sizeof(Elf64_Phdr);
  if (!read_at(in, header.e_phoff, parts.data(), bytes)) return "";
  constexpr std::uint64_t kMostNotes = 1 << 20;
  for (const Elf64_Phdr& part : parts) {
    if (part.p_type != PT_NOTE || part.p_filesz > kMostNotes) continue;
    std::string notes(part.p_filesz, '\0');
    if (!read_at(in, part.p_offset, notes.data(), notes.size())) continue;
    if (std::string id = id_in_notes(notes); !id.empty()) return id;
  }
  return format::id_of_headers(&header, sizeof header, parts.data(), bytes);
}

ModuleFile find_module_file(const Module& module, const SymbolRoots& roots) {
  const fs::path stored(module.path);
  ModuleFile found;
  const auto take = [&](const std::vector<fs::path>& files) {
    for (const fs::path& file : files) {
      const std::string id = build_id_of(file);
      if (id.empty()) continue;
      const bool same = id == module.build_id;
      if (found.path.empty() || same) found = {file, same};
      if (same) return true;
    }
    return false;
  };
  for (const fs::path& folder : roots.given)
    if (take(below(folder, stored.filename()))) return found;
  take(candidates(stored, roots));
  return found;
}

}  // namespace zerostall
