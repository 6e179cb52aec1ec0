// `zerostall explain`: what a cause of waits or a fix is, how it looks in a trace, and what to write instead.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "profiler/analyze/causes.h"

namespace zerostall {

// Texts of several lines, each of at most 96 characters and without a line end behind the last. Code is complete enough
// to be read on its own.
struct Explanation {
  std::string_view name;        // slug of a cause, or name of a fix
  std::string_view what{};      // what happens, and why the host waits for it; empty for fixes: their catalog says it
  std::string_view looks;       // in a trace, and where `stat` shows it
  std::string_view pytorch;     // what to do
  std::string_view libtorch;    // what to do in C++
  std::string_view before;      // Python
  std::string_view after;       // Python
  std::string_view cpp_before;  // C++
  std::string_view cpp_after;   // C++
  std::string_view no_problem;  // when to leave it as it is
};

// Every cause, in the order of CauseKind.
std::span<const Explanation> cause_explanations();

// A fix of the catalog, which this layer does not read.
struct FixText {
  std::string_view name, title, cause, explanation;
};

// What is to be said of a fix beside its catalog entry; one per fix.
std::span<const Explanation> fix_explanations();

// Ends in a newline.
std::string render_explanation(CauseKind kind);
std::string render_explanation(const FixText& fix);

// All names, each with its title.
std::string render_names(std::span<const FixText> fixes);

}  // namespace zerostall
