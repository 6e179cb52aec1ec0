#include "profiler/tracer/stacks/python_layout.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace zerostall::tracer {
namespace {

// 3.10 to 3.12 publish nothing. These are offsets in structs of the version's headers, which do not change within a
// version; frames and code are checked before they are believed (python_stack.cpp).
PythonLayout layout_3_10() {
  PythonLayout l;
  l.thread = {.frame = 24};
  l.frame = {.bytes = 104, .code = 32, .previous = 24, .instruction = 96};
  l.code = {.file = 104, .name = 112, .lines = 120, .first_line = 40, .bytecode = 48};
  l.text.ascii = 48;
  l.text.other = 72;
  l.index_instruction = true;
  l.lines = LineTable::pairs;
  return l;
}

PythonLayout layout_3_11() {
  PythonLayout l;
  l.thread = {.frame = 56, .inner = 8};
  l.frame = {.bytes = 72, .code = 32, .previous = 48, .instruction = 56};
  l.code = {.file = 112, .name = 128, .lines = 136, .first_line = 72, .bytecode = 184};
  l.text.ascii = 48;
  l.text.other = 72;
  return l;
}

PythonLayout layout_3_12() {
  PythonLayout l;
  l.thread = {.frame = 56, .inner = 0};
  l.frame = {.bytes = 72, .code = 0, .previous = 8, .instruction = 56, .owner = 70};
  l.code = {.file = 112, .name = 128, .lines = 136, .first_line = 68, .bytecode = 192};
  l.text.ascii = 40;
  l.text.other = 56;
  return l;
}

// From 3.13 on _PyRuntime begins with a table of offsets for debuggers (_Py_DebugOffsets): words, at these indices.
struct Published {
  unsigned thread_frame, previous, executable, instruction, owner;
  unsigned file, qualified_name, lines, first_line, bytecode;
  unsigned bytes_data, text_state, text_length, text_ascii;
};
constexpr Published k3_13 = {23, 29, 30, 31, 33, 35, 37, 38, 39, 43, 66, 68, 69, 70};
constexpr Published k3_14 = {26, 32, 33, 34, 36, 40, 42, 43, 44, 48, 76, 78, 79, 80};

bool read_published(const Published& at, std::uint64_t version, const void* runtime, PythonLayout* layout) {
  constexpr unsigned kVersion = 1, kFreeThreaded = 2, kWords = 81;
  constexpr std::uint64_t kMostOffset = 4096;
  std::uint64_t words[kWords];
  if (!runtime) return false;
  std::memcpy(words, runtime, sizeof words);
  if (std::memcmp(words, "xdebugpy", 8) != 0 || words[kVersion] != version || words[kFreeThreaded] != 0) return false;
  bool sound = true;
  const auto word = [&](unsigned index) {
    sound = sound && words[index] < kMostOffset;
    return static_cast<std::uint32_t>(words[index]);
  };
  layout->thread = {.frame = word(at.thread_frame)};
  layout->frame = {.code = word(at.executable),
                   .previous = word(at.previous),
                   .instruction = word(at.instruction),
                   .owner = word(at.owner)};
  for (const std::uint32_t last : {layout->frame.code, layout->frame.previous, layout->frame.instruction})
    if (last + 8 > layout->frame.bytes) layout->frame.bytes = last + 8;
  if (layout->frame.owner >= layout->frame.bytes) layout->frame.bytes = layout->frame.owner + 1;
  layout->code = {.file = word(at.file),
                  .name = word(at.qualified_name),
                  .lines = word(at.lines),
                  .first_line = word(at.first_line),
                  .bytecode = word(at.bytecode)};
  layout->text.length = word(at.text_length);
  layout->text.state = word(at.text_state);
  layout->text.ascii = word(at.text_ascii);
  layout->text.other = layout->text.ascii + 16;  // with the cached UTF-8 form: its length and address
  layout->bytes_data = word(at.bytes_data);
  return sound;
}

template <class F>
bool find(void* library, F& function, const char* name) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

std::uint64_t version_of(void* library) {
  if (const auto* number = static_cast<const unsigned long*>(dlsym(library, "Py_Version"))) return *number;  // 3.11
  const char* (*text)() = nullptr;
  if (!find(library, text, "Py_GetVersion")) return 0;
  char* rest = nullptr;
  const auto major = std::strtoul(text(), &rest, 10);
  const auto minor = *rest == '.' ? std::strtoul(rest + 1, nullptr, 10) : 0;
  return major << 24 | minor << 16;
}

// A program that embeds Python may have loaded it for itself alone.
int is_libpython(dl_phdr_info* info, std::size_t, void* data) {
  const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
  if (!path.substr(path.rfind('/') + 1).starts_with("libpython3")) return 0;
  *static_cast<const char**>(data) = info->dlpi_name;
  return 1;
}

// What dlsym() takes for the library with the interpreter in it; RTLD_DEFAULT, the usual one, is null.
std::optional<void*> library_of_python() {
  constexpr const char* kName = "PyGILState_GetThisThreadState";
  if (dlsym(RTLD_DEFAULT, kName)) return RTLD_DEFAULT;
  const char* path = nullptr;
  if (dl_iterate_phdr(is_libpython, &path) != 1) return {};
  void* library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  return library && dlsym(library, kName) ? std::optional(library) : std::nullopt;
}

Python read_python(void* library) {
  Python p;
  find(library, p.this_thread, "PyGILState_GetThisThreadState");
  p.code_type = dlsym(library, "PyCode_Type");
  p.text_type = dlsym(library, "PyUnicode_Type");
  p.bytes_type = dlsym(library, "PyBytes_Type");
  const bool complete =
      (find(library, p.is_finalizing, "Py_IsFinalizing") || find(library, p.is_finalizing, "_Py_IsFinalizing")) &&
      find(library, p.first_interpreter, "PyInterpreterState_Head") &&
      find(library, p.main_interpreter, "PyInterpreterState_Main") && p.code_type && p.text_type && p.bytes_type;
  p.known = complete && python_layout(version_of(library), dlsym(library, "_PyRuntime"), &p.layout);
  return p;
}

std::atomic<const Python*> g_python{nullptr};

}  // namespace

bool python_layout(std::uint64_t version, const void* offsets, PythonLayout* layout) {
  if constexpr (sizeof(void*) != 8) return false;
  switch (version >> 16) {
    case 0x030a:
      *layout = layout_3_10();
      return true;
    case 0x030b:
      *layout = layout_3_11();
      return true;
    case 0x030c:
      *layout = layout_3_12();
      return true;
    case 0x030d:
      return read_published(k3_13, version, offsets, layout);
    case 0x030e:
      layout->text.kind_bit = 16;
      return read_published(k3_14, version, offsets, layout);
    default:
      return false;
  }
}

const Python* known_python() { return g_python.load(std::memory_order_acquire); }

const Python* find_python() {
  if (const Python* known = known_python()) return known;
  const auto library = library_of_python();
  if (!library) return nullptr;
  auto* found = new Python(read_python(*library));
  const Python* before = nullptr;
  if (g_python.compare_exchange_strong(before, found)) return found;
  delete found;
  return before;
}

}  // namespace zerostall::tracer
