#include "profiler/tracer/stacks/python_stack.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>

#include "profiler/tracer/mix.h"
#include "profiler/tracer/stacks/memory_reader.h"
#include "profiler/tracer/stacks/python_layout.h"

namespace zerostall::tracer {
namespace {

using Address = std::uintptr_t;

constexpr Address kTypeOffset = 8, kSizeOffset = 16;  // of every object; of those with a length
constexpr Address kTagBits = 7;                       // 3.14 marks borrowed references in the low bits
constexpr std::size_t kMostFrameBytes = 128;
constexpr std::size_t kMostTextBytes = 4096, kMostTableBytes = 1 << 20;

// Whether the layout has been seen to hold: once per process, by a walk in which every byte is read with a check.
// A thread may be in an odd state, so one failure is not the end.
enum class Trust : std::uint8_t { untested, good, bad };
std::atomic<Trust> g_trust{Trust::untested};
std::atomic<int> g_failed_tests{0};
constexpr int kMostFailedTests = 16;

void test_has_failed() {
  if (g_failed_tests.fetch_add(1) + 1 >= kMostFailedTests) g_trust.store(Trust::bad, std::memory_order_relaxed);
}

bool is_main_thread() {
  static thread_local const pid_t thread = static_cast<pid_t>(::syscall(SYS_gettid));
  return thread == ::getpid();
}

template <class T>
T load(Address at) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(at), sizeof value);
  return value;
}

template <class T>
bool load_checked(Address at, T* value) {
  return read_checked(at, value, sizeof *value);
}

// What is read of a frame.
struct RawFrame {
  Address code = 0, previous = 0, instruction = 0;
  bool internal = false;
};

// The chain of frames. `checked`: through the kernel. Needed on other threads than the main one, since a Python that
// shuts down frees the states and frames of threads that are in a C call.
class Chain {
 public:
  Chain(const PythonLayout& layout, bool checked) : layout_(layout), checked_(checked) {}

  bool innermost(Address thread, Address* frame) {
    Address at = 0;
    if (!word(thread + layout_.thread.frame, &at)) return false;
    if (layout_.thread.inner != PythonLayout::kNone && !word(at + layout_.thread.inner, &at)) return false;
    *frame = at;
    return true;
  }

  bool read(Address at, RawFrame* frame) {
    std::array<unsigned char, kMostFrameBytes> bytes;
    if (layout_.frame.bytes > bytes.size() || at % sizeof(Address) != 0) return false;
    if (!copy(at, bytes.data(), layout_.frame.bytes)) return false;
    const auto take = [&](std::uint32_t offset, auto* value) { std::memcpy(value, &bytes[offset], sizeof *value); };
    take(layout_.frame.code, &frame->code);
    take(layout_.frame.previous, &frame->previous);
    frame->code &= ~kTagBits;
    if (layout_.index_instruction) {
      std::int32_t index = 0;
      take(layout_.frame.instruction, &index);
      frame->instruction = static_cast<Address>(std::int64_t{index});
    } else {
      take(layout_.frame.instruction, &frame->instruction);
    }
    constexpr unsigned char kFirstInternal = 3;
    frame->internal = layout_.frame.owner != PythonLayout::kNone && bytes[layout_.frame.owner] >= kFirstInternal;
    return true;
  }

 private:
  bool word(Address at, Address* value) { return copy(at, value, sizeof *value); }
  bool copy(Address at, void* to, std::size_t bytes) {
    if (checked_) return reader_.read(at, to, bytes);
    std::memcpy(to, reinterpret_cast<const void*>(at), bytes);
    return true;
  }

  const PythonLayout& layout_;
  bool checked_;
  PageReader reader_;
};

// --- Code objects: they and what they refer to live as long as the frame, so that plain reads do.

struct Bytes {
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;
};

struct Text {
  Bytes bytes;
  unsigned character = 1;  // bytes of one
  bool ascii = true;
};

