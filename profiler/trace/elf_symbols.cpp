#include "profiler/trace/elf_symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>

namespace zerostall {

ElfSymbols::ElfSymbols(const std::filesystem::path& file) {
  elf_version(EV_CURRENT);
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  if (Elf* elf = elf_begin(descriptor, ELF_C_READ_MMAP, nullptr)) {
    Elf_Scn *full = nullptr, *dynamic = nullptr;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section));) {
      GElf_Shdr header;
      if (!gelf_getshdr(section, &header)) continue;
      if (header.sh_type == SHT_SYMTAB) full = section;
      if (header.sh_type == SHT_DYNSYM) dynamic = section;
    }
    if (full || dynamic) read_table(elf, full ? full : dynamic);
    elf_end(elf);
  }
  ::close(descriptor);
  std::sort(functions_.begin(), functions_.end(),
            [](const Function& a, const Function& b) { return a.begin < b.begin; });
}

void ElfSymbols::read_table(Elf* elf, Elf_Scn* section) {
  GElf_Shdr header;
  Elf_Data* data = elf_getdata(section, nullptr);
  if (!data || !gelf_getshdr(section, &header) || header.sh_entsize == 0) return;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (!gelf_getsym(data, i, &symbol) || symbol.st_shndx == SHN_UNDEF) continue;
    const auto type = GELF_ST_TYPE(symbol.st_info);
    if (type != STT_FUNC && type != STT_GNU_IFUNC) continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (!name || !*name) continue;
    functions_.push_back({symbol.st_value, symbol.st_value + symbol.st_size, names_.size()});
    names_.append(name).push_back('\0');
  }
}

namespace {

// Texts of the dynamic section's entries with one of these tags.
std::vector<std::string> dynamic_texts(Elf* elf, std::initializer_list<GElf_Sxword> tags) {
  std::vector<std::string> texts;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC || header.sh_entsize == 0) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    const auto count = data ? static_cast<int>(header.sh_size / header.sh_entsize) : 0;
    for (int i = 0; i < count; ++i) {
      GElf_Dyn entry;
      if (!gelf_getdyn(data, i, &entry) || std::find(tags.begin(), tags.end(), entry.d_tag) == tags.end()) continue;
      if (const char* text = elf_strptr(elf, header.sh_link, entry.d_un.d_val)) texts.emplace_back(text);
    }
  }
  return texts;
}

}  // namespace

std::vector<std::filesystem::path> run_path_of(const std::filesystem::path& file) {
  elf_version(EV_CURRENT);
  std::vector<std::filesystem::path> folders;
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return folders;
  std::vector<std::string> lists;
  if (Elf* elf = elf_begin(descriptor, ELF_C_READ_MMAP, nullptr)) {
    lists = dynamic_texts(elf, {DT_RUNPATH, DT_RPATH});
    elf_end(elf);
  }
  ::close(descriptor);
  constexpr std::string_view kOrigin = "$ORIGIN";
  for (const std::string& list : lists)
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(':', at), list.size());
      std::string folder = list.substr(at, end - at);
      at = end + 1;
      if (folder.starts_with(kOrigin)) folder.replace(0, kOrigin.size(), file.parent_path().string());
      if (!folder.empty()) folders.emplace_back(std::move(folder));
    }
  return folders;
}

std::string_view ElfSymbols::at(std::uint64_t address) const {
  auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                [](std::uint64_t a, const Function& f) { return a < f.begin; });
  // Functions may share a begin (aliases), and one of no size (assembly) may lie inside another.
  for (int tries = 0; after != functions_.begin() && tries < 8; ++tries) {
    --after;
    if (address < after->end) return names_.c_str() + after->name;
  }
  return {};
}

}  // namespace zerostall
