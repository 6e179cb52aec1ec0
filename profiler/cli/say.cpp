#include "profiler/cli/say.h"

#include <cstdio>
#include <string>

namespace zerostall::cli {

void say(std::string_view line) {
  const std::string text = "zerostall: " + std::string(line) + "\n";
  std::fputs(text.c_str(), stderr);  // one call, so that lines of several processes do not mix
}

}  // namespace zerostall::cli
