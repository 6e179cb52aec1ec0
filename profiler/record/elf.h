// What the header of an ELF file says of how the program or library is linked.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace zerostall {

struct ElfLinks {
  bool has_interpreter = false;     // false for a program: static, LD_PRELOAD does not reach it
  std::vector<std::string> needed;  // names of the libraries it is linked to
};

// Reads a few kilobytes, whatever the size of the file. Nullopt for what is no 64-bit ELF file of this byte order, or
// cannot be read.
std::optional<ElfLinks> elf_links(const std::filesystem::path& file);

}  // namespace zerostall
