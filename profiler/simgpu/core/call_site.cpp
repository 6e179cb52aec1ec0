#include "profiler/simgpu/core/call_site.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

namespace zerostall::simgpu {
namespace {

// CPython's own types are opaque to us; all of these are part of its public C API since 3.9 or earlier.
struct Python {
  int (*is_initialized)() = nullptr;
  int (*is_finalizing)() = nullptr;
  void* (*this_thread)() = nullptr;
  int (*ensure)() = nullptr;
  void (*release)(int) = nullptr;
  void* (*frame_of)(void*) = nullptr;
  void* (*back)(void*) = nullptr;
  void* (*code)(void*) = nullptr;
  int (*line)(void*) = nullptr;
  void* (*attribute)(void*, const char*) = nullptr;
  const char* (*utf8)(void*) = nullptr;
  void (*unref)(void*) = nullptr;
  void (*fetch_error)(void**, void**, void**) = nullptr;
  void (*restore_error)(void*, void*, void*) = nullptr;
  bool complete = false;
};

template <class F>
bool find(F& function, const char* name) {
  function = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

// Looked up each time: a program may load Python late, and this runs only for reports.
Python find_python() {
  Python p;
  p.complete = find(p.is_initialized, "Py_IsInitialized") && find(p.this_thread, "PyGILState_GetThisThreadState") &&
               (find(p.is_finalizing, "Py_IsFinalizing") || find(p.is_finalizing, "_Py_IsFinalizing")) &&
               find(p.ensure, "PyGILState_Ensure") && find(p.release, "PyGILState_Release") &&
               find(p.frame_of, "PyThreadState_GetFrame") && find(p.back, "PyFrame_GetBack") &&
               find(p.code, "PyFrame_GetCode") && find(p.line, "PyFrame_GetLineNumber") &&
               find(p.attribute, "PyObject_GetAttrString") && find(p.utf8, "PyUnicode_AsUTF8") &&
               find(p.unref, "Py_DecRef") && find(p.fetch_error, "PyErr_Fetch") &&
               find(p.restore_error, "PyErr_Restore");
  return p;
}

struct Frame {
  std::string file, function;
  int line = 0;
};

std::string text_attribute(const Python& p, void* object, const char* name) {
  void* value = p.attribute(object, name);
  if (!value) return "";
  const char* text = p.utf8(value);
  std::string copy = text ? text : "";
  p.unref(value);
  return copy;
}

Frame read_frame(const Python& p, void* frame) {
  Frame f;
  f.line = p.line(frame);
  if (void* code = p.code(frame)) {
    f.file = text_attribute(p, code, "co_filename");
    f.function = text_attribute(p, code, "co_name");
    p.unref(code);
  }
  return f;
}

// A torch that was built in its source folder. A folder of the user's may well be called torch, so its name alone says
// nothing.
std::size_t torch_root(std::string_view file) {
  constexpr std::string_view kFolder = "/torch/";
  const auto at = file.rfind(kFolder);
  if (at == std::string_view::npos) return at;
  const std::string package(file.substr(0, at + kFolder.size()));
  return access((package + "__init__.py").c_str(), F_OK) == 0 ? at + 1 : std::string_view::npos;
}

std::size_t library_root(std::string_view file) {  // where the package's own path starts; npos for the program's files
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"})
    if (const auto at = file.rfind(folder); at != std::string_view::npos) return at + folder.size();
  if (const auto at = torch_root(file); at != std::string_view::npos) return at;
  if (const auto at = file.rfind("/lib/python3"); at != std::string_view::npos) return at + 5;
  return file.starts_with('<') ? 0 : std::string_view::npos;  // <frozen ...>, <string>
}

std::string short_text(const Frame& f) {
  const std::size_t root = library_root(f.file);
  const std::string file =
      root == std::string::npos ? f.file.substr(f.file.find_last_of('/') + 1) : f.file.substr(root);
  return file + ":" + std::to_string(f.line) + " in " + f.function;
}

void walk(const Python& p, void* thread, CallSite& site) {
  constexpr int kMostFrames = 256;
  Frame innermost, own;
  bool first = true;
  void* frame = p.frame_of(thread);
  for (int depth = 0; frame && own.file.empty() && depth < kMostFrames; ++depth) {
    Frame f = read_frame(p, frame);
    if (library_root(f.file) == std::string::npos) own = f;
    if (first) innermost = f;
    first = false;
    void* outer = p.back(frame);
    p.unref(frame);
    frame = outer;
  }
  if (frame) p.unref(frame);
  if (first) return;
  const Frame& chosen = own.file.empty() ? innermost : own;
  site.file = chosen.file;
  site.line = chosen.line;
  site.function = chosen.function;
  if (library_root(innermost.file) != std::string::npos) site.library = short_text(innermost);
}

void find_python_frame(CallSite& site) {
  const Python p = find_python();
  if (!p.complete || !p.is_initialized() || p.is_finalizing()) return;
  void* thread = p.this_thread();
  if (!thread) return;  // Python never ran on this thread; it has no frames
  const int state = p.ensure();
  void *type = nullptr, *value = nullptr, *trace = nullptr;
  p.fetch_error(&type, &value, &trace);
  walk(p, thread, site);
  p.restore_error(type, value, trace);
  p.release(state);
}

std::string native_caller() {
  char name[32] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  std::string text = std::string("thread ") + name;
  Dl_info self{}, other{};
  dladdr(reinterpret_cast<void*>(&find_call_site), &self);
  const std::string_view own = self.dli_fname ? self.dli_fname : "";
  const std::string_view folder = own.substr(0, own.find_last_of('/') + 1);
  void* addresses[64];
  const int n = backtrace(addresses, 64);
  for (int i = 0; i < n; ++i) {
    if (!dladdr(addresses[i], &other) || !other.dli_fname) continue;
    const std::string_view file = other.dli_fname;
    if (!folder.empty() && file.starts_with(folder)) continue;
    text += ", " + std::string(file.substr(file.find_last_of('/') + 1));
    break;
  }
  return text;
}

}  // namespace

CallSite find_call_site() {
  CallSite site;
  find_python_frame(site);
  if (site.file.empty()) site.native = native_caller();
  return site;
}

std::string describe(const CallSite& site) {
  if (site.file.empty()) return site.native;
  std::string text = short_text({site.file, site.function, site.line});
  if (!site.library.empty() && site.library != text) text += " (by " + site.library + ")";
  return text;
}

}  // namespace zerostall::simgpu
