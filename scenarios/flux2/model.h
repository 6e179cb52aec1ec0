// FLUX.2 as a model under training: one micro-step's prediction. Source: reference-step.md A.4, sections D and E.
#pragma once
#include <string_view>

#include "scenarios/train/model.h"

namespace zerostall::flux2 {

// By size: "tiny", "dev-tiny" (with guidance), "klein-4b", "klein-9b", "dev". Random weights; uses the default
// generators: seed with at::manual_seed first. nullopt if the size is unknown.
std::optional<train::Model> make_model(std::string_view size, const train::ModelOptions& options);

}  // namespace zerostall::flux2
