// Names for native frames: from a module and an offset to functions and lines. Reads ELF files and DWARF (libdw).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiler/trace/stacks.h"
#include "profiler/trace/symbol_files.h"

namespace zerostall {

struct Symbol {
  std::string function;  // demangled; "" = the file has no name for it
  std::string file;      // source file as the compiler was given it; "" = no debug information
  std::uint32_t line = 0;
};

// Why a module's frames have no names.
enum class SymbolState : std::uint8_t { found, no_file, other_build };

class Symbolizer {
 public:
  explicit Symbolizer(SymbolRoots roots);
  ~Symbolizer();

  // The functions at a return address of `module`, innermost first: the one the code is in, and before it those that
  // the compiler put into it (inlined). Never empty; files are opened at the first question about them.
  std::vector<Symbol> symbols(const Module& module, std::uint64_t offset);

  SymbolState state(const Module& module);

 private:
  struct File;
  File& file_of(const Module& module);

  SymbolRoots roots_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<File>> files_;  // by path and build id
};

// A C++ name as written in the source; anything else stays as it is.
std::string demangled(const std::string& name);

}  // namespace zerostall
