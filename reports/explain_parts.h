// The texts of `zerostall explain`, by what a program was about to do when it waited. Not for others.
#pragma once
#include <span>

#include "reports/explain_text.h"

namespace zerostall::explain {

std::span<const Explanation> reads();   // values come back from the GPU
std::span<const Explanation> memory();  // data goes there, or moves back and forth
std::span<const Explanation> shapes();  // a size or an index is on the GPU
std::span<const Explanation> waits();   // somebody asked to wait, or nobody knows who

}  // namespace zerostall::explain
