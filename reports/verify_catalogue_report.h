// `zerostall verify --catalogue` for a person and as data.
#pragma once
#include <string>

#include "profiler/gate/verify_catalogue.h"

namespace zerostall {

// A table with a line per class and variant: waits per step expected and found, the cause named; then what is wrong,
// then the verdict. Ends in a newline.
std::string render_verify_catalogue_text(const CatalogueReport& report);

// Schema zerostall/verify-catalogue/1 (schemas.md). Holds nothing that differs between two equal runs.
std::string render_verify_catalogue_json(const CatalogueReport& report);

// JUnit XML: one test case per class and variant; a violation is a <failure>, what cannot be told an <error>.
std::string render_verify_catalogue_junit(const CatalogueReport& report);

}  // namespace zerostall
