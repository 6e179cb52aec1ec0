// The files that a trace's modules were: from stored paths (profiler/tracer/stored_path.h) back to real ones.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiler/trace/stacks.h"

namespace zerostall {

// Where to look, best first.
struct SymbolRoots {
  std::vector<std::filesystem::path> given;    // --symbols: searched with everything below
  std::vector<std::filesystem::path> project;  // working folder and the repository around it
  std::vector<std::filesystem::path> pythons;  // prefixes of Python installations and virtual environments
};

// Of this process: the working folder, $VIRTUAL_ENV, python3 on PATH, and virtual environments inside the repository.
SymbolRoots find_symbol_roots(std::vector<std::filesystem::path> given);

// What `build_id` of a module is for this file; "" when it is no ELF file.
std::string build_id_of(const std::filesystem::path& file);

struct ModuleFile {
  std::filesystem::path path;  // empty: there is none of that name
  bool same_build = false;     // the build id is the module's. False: its symbols must not be used
};

// The file of the module's build; else one of its name that is another build; else none.
ModuleFile find_module_file(const Module& module, const SymbolRoots& roots);

}  // namespace zerostall
