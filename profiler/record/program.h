// What can be known of a program without running it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace zerostall {

// The file that a command name stands for: itself when it holds a slash, else the first of PATH that can be executed.
// Nullopt when there is none.
std::optional<std::filesystem::path> find_program(const std::string& name);

// The Python that runs this file: itself, or the interpreter its first line names ("#!/usr/bin/env python3"). Nullopt
// when it is no Python program.
std::optional<std::filesystem::path> python_of(const std::filesystem::path& program);

// Does it look linked to the static CUDA runtime? Such a program brings its own runtime, and no replacement of
// libcudart.so reaches it. Told by the names of runtime errors inside the file beside the name of the driver it opens:
// a guess, good enough for advice. False for what is no ELF file or cannot be read.
bool has_static_cudart(const std::filesystem::path& program);

}  // namespace zerostall
