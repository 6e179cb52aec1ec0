// `zerostall check` as data.
#pragma once
#include <string>
#include <string_view>

#include "profiler/gate/check.h"

namespace zerostall {

// Schema zerostall/check/1 (check.schema.json, schemas.md). Texts are as stored, repaired where they are not UTF-8.
// Files that a user named come without their folders unless they are relative; no command line, no source text. Lists
// hold at most kMostFindings entries each; `left_out` says how many more there are. Ends in a newline.
std::string render_check_json(const CheckReport& report);

// The JSON Schema (draft 7) of it.
std::string_view check_schema();

}  // namespace zerostall
