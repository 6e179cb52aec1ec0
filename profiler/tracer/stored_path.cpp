#include "profiler/tracer/stored_path.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <initializer_list>

namespace zerostall::tracer {
namespace {

bool exists(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0;
}

std::string resolved(const std::string& path) {
  char buffer[PATH_MAX];
  return ::realpath(path.c_str(), buffer) ? buffer : "";
}

std::string_view parent(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }  // npos + 1 = 0

bool is_below(std::string_view path, std::string_view folder) {
  return !folder.empty() && path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

template <class Take>  // take(component) -> bool: go on
void each_component(std::string_view path, Take take) {
  while (!path.empty()) {
    const auto slash = path.find('/');
    if (!take(path.substr(0, slash)) || slash == std::string_view::npos) return;
    path.remove_prefix(slash + 1);
  }
}

// Without "//", "." and "..", as far as the text alone tells.
std::string normal(std::string_view path) {
  std::string out;
  each_component(path, [&](std::string_view part) {
    if (part == "..")
      out.resize(parent(out).size());
    else if (!part.empty() && part != ".")
      (out += '/') += part;
    return true;
  });
  return out;
}

std::string repository_of(std::string_view folder) {
  for (; !folder.empty(); folder = parent(folder))
    if (exists(std::string(folder) + "/.git")) return std::string(folder);
  return "";
}

bool names_user(std::string_view path, const PathRoots& roots) {
  bool found = false;
  each_component(path, [&](std::string_view part) {
    for (const std::string& user : roots.users) found = found || part == user;
    return !found;
  });
  return found;
}

bool in_home(std::string_view path, const PathRoots& roots) {
  for (const std::string& home : roots.homes)
    if (path == home || is_below(path, home)) return true;
  return path.starts_with("/home/") || path.starts_with("/root/") || path.starts_with("/Users/");
}

// "<folder>/<N>/" of a standard library; npos if it is none.
std::size_t standard_library(std::string_view path) {
  constexpr std::string_view kFolder = "/lib/python3.";
  const auto at = path.rfind(kFolder);
  if (at == std::string_view::npos) return at;
  const std::string_view rest = path.substr(at + kFolder.size());
  const auto digits = rest.find_first_not_of("0123456789t");  // 3.13t: free-threaded
  return digits != 0 && digits != std::string_view::npos && rest[digits] == '/' ? at + 1 : std::string_view::npos;
}

std::string package_path(std::string_view path, const PathRoots& roots) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"})
    if (const auto at = path.rfind(folder); at != std::string_view::npos) return std::string(path.substr(at + 1));
  if (const auto at = standard_library(path); at != std::string_view::npos) return std::string(path.substr(at));
  if (is_below(path, roots.python) && roots.python != "/usr") return std::string(path.substr(roots.python.size() + 1));
  return "";
}

std::string project_path(std::string_view path, const PathRoots& roots) {
  for (const std::string& root : {roots.repository, roots.working})
    if (is_below(path, root)) {
      const std::string_view found = path.substr(root.size() + 1);
      return names_user(found, roots) ? "" : std::string(found);
    }
  return "";
}

// A repository that is the user's home does not tell its name: that is the user's.
std::string other_project_path(std::string_view path, const PathRoots& roots) {
  const std::string repository = repository_of(parent(path));
  if (repository.empty()) return "";
  bool is_home = false;
  for (const std::string& home : roots.homes) is_home = is_home || repository == home;
  const std::string_view found = path.substr((is_home ? repository.size() : parent(repository).size()) + 1);
  return names_user(found, roots) ? "" : std::string(found);
}

bool is_system(std::string_view path, const PathRoots& roots) {
  if (in_home(path, roots) || names_user(path, roots)) return false;
  for (const std::string_view folder : {"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/opt", "/nix"})
    if (is_below(path, folder)) return true;
  return false;
}

std::string try_rules(const std::string& path, const PathRoots& roots) {
  std::string found = package_path(path, roots);
  if (found.empty() && is_system(path, roots)) return path;
  return found.empty() ? project_path(path, roots) : found;
}

// A working folder from which a relative path would spell out a home.
bool is_above_home(const std::string& folder, const PathRoots& roots) {
  if (folder == "/" || folder == "/home" || folder == "/Users") return true;
  for (const std::string& home : roots.homes)
    if (is_below(home, folder)) return true;
  return false;
}

void add(std::vector<std::string>& list, std::string_view text) {
  for (const std::string& known : list)
    if (known == text) return;
  list.emplace_back(text);
}

}  // namespace

PathRoots find_path_roots() {
  PathRoots roots;
  if (const char* home = std::getenv("HOME"); home && home[0] == '/' && home[1] != '\0') {
    add(roots.homes, normal(home));
    if (const std::string real = resolved(home); !real.empty()) add(roots.homes, real);
    add(roots.users, file_name(roots.homes.front()));
  }
  for (const char* name : {"USER", "LOGNAME"})
    if (const char* user = std::getenv(name); user && *user) add(roots.users, user);
  std::erase(roots.users, "root");  // nobody in particular
  char buffer[PATH_MAX];
  if (::getcwd(buffer, sizeof buffer) && !is_above_home(buffer, roots)) {
    roots.working = buffer;
    roots.repository = repository_of(roots.working);
    if (is_above_home(roots.repository, roots)) roots.repository.clear();
  }
  const std::string program = resolved("/proc/self/exe");
  if (file_name(program).starts_with("python") && parent(program).ends_with("/bin"))
    roots.python = parent(parent(program));
  return roots;
}

std::string stored_path(std::string_view path, const PathRoots& roots) {
  if (path.starts_with('<') && path.find('/') == std::string_view::npos) return std::string(path);
  if (path.empty()) return "";
  if (path.front() != '/' && roots.working.empty()) return std::string(file_name(path));
  const std::string whole = normal(path.front() == '/' ? path : roots.working + "/" + std::string(path));
  std::string found = try_rules(whole, roots);
  if (!found.empty()) return found;
  std::string real = resolved(whole);  // perhaps named through a link
  if (real.empty()) real = whole;
  found = try_rules(real, roots);
  if (found.empty()) found = other_project_path(real, roots);
  return found.empty() ? std::string(file_name(whole)) : found;
}

std::string stored_path(std::string_view path) {
  static const PathRoots* const roots = new PathRoots(find_path_roots());  // callbacks come from exit handlers too
  return stored_path(path, *roots);
}

}  // namespace zerostall::tracer
