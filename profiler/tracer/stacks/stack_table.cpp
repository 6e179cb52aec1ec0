#include "profiler/tracer/stacks/stack_table.h"

#include <errno.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiler/base/late_local.h"
#include "profiler/tracer/mix.h"
#include "profiler/tracer/stacks/code_module.h"
#include "profiler/tracer/stacks/native_stack.h"
#include "profiler/tracer/stacks/python_layout.h"
#include "profiler/tracer/stacks/python_stack.h"
#include "profiler/tracer/stored_path.h"

namespace zerostall::tracer {
namespace {

void put_number(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

struct KnownModule {
  std::uintptr_t end = 0;
  std::string build_id;
  std::uint32_t id = 0;
};

// All that needs the lock.
struct Table {
  explicit Table(const StackSink& to) : sink(to) {}
  StackSink sink;
  std::mutex lock;
  std::unordered_map<std::uint64_t, std::uint32_t> by_hash;
  std::unordered_map<std::uint64_t, std::uint32_t> by_content;  // by hash: other instructions may be the same line
  std::unordered_map<std::uintptr_t, KnownModule> modules;      // by begin
  std::uint32_t last_module = 0;
};

std::atomic<Table*> g_table{nullptr};  // never freed: calls come from exit handlers too
// Part of every hash: raised when another library has taken the place of an unloaded one, so that addresses seen
// before mean something else.
std::atomic<std::uint32_t> g_generation{0};

// Stacks of this thread, each at the one place its hash gives.
struct ThreadCache {
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t id = 0;
  };
  static constexpr std::size_t kEntries = 256;
  std::array<Entry, kEntries> entries;
  bool busy = false;  // a signal handler that interrupts its thread here gets no stack: a lock may be held
  Entry& of(std::uint64_t hash) { return entries[hash % kEntries]; }
};

std::uint64_t hash_of(const NativeStack& native, const PythonStack& python) {
  const auto state = static_cast<std::uint64_t>(python.state) << 2 | static_cast<std::uint64_t>(python.cut) << 1 |
                     static_cast<std::uint64_t>(native.cut);
  std::uint64_t hash = mix(python.hash, state << 32 | g_generation.load(std::memory_order_relaxed));
  return mix_bytes(hash, native.frames.data(), native.count * sizeof native.frames[0]);
}

std::uint32_t module_id(Table& table, const CodeModule& module) {
  KnownModule& known = table.modules[module.begin];
  std::string id = build_id(module);
  if (known.id != 0 && known.end == module.end && known.build_id == id) return known.id;
  if (known.id != 0) {
    g_generation.fetch_add(1, std::memory_order_relaxed);
    forget_unwind_rules();
  }
  known = {module.end, std::move(id), ++table.last_module};
  std::string bytes;
  put_text(bytes, stored_path(module_path(module)));
  put_text(bytes, known.build_id);
  table.sink.define(StackDefinition::module, known.id, bytes);
  return known.id;
}

void put_native(Table& table, const NativeStack& native, std::string& bytes) {
  struct Last {
    CodeModule module;
    std::uint32_t id = 0;
  };
  std::vector<Last> seen;  // by this stack: a few, of many frames each
  put_number(bytes, native.count);
  for (std::uint32_t i = 0; i < native.count; ++i) {
    const std::uintptr_t address = native.frames[i], code = address - 1;
    const Last* found = nullptr;
    for (const Last& last : seen)
      if (code >= last.module.begin && code < last.module.end) found = &last;
    if (CodeModule module; !found && find_module(code, &module)) {
      seen.push_back({module, module_id(table, module)});
      found = &seen.back();
    }
    put_number(bytes, found ? found->id : 0);
    put_number(bytes, found ? address - found->module.bias : 0);  // generated code: its address tells nothing
  }
}

void put_python(Table& table, const PythonStack& python, std::string& bytes) {
  put_number(bytes, python.count);
  for (std::uint32_t i = 0; i < python.count; ++i) {
    const PythonFrameText text = describe(python.frames[i]);
    put_number(bytes, table.sink.string_id(stored_path(text.file)));
    put_number(bytes, table.sink.string_id(text.function));
    put_number(bytes, static_cast<std::uint64_t>(text.line));
  }
}

std::uint32_t define_stack(Table& table, std::uint64_t hash, const NativeStack& native, const PythonStack& python) {
  const std::lock_guard guard(table.lock);
  if (const auto known = table.by_hash.find(hash); known != table.by_hash.end()) return known->second;
  std::string bytes;
  put_number(bytes, static_cast<std::uint64_t>(python.state));
  put_number(bytes, static_cast<std::uint64_t>(native.cut) | static_cast<std::uint64_t>(python.cut) << 1);
  put_native(table, native, bytes);
  put_python(table, python, bytes);
  const auto next = static_cast<std::uint32_t>(table.by_content.size() + 1);
  const auto [entry, is_new] = table.by_content.try_emplace(mix_bytes(0, bytes.data(), bytes.size()), next);
  if (is_new) table.sink.define(StackDefinition::stack, next, bytes);
  return table.by_hash[hash] = entry->second;
}

// From the function that calls stack_id() outwards: a few frames of the tracer are among them.
std::uint32_t find_stack(Table& table, ThreadCache& cache) {
  NativeStack native;
  PythonStack python;
  walk_native_stack(native);
  walk_python_stack(python);
  std::uint64_t hash = hash_of(native, python);
  if (const ThreadCache::Entry& entry = cache.of(hash); entry.id != 0 && entry.hash == hash) return entry.id;
  if (!known_python()) {  // a program may load Python late
    walk_python_stack(python, true);
    hash = hash_of(native, python);
  }
  const std::uint32_t id = define_stack(table, hash, native, python);
  cache.of(hash) = {hash, id};
  return id;
}

}  // namespace

void start_stacks(const StackSink& sink) {
  // What asks the loader is asked now: later a thread that loads a library, and whose constructors call CUDA, may hold
  // the loader's lock while it waits for ours.
  CodeModule self;
  find_module(reinterpret_cast<std::uintptr_t>(&start_stacks), &self);
  find_python();
  g_table.store(new Table(sink), std::memory_order_release);
}

void abandon_stacks() { g_table.store(nullptr, std::memory_order_relaxed); }

__attribute__((noinline)) std::uint32_t stack_id() {
  Table* table = g_table.load(std::memory_order_acquire);
  auto& cache = late_local<ThreadCache>();
  if (!table || cache.busy) return 0;
  const int error_before = errno;  // the program's
  cache.busy = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const std::uint32_t id = find_stack(*table, cache);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  cache.busy = false;
  errno = error_before;
  return id;
}

}  // namespace zerostall::tracer
