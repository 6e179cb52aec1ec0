// Ernie Image as a model under training: one micro-step's prediction. Sources: reference-step.md rows E1 and E2,
// sections D and E.
#pragma once
#include <string_view>

#include "scenarios/train/model.h"

namespace zerostall::ernie {

// By size: "tiny", "ernie-image". Random weights; uses the default generators: seed with at::manual_seed first. nullopt
// if the size is unknown.
std::optional<train::Model> make_model(std::string_view size, const train::ModelOptions& options);

}  // namespace zerostall::ernie
