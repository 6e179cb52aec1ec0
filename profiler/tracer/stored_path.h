// How a path is written into a trace: so that it can be understood elsewhere, and tells nothing of whose machine it
// was.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace zerostall::tracer {

// What paths are told relative to. Empty = unknown.
struct PathRoots {
  std::string working;             // working folder; not used when it is a folder above the user's home
  std::string repository;          // nearest folder at or above `working` with .git
  std::string python;              // prefix of the Python installation this process runs
  std::vector<std::string> homes;  // the user's home, as named and as resolved
  std::vector<std::string> users;  // names of the user
};

// Of this process, as it is now.
PathRoots find_path_roots();

// The first that fits:
//   "site-packages/torch/nn/x.py"   below site-packages or dist-packages
//   "lib/python3.11/threading.py"   below a standard library of Python, or else below the prefix of this Python
//   "src/train.py"                  below the repository, else below the working folder
//   "other/src/model.py"            below another repository: with the name of its folder
//   "/usr/lib/libc.so.6"            system folders, outside of any home
//   "train.py"                      everything else
// What is no path ("<string>", "") stays as it is. A user's name in a path that is not a package's leaves the file's
// name alone. Relative paths start at the working folder. Touches the file system; not for hot paths.
std::string stored_path(std::string_view path, const PathRoots& roots);

// The same with the roots of this process, found once, at the first call. Any thread.
std::string stored_path(std::string_view path);

}  // namespace zerostall::tracer
