#include "profiler/simgpu/core/imports.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "import_table.h"  // generated: kImportTable
#include "profiler/simgpu/core/journal.h"

namespace zerostall::simgpu {
namespace {

// --- functions to put in place of missing ones

struct Missing {
  std::string name;
  long status;
};
constexpr std::size_t kMost = 128;
std::vector<Missing>& missing() {  // never moves: stubs read it without a lock
  static std::vector<Missing>* all = [] {
    auto* made = new std::vector<Missing>;
    made->reserve(kMost);
    return made;
  }();
  return *all;
}

template <std::size_t index>
long stub() {
  const Missing& m = missing()[index];
  report_unsupported(m.name.c_str());
  return m.status;
}
template <std::size_t... index>
constexpr std::array<long (*)(), sizeof...(index)> make_stubs(std::index_sequence<index...>) {
  return {&stub<index>...};
}
constexpr auto kStubs = make_stubs(std::make_index_sequence<kMost>());

// --- a loaded library's dynamic section

struct Object {
  ElfW(Addr) base = 0;
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const ElfW(Half) * versions = nullptr;
  const ElfW(Verneed) * needed_versions = nullptr;
  std::size_t needed_count = 0;
  const ElfW(Rela) * jumps = nullptr;  // functions bound at their first call
  std::size_t jump_count = 0;
  std::vector<ElfW(Xword)> needed;  // names, as offsets into strings
};

Object read_object(const dl_phdr_info& info) {
  Object o;
  o.base = info.dlpi_addr;
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i)
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = reinterpret_cast<const ElfW(Dyn)*>(o.base + info.dlpi_phdr[i].p_vaddr);
  // glibc has made addresses of some offsets already, not of all.
  const auto at = [&](const ElfW(Dyn) * e) { return e->d_un.d_ptr < o.base ? o.base + e->d_un.d_ptr : e->d_un.d_ptr; };
  for (; entry && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) o.strings = reinterpret_cast<const char*>(at(entry));
    if (entry->d_tag == DT_SYMTAB) o.symbols = reinterpret_cast<const ElfW(Sym)*>(at(entry));
    if (entry->d_tag == DT_VERSYM) o.versions = reinterpret_cast<const ElfW(Half)*>(at(entry));
    if (entry->d_tag == DT_VERNEED) o.needed_versions = reinterpret_cast<const ElfW(Verneed)*>(at(entry));
    if (entry->d_tag == DT_JMPREL) o.jumps = reinterpret_cast<const ElfW(Rela)*>(at(entry));
    if (entry->d_tag == DT_VERNEEDNUM) o.needed_count = entry->d_un.d_val;
    if (entry->d_tag == DT_PLTRELSZ) o.jump_count = entry->d_un.d_val / sizeof(ElfW(Rela));
    if (entry->d_tag == DT_NEEDED) o.needed.push_back(entry->d_un.d_val);
  }
  return o;
}

const ImportedLibrary* by_soname(const char* soname) {
  for (const ImportedLibrary& l : kImportTable)
    if (std::strcmp(l.soname, soname) == 0) return &l;
  return nullptr;
}

struct Version {
  const ImportedLibrary* library;
  const char* node;
};

// The versions an object asks for of our libraries, by their number in the object.
std::map<unsigned, Version> versions_of(const Object& o) {
  std::map<unsigned, Version> found;
  auto at = reinterpret_cast<const char*>(o.needed_versions);
  for (std::size_t i = 0; at && i < o.needed_count; ++i) {
    const auto* file = reinterpret_cast<const ElfW(Verneed)*>(at);
    if (const ImportedLibrary* library = by_soname(o.strings + file->vn_file)) {
      auto aux_at = at + file->vn_aux;
      for (int k = 0; k < file->vn_cnt; ++k) {
        const auto* aux = reinterpret_cast<const ElfW(Vernaux)*>(aux_at);
        found[aux->vna_other & 0x7fffu] = {library, o.strings + aux->vna_name};
        aux_at += aux->vna_next;
      }
    }
    at += file->vn_next;
  }
  return found;
}

