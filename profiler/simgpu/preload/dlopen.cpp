// What gets preloaded needs every simulated library, so a program that is linked to one of them, or opens it by name,
// has it already. What is left are programs that open one by its path (torch does so when NVIDIA's wheels lie beside
// it): they get the simulated one as well. All other calls go on unchanged, as jumps, so that the dynamic linker still
// sees who called: the caller's RUNPATH counts.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "preload_names.h"  // generated: kLibraries

namespace {

struct Known {
  std::string soname;  // "libcudart.so.13"
  std::string plain;   // "libcudart.so"
  std::string path;    // of the simulated one
};

const std::vector<Known>& known() {
  // Leaked on purpose: programs open libraries from their exit handlers.
  static const std::vector<Known>* all = [] {
    Dl_info self{};
    dladdr(reinterpret_cast<void*>(&known), &self);
    const std::string file = self.dli_fname ? self.dli_fname : "";
    const std::string folder = file.substr(0, file.find_last_of('/') + 1);
    auto* made = new std::vector<Known>;
    for (const char* soname : kLibraries) {
      const std::string name = soname;
      made->push_back({name, name.substr(0, name.find(".so") + 3), folder + name});
    }
    return made;
  }();
  return *all;
}

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// "libcudart.so.12" stands for "libcudart.so.12.4.127" too.
const char* find_versioned(const char* name) {
  for (const Known& k : known())
    if (std::strncmp(name, k.soname.c_str(), k.soname.size()) == 0 &&
        (name[k.soname.size()] == '\0' || name[k.soname.size()] == '.'))
      return k.path.c_str();
  return nullptr;
}

// The name without a version is a link to the file of some version; where there is none, the newest is meant.
const char* find_plain(const char* file, const char* name) {
  const char* newest = nullptr;
  for (const Known& k : known())
    if (k.plain == name) newest = k.path.c_str();  // newest last
  if (!newest || name == file) return newest;
  char* target = realpath(file, nullptr);
  const char* same = target ? find_versioned(base_name(target)) : nullptr;
  std::free(target);
  return same ? same : newest;
}

// The simulated library that `file` means, else `file` itself.
__attribute__((noinline)) const char* replacement(const char* file) {
  if (!file) return file;
  const char* name = base_name(file);
  if (std::strncmp(name, "lib", 3) != 0) return file;
  const char* ours = find_versioned(name);
  if (!ours) ours = find_plain(file, name);
  return ours ? ours : file;
}

// Python opens extensions with all functions bound at once: one that the simulation does not know would make `import
// torch` fail. Bound at their first call, such functions can be replaced in time (core/imports.h). Only for torch's own
// libraries: of others a program may want to hear that they do not fit.
__attribute__((noinline)) int binding(const char* file, int mode) {
  const bool of_torch = file && (std::strstr(file, "/torch/") || std::strncmp(file, "libtorch", 8) == 0);
  return of_torch ? (mode & ~RTLD_NOW) | RTLD_LAZY : mode;
}

using Dlopen = void* (*)(const char*, int) noexcept;  // else the last call is no jump

__attribute__((noinline)) Dlopen next_dlopen() {
  static const auto next = reinterpret_cast<Dlopen>(dlsym(RTLD_NEXT, "dlopen"));
  return next;
}

}  // namespace

// Must end in a jump, also in debug builds (tests/simgpu/preload checks it).
extern "C" __attribute__((visibility("default"), optimize("O2", "optimize-sibling-calls", "omit-frame-pointer"))) void*
dlopen(const char* file, int mode) noexcept {
  const Dlopen next = next_dlopen();
  mode = binding(file, mode);
  return next(replacement(file), mode);
}
