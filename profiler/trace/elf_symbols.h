// Function names of an ELF file, by address.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

struct Elf;
struct Elf_Scn;

namespace zerostall {

class ElfSymbols {
 public:
  // From .symtab, or .dynsym where it was stripped. Empty if the file cannot be read.
  explicit ElfSymbols(const std::filesystem::path& file);

  // The (mangled) function that holds the address; "" if none does.
  std::string_view at(std::uint64_t address) const;

 private:
  struct Function {
    std::uint64_t begin, end;
    std::size_t name;  // in names_
  };
  void read_table(Elf* elf, Elf_Scn* section);
  std::vector<Function> functions_;  // by begin
  std::string names_;
};

// The folders that an ELF file names for its libraries (DT_RUNPATH, DT_RPATH), in order; $ORIGIN is its own.
std::vector<std::filesystem::path> run_path_of(const std::filesystem::path& file);

}  // namespace zerostall