Text text_at(const PythonLayout& layout, Address object) {
  const auto state = load<std::uint32_t>(object + layout.text.state) >> layout.text.kind_bit;
  Text text;
  text.character = state & 7u;
  text.ascii = (state >> 4 & 1u) != 0;
  const auto length = load<std::size_t>(object + layout.text.length);
  text.bytes.data =
      reinterpret_cast<const std::uint8_t*>(object + (text.ascii ? layout.text.ascii : layout.text.other));
  text.bytes.size = std::min(length, kMostTextBytes) * text.character;
  return text;
}

Bytes bytes_at(const PythonLayout& layout, Address object) {
  return {reinterpret_cast<const std::uint8_t*>(object + layout.bytes_data),
          std::min(load<std::size_t>(object + kSizeOffset), kMostTableBytes)};
}

Bytes line_table(const PythonLayout& layout, Address code) {
  return bytes_at(layout, load<Address>(code + layout.code.lines));
}

// Objects are freed and their addresses used again: what a frame says is told from what it refers to.
std::uint64_t hash_of(const PythonLayout& layout, const PythonStack::Frame& frame) {
  std::uint64_t hash = mix(frame.instruction, load<std::uint32_t>(frame.code + layout.code.first_line));
  for (const std::uint32_t text : {layout.code.file, layout.code.name}) {
    const Bytes bytes = text_at(layout, load<Address>(frame.code + text)).bytes;
    hash = mix_bytes(hash, bytes.data, bytes.size);
  }
  const Bytes table = line_table(layout, frame.code);
  return mix_bytes(hash, table.data, table.size);
}

// --- Belief in the layout

bool has_type(Address object, const void* type) {
  Address found = 0;
  return object % sizeof(Address) == 0 && load_checked(object + kTypeOffset, &found) &&
         found == reinterpret_cast<Address>(type);
}

bool is_sound_text(const Python& python, Address object) {
  std::uint32_t state = 0;
  std::size_t length = 0;
  if (!has_type(object, python.text_type) || !load_checked(object + python.layout.text.state, &state) ||
      !load_checked(object + python.layout.text.length, &length) || length > kMostTextBytes)
    return false;
  state >>= python.layout.text.kind_bit;
  const unsigned character = state & 7u;
  const bool compact = (state >> 3 & 1u) != 0, ascii = (state >> 4 & 1u) != 0;
  if (!compact || (character != 1 && character != 2 && character != 4)) return false;
  std::array<char, kMostTextBytes> characters;
  if (!ascii) return true;
  if (!read_checked(object + python.layout.text.ascii, characters.data(), length)) return false;
  return std::all_of(characters.begin(), characters.begin() + static_cast<std::ptrdiff_t>(length),
                     [](char c) { return c > 0; });
}

// Where the instructions lie and how many bytes they have.
bool read_bytecode(const Python& python, Address code, Address* begin, std::size_t* bytes) {
  if (!python.layout.index_instruction) {
    *begin = code + python.layout.code.bytecode;
    constexpr std::size_t kCodeUnit = 2;
    return load_checked(code + kSizeOffset, bytes) && ((*bytes *= kCodeUnit), true);
  }
  Address object = 0;
  *begin = 0;
  return load_checked(code + python.layout.code.bytecode, &object) && has_type(object, python.bytes_type) &&
         load_checked(object + kSizeOffset, bytes);
}

bool is_sound_code(const Python& python, Address code) {
  Address file = 0, name = 0, lines = 0;
  std::int32_t first_line = -1;
  const auto& at = python.layout.code;
  return has_type(code, python.code_type) && load_checked(code + at.file, &file) &&
         load_checked(code + at.name, &name) && load_checked(code + at.lines, &lines) &&
         load_checked(code + at.first_line, &first_line) && is_sound_text(python, file) &&
         is_sound_text(python, name) && has_type(lines, python.bytes_type) && first_line >= 0;
}

// Byte offset of the instruction; false: not in the code. -2: the frame is being set up.
bool instruction_offset(const Python& python, const RawFrame& frame, std::int64_t* offset) {
  if (python.layout.index_instruction)
    *offset = static_cast<std::int64_t>(frame.instruction) * 2;
  else
    *offset = static_cast<std::int64_t>(frame.instruction - (frame.code + python.layout.code.bytecode));
  return *offset >= -2 && *offset < static_cast<std::int64_t>(kMostTableBytes);
}

