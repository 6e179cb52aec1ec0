// How text for a person is to look. Whoever prints decides; nothing here looks at the environment.
#pragma once
#include <cstddef>

namespace zerostall {

struct TextStyle {
  std::size_t width = 0;  // of a line, in characters; 0 = no limit
  bool colour = false;    // codes of ANSI terminals
};

}  // namespace zerostall
