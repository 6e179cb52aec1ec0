#include "profiler/tracer/stacks/code_module.h"

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "profiler/trace/elf_id.h"

namespace zerostall::tracer {
namespace {

// glibc's struct dl_find_object (2.35); declared here so that older headers compile this too.
struct FoundObject {
  unsigned long long flags;
  void *begin, *end;
  link_map* map;
  void* eh_frame_header;
  unsigned long long reserved[7];
};
using FindObject = int (*)(void*, FoundObject*);

FindObject find_object() {
  static const auto function = reinterpret_cast<FindObject>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
  return function;
}

// The same from the list of program headers, for loaders that cannot tell.
struct Wanted {
  std::uintptr_t address;
  CodeModule* module;
};

int compare(dl_phdr_info* info, std::size_t, void* data) {
  const auto& wanted = *static_cast<Wanted*>(data);
  CodeModule found;
  found.begin = UINTPTR_MAX;
  found.bias = info->dlpi_addr;
  found.name = info->dlpi_name;
  bool inside = false;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_EH_FRAME) found.eh_frame_header = reinterpret_cast<const void*>(begin);
    if (part.p_type != PT_LOAD) continue;
    inside = inside || (wanted.address >= begin && wanted.address < begin + part.p_memsz);
    if (begin < found.begin) found.begin = begin;
    if (begin + part.p_memsz > found.end) found.end = begin + part.p_memsz;
  }
  if (!inside) return 0;
  *wanted.module = found;
  return 1;
}

// The file's own headers lie at its begin: every linker puts them into the first loaded part.
const ElfW(Ehdr) * file_header(const CodeModule& module) {
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(module.begin);
  if (module.end - module.begin < sizeof *header) return nullptr;
  return std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 ? header : nullptr;
}

std::string hexadecimal(const unsigned char* bytes, std::size_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string id_in_notes(const unsigned char* at, const unsigned char* end) {
  while (static_cast<std::size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    at += sizeof note;
    const std::size_t name = (note.n_namesz + 3u) & ~3u, text = (note.n_descsz + 3u) & ~3u;
    if (static_cast<std::size_t>(end - at) < name + text) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(at, "GNU", 4) == 0)
      return hexadecimal(at + name, note.n_descsz);
    at += name + text;
  }
  return "";
}

}  // namespace

bool find_module(std::uintptr_t address, CodeModule* module) {
  const FindObject find = find_object();
  if (!find) {
    Wanted wanted{address, module};
    return dl_iterate_phdr(compare, &wanted) == 1;
  }
  FoundObject found{};
  if (find(reinterpret_cast<void*>(address), &found) != 0) return false;
  module->begin = reinterpret_cast<std::uintptr_t>(found.begin);
  module->end = reinterpret_cast<std::uintptr_t>(found.end);
  module->eh_frame_header = found.eh_frame_header;
  module->bias = found.map ? found.map->l_addr : 0;
  module->name = found.map ? found.map->l_name : "";
  return true;
}

std::string build_id(const CodeModule& module) {
  const auto* header = file_header(module);
  if (!header) return "";
  const std::uintptr_t table = module.begin + header->e_phoff;
  const std::size_t table_bytes = std::size_t{header->e_phnum} * header->e_phentsize;
  if (header->e_phentsize != sizeof(ElfW(Phdr)) || table_bytes > module.end - module.begin ||
      header->e_phoff > module.end - module.begin - table_bytes)
    return "";
  const auto* parts = reinterpret_cast<const ElfW(Phdr)*>(table);
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const std::uintptr_t begin = module.bias + parts[i].p_vaddr;
    if (parts[i].p_type != PT_NOTE || begin < module.begin || begin + parts[i].p_filesz > module.end) continue;
    const auto* notes = reinterpret_cast<const unsigned char*>(begin);
    if (std::string id = id_in_notes(notes, notes + parts[i].p_filesz); !id.empty()) return id;
  }
  return format::id_of_headers(header, sizeof *header, parts, table_bytes);
}

std::string module_path(const CodeModule& module) {
  const std::string_view name = module.name ? module.name : "";
  char buffer[PATH_MAX];
  if (name.empty()) {
    const ssize_t size = readlink("/proc/self/exe", buffer, sizeof buffer);
    return size > 0 ? std::string(buffer, static_cast<std::size_t>(size)) : "";
  }
  // Libraries found beside a package ("$ORIGIN/../../nvidia/...") are named with their detours.
  if (name.find('/') != std::string_view::npos && realpath(module.name, buffer)) return buffer;
  return std::string(name);
}

}  // namespace zerostall::tracer
