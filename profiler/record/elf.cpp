#include "profiler/record/elf.h"

#include <elf.h>

#include <array>
#include <cstring>
#include <fstream>

namespace zerostall {
namespace {

constexpr std::size_t kMostHeaders = 256, kMostEntries = 4096;

template <class Item>
bool read_at(std::ifstream& in, std::uint64_t offset, Item& item) {
  in.clear();
  return in.seekg(static_cast<std::streamoff>(offset)) &&
         in.read(reinterpret_cast<char*>(&item), static_cast<std::streamsize>(sizeof item));
}

std::string text_at(std::ifstream& in, std::uint64_t offset) {
  std::string text;
  in.clear();
  if (in.seekg(static_cast<std::streamoff>(offset)))
    for (char c = 0; text.size() < 4096 && in.get(c) && c != '\0';) text += c;
  return text;
}

// An address of the loaded library -> its place in the file.
std::optional<std::uint64_t> place_of(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  return std::nullopt;
}

void read_needed(std::ifstream& in, const std::vector<Elf64_Phdr>& segments, const Elf64_Phdr& dynamic,
                 ElfLinks& links) {
  std::vector<std::uint64_t> names;
  std::uint64_t texts = 0;
  for (std::size_t i = 0; i < kMostEntries && (i + 1) * sizeof(Elf64_Dyn) <= dynamic.p_filesz; ++i) {
    Elf64_Dyn entry{};
    if (!read_at(in, dynamic.p_offset + i * sizeof entry, entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) texts = entry.d_un.d_ptr;
  }
  const auto place = place_of(segments, texts);
  if (!place) return;
  for (const std::uint64_t name : names) links.needed.push_back(text_at(in, *place + name));
}

}  // namespace

std::optional<ElfLinks> elf_links(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  Elf64_Ehdr header{};
  if (!in || !read_at(in, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return std::nullopt;
  ElfLinks links;
  std::vector<Elf64_Phdr> segments;
  for (std::size_t i = 0; i < header.e_phnum && i < kMostHeaders; ++i) {
    Elf64_Phdr segment{};
    if (!read_at(in, header.e_phoff + i * sizeof segment, segment)) return std::nullopt;
    segments.push_back(segment);
  }
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_INTERP) links.has_interpreter = true;
    if (segment.p_type == PT_DYNAMIC) read_needed(in, segments, segment, links);
  }
  return links;
}

}  // namespace zerostall
