// Texts as they stand in a TOML file.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace zerostall {

// In quotes, any characters escaped that TOML does not allow there. What is not UTF-8 cannot be written: "".
std::string toml_text(std::string_view text);

// A list of them, over several lines where it is long. Empty where one cannot be written.
std::string toml_texts(const std::vector<std::string>& texts);

// One line behind "# ", printable and not too long.
std::string toml_comment(std::string_view text);

}  // namespace zerostall
