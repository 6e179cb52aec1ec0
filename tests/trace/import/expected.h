// Right answers for public traces, counted by a program of their own (layout: metrics.md, "What the reference answers
// are"): a folder with the traces and expected.json.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profiler/trace/trace.h"

namespace zerostall::testing {

// ZEROSTALL_TRACES, else ../shared/traces beside the checkout; nullopt: there is no such folder.
std::optional<std::filesystem::path> corpus_folder();

// Names of the corpus' files with this ending, with their answers.
std::vector<std::pair<std::string, nlohmann::json>> corpus_files(const std::string& ending);

// The same figures of traces that were read, one per process of the file, in expected.json's form: only keys `answers`
// has, so that the two can be compared as they are.
nlohmann::json figures_of(const std::vector<Trace>& traces, const nlohmann::json& answers);

// Of `answers`, what figures_of() can tell.
nlohmann::json comparable(const nlohmann::json& answers);

// The program that counted the answers kept times as doubles of microseconds: with today's date that is a quarter of a
// microsecond, where we are exact. True for such answers.
bool has_rounded_times(const nlohmann::json& answers);

// Where times are rounded, brings durations of steps in `found` to those in `expected`, if they differ by no more.
void forgive_rounding(const nlohmann::json& expected, nlohmann::json& found);

}  // namespace zerostall::testing
