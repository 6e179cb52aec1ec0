#include "profiler/trace/stacks.h"

namespace zerostall {
namespace {

struct Reader {
  std::string_view left;
  bool ok = true;

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (left.empty()) break;
      const unsigned byte = static_cast<unsigned char>(left.front());
      left.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    ok = false;
    return 0;
  }

  std::uint32_t id() {
    const std::uint64_t value = number();
    ok = ok && value <= 0xffff'ffffu;
    return static_cast<std::uint32_t>(value);
  }

  std::string text() {
    const std::uint64_t bytes = number();
    ok = ok && bytes <= left.size();
    if (!ok) return "";
    std::string value(left.substr(0, bytes));
    left.remove_prefix(bytes);
    return value;
  }

  // A count of items of at least `least` bytes each: no more than can follow.
  std::size_t count(std::size_t least) {
    const std::uint64_t value = number();
    ok = ok && value <= left.size() / least;
    return ok ? static_cast<std::size_t>(value) : 0;
  }
};

}  // namespace

std::optional<Module> parse_module(std::string_view payload) {
  Reader in{payload};
  Module module{in.text(), in.text()};
  return in.ok && in.left.empty() ? std::optional(std::move(module)) : std::nullopt;
}

std::optional<Stack> parse_stack(std::string_view payload) {
  Reader in{payload};
  Stack stack;
  const std::uint64_t state = in.number(), flags = in.number();
  if (state > static_cast<std::uint64_t>(PythonFrames::unknown)) return {};
  stack.python_frames = static_cast<PythonFrames>(state);
  stack.native_cut = (flags & 1) != 0;
  stack.python_cut = (flags & 2) != 0;
  stack.native.resize(in.count(2));
  for (NativeFrame& frame : stack.native) {
    frame.module = in.id();
    frame.offset = in.number();
  }
  stack.python.resize(in.count(3));
  for (PythonFrame& frame : stack.python) {
    frame.file = in.id();
    frame.function = in.id();
    frame.line = in.id();
  }
  return in.ok && in.left.empty() ? std::optional(std::move(stack)) : std::nullopt;
}

bool add_module(std::uint32_t id, std::string_view payload, Stacks& stacks) {
  auto module = parse_module(payload);
  if (module) stacks.modules[id] = std::move(*module);
  return module.has_value();
}

bool add_stack(std::uint32_t id, std::string_view payload, Stacks& stacks) {
  auto stack = parse_stack(payload);
  if (stack) stacks.stacks[id] = std::move(*stack);
  return stack.has_value();
}

std::vector<std::uint32_t*> names_in(Stacks& stacks) {
  std::vector<std::uint32_t*> names;
  for (auto& [id, stack] : stacks.stacks)
    for (PythonFrame& frame : stack.python) names.insert(names.end(), {&frame.file, &frame.function});
  return names;
}

}  // namespace zerostall
