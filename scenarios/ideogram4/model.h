// Ideogram 4 as a model under training: one micro-step's prediction. Of its two transformers only the conditional one
// is trained; the unconditional one is for sampling and evicted. Sources: reference-step.md rows I1 to I5, sections D
// and E.
#pragma once
#include <string_view>

#include "scenarios/train/model.h"

namespace zerostall::ideogram4 {

// By size: "tiny", "ideogram4". Random weights; uses the default generators: seed with at::manual_seed first. nullopt
// if the size is unknown.
std::optional<train::Model> make_model(std::string_view size, const train::ModelOptions& options);

}  // namespace zerostall::ideogram4
