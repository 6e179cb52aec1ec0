// Everything a script may want: schema zerostall/export/1 (export.schema.json).
#pragma once
#include "reports/exporter.h"

namespace zerostall {

// One line for each step, wait, stack, gap, call name; written as it comes.
std::unique_ptr<Exporter> make_json_exporter(ChunkedOutput& output);

}  // namespace zerostall
