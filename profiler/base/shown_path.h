// Paths of this machine in reports: such text is pasted into bug trackers and CI logs.
#pragma once
#include <filesystem>
#include <string>

namespace zerostall {

// The path with the user's home as "~", and with "..." for a folder that is called like the user. For paths that we
// found out; one that the user typed is repeated as it was typed.
std::string shown_path(const std::filesystem::path& path);

// The same of a text that may hold such paths, an error message for example: the home alone.
std::string without_home(std::string text);

}  // namespace zerostall
