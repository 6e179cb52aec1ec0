#include "profiler/cli/names.h"

#include <fmt/format.h>

#include "profiler/base/strings.h"

namespace zerostall::cli {

std::string unknown_name(std::string_view kind, std::string_view name, std::span<const std::string_view> known) {
  const auto meant = closest_name(name, known);
  return fmt::format("unknown {} '{}'{} Known: {}", kind, name,
                     meant ? fmt::format(", did you mean '{}'?", *meant) : ".", join(known, ", "));
}

}  // namespace zerostall::cli
