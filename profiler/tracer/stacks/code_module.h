// Which loaded file an address of code belongs to.
#pragma once
#include <cstdint>
#include <string>

namespace zerostall::tracer {

struct CodeModule {
  std::uintptr_t begin = 0, end = 0;      // addresses it is mapped at
  std::uintptr_t bias = 0;                // address - bias = address in the file, as its symbols have it
  const void* eh_frame_header = nullptr;  // null: the file describes no way out of its functions
  const char* name = nullptr;             // as the loader knows it; "" for the program itself
};

// False: the address is in no loaded file (generated code). Takes no lock with glibc 2.35 or later, the loader's with
// older ones. `module` stays true as long as the file is loaded.
bool find_module(std::uintptr_t address, CodeModule* module);

// GNU build id in hexadecimal, read from the file as mapped. For a file without one "crc-" and the checksum of its ELF
// header and program headers: ../trace/elf_id.h.
std::string build_id(const CodeModule& module);

// Absolute path of the file; the name alone if the loader has no more. Touches the file system.
std::string module_path(const CodeModule& module);

}  // namespace zerostall::tracer