bool is_sound_frame(const Python& python, const RawFrame& frame) {
  if (frame.internal) return true;
  Address begin = 0;
  std::size_t bytes = 0;
  std::int64_t offset = 0;
  return is_sound_code(python, frame.code) && read_bytecode(python, frame.code, &begin, &bytes) &&
         bytes < kMostTableBytes && instruction_offset(python, frame, &offset) &&
         offset < static_cast<std::int64_t>(bytes);
}

// --- The walk

bool has_subinterpreters(const Python& python) { return python.first_interpreter() != python.main_interpreter(); }

// False: the memory does not look as it should.
bool walk_chain(const Python& python, Address thread, bool test, PythonStack& stack) {
  Chain chain(python.layout, test || !is_main_thread());
  Address at = 0;
  if (!chain.innermost(thread, &at)) return false;
  constexpr int kMostLinks = 1 << 16;
  for (int links = 0; at != 0; ++links) {
    RawFrame frame;
    std::int64_t offset = 0;
    if (links == kMostLinks || !chain.read(at, &frame)) return false;
    at = frame.previous;
    if (test && !is_sound_frame(python, frame)) return false;
    if (frame.internal || !instruction_offset(python, frame, &offset) || offset < 0) continue;
    if (stack.count == PythonStack::kMostFrames) {
      stack.cut = true;
      break;
    }
    stack.frames[stack.count++] = {frame.code, static_cast<std::uint32_t>(offset)};
  }
  return true;
}

PythonState walk(const Python& python, PythonStack& stack) {
  const Trust trust = g_trust.load(std::memory_order_relaxed);
  if (!python.known || trust == Trust::bad || python.is_finalizing() || has_subinterpreters(python))
    return PythonState::unknown;
  const auto thread = reinterpret_cast<Address>(python.this_thread());
  if (thread == 0) return PythonState::none;
  const bool ok = walk_chain(python, thread, trust != Trust::good, stack);
  // Had the shutdown begun meanwhile, the thread's state may have been gone while it was read. If not, the code of all
  // frames is alive, and stays so: a thread that the shutdown cuts off never releases what its frames hold.
  if (python.is_finalizing()) return PythonState::unknown;
  if (!ok) {
    if (trust == Trust::untested) test_has_failed();
    return PythonState::unknown;
  }
  if (stack.count == 0) return PythonState::none;
  if (trust == Trust::untested) g_trust.store(Trust::good, std::memory_order_relaxed);
  return PythonState::known;
}

void append_utf8(std::uint32_t c, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto more = [&](unsigned shift) { put(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) return put(0xc0 | c >> 6), more(0);
  if (c < 0x10000) return put(0xe0 | c >> 12), more(6), more(0);
  put(0xf0 | (c >> 18 & 7)), more(12), more(6), more(0);
}

std::string utf8(const Text& text) {
  if (text.ascii) return {reinterpret_cast<const char*>(text.bytes.data), text.bytes.size};
  std::string out;
  for (std::size_t i = 0; i + text.character <= text.bytes.size; i += text.character) {
    std::uint32_t c = 0;
    std::memcpy(&c, text.bytes.data + i, text.character);
    append_utf8(c, out);
  }
  return out;
}

}  // namespace

void walk_python_stack(PythonStack& stack, bool search) {
  stack.count = 0;
  stack.hash = 0;
  stack.cut = false;
  const Python* python = search ? find_python() : known_python();
  stack.state = python ? walk(*python, stack) : PythonState::none;
  if (stack.state != PythonState::known) {
    stack.count = 0;
    return;
  }
  for (std::size_t i = 0; i < stack.count; ++i) stack.hash = mix(stack.hash, hash_of(python->layout, stack.frames[i]));
}

PythonFrameText describe(const PythonStack::Frame& frame) {
  const PythonLayout& layout = known_python()->layout;
  const Bytes table = line_table(layout, frame.code);
  return {utf8(text_at(layout, load<Address>(frame.code + layout.code.file))),
          utf8(text_at(layout, load<Address>(frame.code + layout.code.name))),
          line_of(layout.lines, {table.data, table.size}, load<std::int32_t>(frame.code + layout.code.first_line),
                  frame.instruction)};
}

}  // namespace zerostall::tracer
