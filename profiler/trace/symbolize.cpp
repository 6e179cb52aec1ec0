#include "profiler/trace/symbolize.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <cstdlib>
#include <optional>

#include "profiler/trace/elf_symbols.h"

namespace zerostall {
namespace {

struct DwflEnd {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

// Debug information of one file, in it or beside it (/usr/lib/debug/.build-id).
struct DebugInfo {
  std::unique_ptr<Dwfl, DwflEnd> dwfl;
  Dwfl_Module* module = nullptr;
  Dwarf_Addr bias = 0;  // address here - bias = address in the file
  bool usable = false;
};

DebugInfo open_debug_info(const std::filesystem::path& file) {
  static const Dwfl_Callbacks callbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                           dwfl_offline_section_address, nullptr};
  DebugInfo info;
  info.dwfl.reset(dwfl_begin(&callbacks));
  if (!info.dwfl) return info;
  dwfl_report_begin(info.dwfl.get());
  info.module = dwfl_report_offline(info.dwfl.get(), file.filename().c_str(), file.c_str(), -1);
  dwfl_report_end(info.dwfl.get(), nullptr, nullptr);
  if (!info.module) return info;
  GElf_Addr bias = 0;
  Dwarf_Addr dwarf_bias = 0;
  if (!dwfl_module_getelf(info.module, &bias)) return info;
  info.bias = bias;
  info.usable = dwfl_module_getdwarf(info.module, &dwarf_bias) != nullptr;
  return info;
}

std::string name_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (dwarf_attr_integrate(die, name, &attribute))
      if (const char* text = dwarf_formstring(&attribute)) return demangled(text);
  const char* text = dwarf_diename(die);
  return text ? text : "";
}

std::uint32_t number_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0) return 0;
  return static_cast<std::uint32_t>(value);
}

std::string call_file(Dwarf_Die* unit, Dwarf_Die* inlined) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const std::uint32_t index = number_of(inlined, DW_AT_call_file);
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || index >= count) return "";
  const char* name = dwarf_filesrc(files, index, nullptr, nullptr);
  return name ? name : "";
}

// The function around the code and those inlined into it there, innermost first. Empty: none is described.
std::vector<Symbol> from_debug_info(const DebugInfo& info, std::uint64_t address) {
  std::vector<Symbol> symbols;
  Dwarf_Addr unit_bias = 0;
  Dwarf_Die* unit = dwfl_module_addrdie(info.module, address + info.bias, &unit_bias);
  if (!unit) return symbols;
  Symbol next;
  if (Dwfl_Line* line = dwfl_module_getsrc(info.module, address + info.bias)) {
    int number = 0;
    if (const char* file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr)) next.file = file;
    next.line = number > 0 ? static_cast<std::uint32_t>(number) : 0;
  }
  Dwarf_Die* inner = nullptr;
  if (dwarf_getscopes(unit, address + info.bias - unit_bias, &inner) <= 0) return symbols;
  // Around an inlined function that list goes on with where it is written; this one with where it was put in.
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(inner, &scopes);
  std::free(inner);
  for (int i = 0; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    next.function = name_of(&scopes[i]);
    symbols.push_back(next);
    if (tag == DW_TAG_subprogram) break;
    next = {"", call_file(unit, &scopes[i]), number_of(&scopes[i], DW_AT_call_line)};
  }
  std::free(scopes);
  return symbols;
}

}  // namespace

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text ? text : name;
  std::free(text);
  return result;
}

struct Symbolizer::File {
  SymbolState state = SymbolState::no_file;
  DebugInfo debug;
  std::optional<ElfSymbols> symbols;
};

Symbolizer::Symbolizer(SymbolRoots roots) : roots_(std::move(roots)) {}
Symbolizer::~Symbolizer() = default;

Symbolizer::File& Symbolizer::file_of(const Module& module) {
  auto& file = files_[{module.path, module.build_id}];
  if (file) return *file;
  file = std::make_unique<File>();
  const ModuleFile found = find_module_file(module, roots_);
  if (found.path.empty()) return *file;
  file->state = found.same_build ? SymbolState::found : SymbolState::other_build;
  if (!found.same_build) return *file;
  file->debug = open_debug_info(found.path);
  file->symbols.emplace(found.path);
  return *file;
}

SymbolState Symbolizer::state(const Module& module) { return file_of(module).state; }

std::vector<Symbol> Symbolizer::symbols(const Module& module, std::uint64_t offset) {
  const File& file = file_of(module);
  if (file.state != SymbolState::found || offset == 0) return {Symbol{}};
  const std::uint64_t address = offset - 1;  // a return address may belong to the next line or function already
  if (file.debug.usable)
    if (std::vector<Symbol> found = from_debug_info(file.debug, address); !found.empty()) return found;
  return {Symbol{demangled(std::string(file.symbols->at(address))), "", 0}};
}

}  // namespace zerostall