// Of our libraries that the object needs, the one whose functions begin like this name.
const ImportedLibrary* by_prefix(const Object& o, const char* name) {
  const ImportedLibrary* best = nullptr;
  for (const auto needed : o.needed) {
    const ImportedLibrary* l = by_soname(o.strings + needed);
    if (l && std::strncmp(name, l->prefix, std::strlen(l->prefix)) == 0 &&
        (!best || std::strlen(l->prefix) > std::strlen(best->prefix)))
      best = l;
  }
  return best;
}

// The stub for a function, or null when there are none left. The lock is held.
void* stub_for(const char* name, long status) {
  auto& all = missing();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == name) return reinterpret_cast<void*>(kStubs[i]);
  if (all.size() == kMost) return nullptr;
  all.push_back({name, status});
  return reinterpret_cast<void*>(kStubs[all.size() - 1]);
}

// Gives missing functions of ours a stub; appends their names.
void complete(const Object& o, const char* path, std::vector<std::string>& names) {
  const auto versions = versions_of(o);
  void* handle = nullptr;
  for (std::size_t i = 0; i < o.jump_count; ++i) {
    const auto index = ELF64_R_SYM(o.jumps[i].r_info);
    const ElfW(Sym)& symbol = o.symbols[index];
    if (symbol.st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_WEAK) continue;
    const char* name = o.strings + symbol.st_name;
    const auto version = o.versions ? versions.find(o.versions[index] & 0x7fffu) : versions.end();
    const bool unversioned = !o.versions || (o.versions[index] & 0x7fffu) <= 1;
    const ImportedLibrary* library = version != versions.end() ? version->second.library
                                     : unversioned             ? by_prefix(o, name)
                                                               : nullptr;
    if (!library) continue;
    if (!handle) handle = dlopen(*path ? path : nullptr, RTLD_LAZY | RTLD_NOLOAD);  // "": the program itself
    if (!handle) return;
    if (version != versions.end() ? dlvsym(handle, name, version->second.node) : dlsym(handle, name)) continue;
    void* replacement = stub_for(name, library->status);
    if (!replacement) continue;
    *reinterpret_cast<void**>(o.base + o.jumps[i].r_offset) = replacement;
    names.push_back(name);
  }
  if (handle) dlclose(handle);
}

// --- which libraries are new

struct Loaded {
  std::set<std::pair<ElfW(Addr), std::string>> seen;
  std::vector<std::pair<Object, std::string>> fresh;
};

int collect(dl_phdr_info* info, std::size_t, void* data) {
  auto& loaded = *static_cast<Loaded*>(data);
  if (!loaded.seen.insert({info->dlpi_addr, info->dlpi_name}).second) return 0;
  Object o = read_object(*info);
  for (const auto needed : o.needed)
    if (o.strings && o.symbols && by_soname(o.strings + needed)) {
      loaded.fresh.emplace_back(std::move(o), info->dlpi_name);
      break;
    }
  return 0;
}

int read_count(dl_phdr_info* info, std::size_t, void* data) {
  *static_cast<unsigned long long*>(data) = info->dlpi_adds;
  return 1;  // one is enough
}

std::string folder_of(const std::string& path) { return path.substr(0, path.find_last_of('/') + 1); }

bool ours(const std::string& path) {
  static const std::string own = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(&check_imports), &info);
    return folder_of(info.dli_fname ? info.dli_fname : "");
  }();
  return folder_of(path) == own;
}

}  // namespace

void check_imports() {
  static std::mutex lock;
  static unsigned long long last_count = 0;
  static Loaded* loaded = new Loaded;
  unsigned long long count = 0;
  dl_iterate_phdr(read_count, &count);
  std::unique_lock guard(lock, std::try_to_lock);  // dlopen below may bring us here again
  if (!guard || count == last_count) return;
  last_count = count;
  loaded->fresh.clear();
  dl_iterate_phdr(collect, loaded);
  std::vector<std::string> names;
  for (const auto& [object, path] : loaded->fresh)
    if (!ours(path)) complete(object, path.c_str(), names);
  if (names.empty()) return;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 5; ++i) text += (i ? ", " : "") + names[i];
  std::fprintf(
      stderr,
      "[zerostall] simulated GPU: this program is newer than the simulation: it may call %zu functions that are not "
      "known (%s%s); such a call returns an error to the program\n",
      names.size(), text.c_str(), names.size() > 5 ? ", ..." : "");
}

}  // namespace zerostall::simgpu
