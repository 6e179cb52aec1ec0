// Texts of the program under test (NVTX names, call names) and of users, on their way to a terminal.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace zerostall {

// The text with everything escaped that could break a line, a table or a terminal: control characters ("\n", "\x1b"),
// bytes that are not UTF-8 ("\xff"), line separators and marks that turn the direction of text ("\u202e"). All other
// text stays as it is.
std::string printable(std::string_view text);

// How many bytes the first character of a text takes that is not empty; 0 = it is not UTF-8.
std::size_t character_bytes(std::string_view text);

}  // namespace zerostall
