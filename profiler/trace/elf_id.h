// What tells one build of a library from another where it has no GNU build id. Shared by the tracer, which sees the
// file in memory, and the reader.
#pragma once
#include <cstddef>
#include <string>

#include "profiler/trace/format.h"

namespace zerostall::format {

// "crc-" and the checksum of the ELF header and the program headers in hexadecimal.
inline std::string id_of_headers(const void* elf_header, std::size_t bytes, const void* program_headers,
                                 std::size_t program_bytes) {
  const std::uint32_t crc = crc32(program_headers, program_bytes, crc32(elf_header, bytes));
  std::string text = "crc-";
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[crc >> shift & 15];
  return text;
}

}  // namespace zerostall::format
