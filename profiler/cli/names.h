// Errors about names, alike for every kind of name.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace zerostall::cli {

// "unknown fix 'bn-pining', did you mean 'bn-pinning'? Known: bn-pinning, async-loss"
std::string unknown_name(std::string_view kind, std::string_view name, std::span<const std::string_view> known);

}  // namespace zerostall::cli
