// `zerostall-scenario catalogue SLUG --variant VARIANT`: one scenario of the catalogue, by name.
#pragma once
#include <optional>
#include <string_view>

#include "scenarios/catalogue/training.h"

namespace zerostall::scenarios::catalogue {

using Scenario = void (*)(Run&);

// By a slug of expected.h; null: there is none of that name.
Scenario find_scenario(std::string_view slug);
// By a name of expected.h: "cause", "fixed", "near-miss".
std::optional<Variant> find_variant(std::string_view name);

// Everything a run of the program does, behind its first argument: argv[0] is "catalogue". Prints the numbers that the
// program took to the host. Throws UsageError, HelpRequested (../options.h), or what the training throws.
void run_program(int argc, char** argv);

}  // namespace zerostall::scenarios::catalogue
