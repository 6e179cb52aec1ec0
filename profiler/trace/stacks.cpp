#include "profiler/trace/stacks.h"

namespace zerostall {
namespace {

struct Reader {
  std::span<const std::byte> left;
  bool ok = true;

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (left.empty()) break;
      const auto byte = std::to_integer<unsigned>(left.front());
      left = left.subspan(1);
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
    std::string value(reinterpret_cast<const char*>(left.data()), bytes);
    left = left.subspan(bytes);
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

std::optional<Module> parse_module(std::span<const std::byte> payload) {
  Reader in{payload};
  Module module{in.text(), in.text()};
  return in.ok && in.left.empty() ? std::optional(std::move(module)) : std::nullopt;
}

std::optional<Stack> parse_stack(std::span<const std::byte> payload) {
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

}  // namespace zerostall
