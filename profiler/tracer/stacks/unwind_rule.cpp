#include "profiler/tracer/stacks/unwind_rule.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>

namespace zerostall::tracer {
namespace {

using Address = std::uintptr_t;

// DWARF's register numbers on x86-64.
constexpr std::uint64_t kRbp = 6, kRsp = 7, kReturnAddress = 16;

// A walk over encoded bytes. Past `end`, or at an encoding not known here, everything reads as zero and `ok` is false.
struct Cursor {
  const std::uint8_t* at = nullptr;
  const std::uint8_t* end = nullptr;
  bool ok = true;

  bool more() const { return ok && at < end; }

  template <class T>
  T take() {
    T value{};
    if (!ok || static_cast<std::size_t>(end - at) < sizeof value) {
      ok = false;
      return value;
    }
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }

  void skip(std::uint64_t bytes) {
    ok = ok && bytes <= static_cast<std::size_t>(end - at);
    if (ok) at += bytes;
  }

  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; ok; shift += 7) {
      const auto byte = take<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80u) == 0) break;
    }
    return value;
  }

  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; ok;) {
      const auto byte = take<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if ((byte & 0x80u) != 0) continue;
      if ((byte & 0x40u) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
      break;
    }
    return static_cast<std::int64_t>(value);
  }

  // A pointer in one of the encodings that compilers use for code (DW_EH_PE_*). `relative` false: a plain number.
  Address pointer(std::uint8_t encoding, bool relative = true) {
    const Address base = relative && (encoding & 0x70u) == 0x10 ? reinterpret_cast<Address>(at) : 0;
    if (relative && (encoding & 0xf0u) != 0x10 && (encoding & 0xf0u) != 0) ok = false;
    switch (encoding & 0x0fu) {
      case 0x00:
      case 0x04:
      case 0x0c:
        return base + take<std::uint64_t>();
      case 0x03:
        return base + take<std::uint32_t>();
      case 0x0b: {
        const auto offset = take<std::int32_t>();
        // A range has the encoding of an address but no sign.
        return relative ? base + static_cast<Address>(std::int64_t{offset}) : static_cast<std::uint32_t>(offset);
      }
      default:
        ok = false;
        return 0;
    }
  }
};

// One entry of .eh_frame: its length says where it ends.
Cursor entry_at(const std::uint8_t* entry) {
  std::uint32_t length = 0;
  std::memcpy(&length, entry, sizeof length);
  const bool ok = length >= 4 && length < 0xffff'fff0u;  // above: the 64-bit form, which no linker writes for .eh_frame
  return {entry + sizeof length, entry + sizeof length + (ok ? length : 0), ok};
}

// What functions compiled together share (a CIE).
struct Common {
  Cursor program;
  std::uint64_t code_alignment = 0;
  std::int64_t data_alignment = 0;
  std::uint8_t pointer_encoding = 0;
  bool has_augmentation = false;
  bool ok = false;
};

Common read_common(const std::uint8_t* entry) {
  Common common;
  Cursor in = entry_at(entry);
  if (in.take<std::uint32_t>() != 0) return common;  // not a CIE
  const auto version = in.take<std::uint8_t>();
  if (version != 1 && version != 3) return common;
  char augmentation[8] = "";
  for (char& c : augmentation)
    if ((c = in.take<char>()) == '\0') break;
  if (augmentation[7] != '\0') return common;
  common.code_alignment = in.uleb();
  common.data_alignment = in.sleb();
  if ((version == 1 ? in.take<std::uint8_t>() : in.uleb()) != kReturnAddress) return common;
  if (augmentation[0] == 'z') {
    common.has_augmentation = true;
    const auto bytes = in.uleb();
    Cursor data = in;
    in.skip(bytes);
    for (const char* c = augmentation + 1; *c; ++c) {
      if (*c == 'R') {
        common.pointer_encoding = data.take<std::uint8_t>();
      } else if (*c == 'P') {
        const auto encoding = data.take<std::uint8_t>();
        data.pointer(encoding & 0x0fu, false);
      } else if (*c == 'L') {
        data.take<std::uint8_t>();
      } else {
        return common;  // 'S', a signal's frame, among others
      }
    }
    in.ok = in.ok && data.ok;
  } else if (augmentation[0] != '\0') {
    return common;
  }
  common.ok = in.ok;
  common.program = in;
  return common;
}

struct Row {
  CfaKind cfa = CfaKind::unknown;
  RbpKind rbp = RbpKind::same;
  bool returns = true;     // false: the return address is undefined
  bool understood = true;  // false: something this walk depends on is described in a way not read here
  std::int64_t cfa_offset = 0, rbp_offset = 0;
};

// The two expressions that GCC and Clang write for functions that align their stack: rbp + n, and the word there.
std::optional<std::int64_t> rbp_expression(Cursor in, bool dereferenced) {
  constexpr std::uint8_t kBreg6 = 0x76, kDeref = 0x06;
  if (in.take<std::uint8_t>() != kBreg6) return {};
  const std::int64_t offset = in.sleb();
  if (dereferenced && in.take<std::uint8_t>() != kDeref) return {};
  return in.ok && in.at == in.end ? std::optional(offset) : std::nullopt;
}

class Program {
 public:
  Program(const Common& common, Address begin, Address pc) : common_(common), location_(begin), pc_(pc) {}

  // Runs until the row that holds at pc is complete.
  void run(Cursor in) {
    while (in.more() && location_ <= pc_) step(in);
    row_.understood = row_.understood && in.ok;
  }
  void initial_is_done() { initial_ = row_; }
  const Row& row() const { return row_; }

 private:
  void step(Cursor& in) {
    const auto op = in.take<std::uint8_t>();
    const std::uint64_t low = op & 0x3fu;
    switch (op >> 6) {
      case 1:
        return advance(low);
      case 2:
        return saved(low, static_cast<std::int64_t>(in.uleb()) * common_.data_alignment);
      case 3:
        return restore(low);
      default:
        extended(op, in);
    }
  }

  void extended(std::uint8_t op, Cursor& in) {
    switch (op) {
      case 0x00:  // nop
        return;
      case 0x01:  // set_loc
        location_ = in.pointer(common_.pointer_encoding);
        return;
      case 0x02:
        return advance(in.take<std::uint8_t>());
      case 0x03:
        return advance(in.take<std::uint16_t>());
      case 0x04:
        return advance(in.take<std::uint32_t>());
      case 0x05:  // offset_extended
        return with_register(in,
                             [&](auto r) { saved(r, static_cast<std::int64_t>(in.uleb()) * common_.data_alignment); });
      case 0x11:  // offset_extended_sf
        return with_register(in, [&](auto r) { saved(r, in.sleb() * common_.data_alignment); });
      case 0x2f:  // GNU_negative_offset_extended
        return with_register(in,
                             [&](auto r) { saved(r, -static_cast<std::int64_t>(in.uleb()) * common_.data_alignment); });
      case 0x06:
        return restore(in.uleb());
      case 0x07:  // undefined
        if (const auto r = in.uleb(); r == kReturnAddress) row_.returns = false;
        return;
      case 0x08:  // same_value
        if (const auto r = in.uleb(); r == kRbp) row_.rbp = RbpKind::same;
        return;
      case 0x09:  // register
        return with_register(in, [&](auto r) { in.uleb(), lost(r); });
      case 0x0a:  // remember_state
        if (depth_ < memory_.size()) memory_[depth_] = row_;
        ++depth_;
        return;
      case 0x0b:  // restore_state
        if (depth_ == 0 || depth_ > memory_.size()) {
          in.ok = false;
          return;
        }
        row_ = memory_[--depth_];
        return;
      case 0x0c:  // def_cfa
        return with_register(in, [&](auto r) { define(r, static_cast<std::int64_t>(in.uleb())); });
      case 0x12:  // def_cfa_sf
        return with_register(in, [&](auto r) { define(r, in.sleb() * common_.data_alignment); });
      case 0x0d:  // def_cfa_register
        return define(in.uleb(), row_.cfa_offset);
      case 0x0e:  // def_cfa_offset
        row_.cfa_offset = static_cast<std::int64_t>(in.uleb());
        return;
      case 0x13:  // def_cfa_offset_sf
        row_.cfa_offset = in.sleb() * common_.data_alignment;
        return;
      case 0x0f: {  // def_cfa_expression
        const auto offset = rbp_expression(block(in), true);
        row_.cfa = offset ? CfaKind::from_frame_pointer : CfaKind::unknown;
        row_.cfa_offset = offset.value_or(0);
        return;
      }
      case 0x10:  // expression
        return with_register(in, [&](auto r) {
          const auto offset = rbp_expression(block(in), false);
          if (r != kRbp || !offset) return lost(r);
          row_.rbp = RbpKind::saved_at_rbp;
          row_.rbp_offset = *offset;
        });
      case 0x14:  // val_offset
      case 0x15:
        return with_register(in, [&](auto r) { in.uleb(), lost(r); });
      case 0x16:  // val_expression
        return with_register(in, [&](auto r) { block(in), lost(r); });
      case 0x2e:  // GNU_args_size
        in.uleb();
        return;
      default:
        in.ok = false;
    }
  }

  template <class F>
  static void with_register(Cursor& in, F f) {
    f(in.uleb());
  }
  static Cursor block(Cursor& in) {
    const auto bytes = in.uleb();
    const std::uint8_t* begin = in.at;
    in.skip(bytes);
    return {begin, in.ok ? in.at : begin, in.ok};
  }
  void advance(std::uint64_t delta) { location_ += delta * common_.code_alignment; }
  void define(std::uint64_t reg, std::int64_t offset) {
    row_.cfa = reg == kRsp ? CfaKind::stack_pointer : reg == kRbp ? CfaKind::frame_pointer : CfaKind::unknown;
    row_.cfa_offset = offset;
  }
  void saved(std::uint64_t reg, std::int64_t offset) {
    if (reg == kRbp) {
      row_.rbp = RbpKind::saved_below_cfa;
      row_.rbp_offset = offset;
    } else if (reg == kReturnAddress) {
      row_.returns = true;
      if (offset != -8) row_.understood = false;
    }
  }
  void restore(std::uint64_t reg) {
    if (reg == kRbp) {
      row_.rbp = initial_.rbp;
      row_.rbp_offset = initial_.rbp_offset;
    } else if (reg == kReturnAddress) {
      row_.returns = initial_.returns;
    }
  }
  void lost(std::uint64_t reg) {
    if (reg == kRbp || reg == kReturnAddress || reg == kRsp) row_.understood = false;
  }

  const Common& common_;
  Address location_, pc_;
  Row row_, initial_;
  std::array<Row, 8> memory_;
  std::size_t depth_ = 0;
};

// The sorted table of functions that linkers write: the last one that begins at or before pc.
const std::uint8_t* find_entry(const void* header, Address pc) {
  const auto* base = static_cast<const std::uint8_t*>(header);
  constexpr std::uint8_t kUsual[4] = {1, 0x1b, 0x03, 0x3b};  // version, and encodings that all linkers choose
  if (std::memcmp(base, kUsual, sizeof kUsual) != 0) return nullptr;
  struct Pair {
    std::int32_t function, entry;  // from the header's begin
  };
  std::uint32_t count = 0;
  std::memcpy(&count, base + 8, sizeof count);
  const auto* pairs = reinterpret_cast<const Pair*>(base + 12);
  const std::int64_t wanted = static_cast<std::int64_t>(pc - reinterpret_cast<Address>(base));
  std::size_t low = 0, high = count;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (pairs[middle].function <= wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? nullptr : base + pairs[low - 1].entry;
}

UnwindRule packed(const Row& row) {
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max() / 2;
  if (!row.returns) return {CfaKind::outermost};
  if (!row.understood || row.cfa_offset > kMost || row.cfa_offset < -kMost || row.rbp_offset > kMost ||
      row.rbp_offset < -kMost)
    return {};
  return {row.cfa, row.rbp, static_cast<std::int32_t>(row.cfa_offset), static_cast<std::int32_t>(row.rbp_offset)};
}

}  // namespace

UnwindRule read_unwind_rule(const void* eh_frame_header, std::uintptr_t pc) {
  const std::uint8_t* entry = find_entry(eh_frame_header, pc);
  if (!entry) return {};
  Cursor in = entry_at(entry);
  const std::uint8_t* here = in.at;
  const Common common = read_common(here - in.take<std::uint32_t>());
  if (!common.ok || !in.ok) return {};
  const Address begin = in.pointer(common.pointer_encoding);
  const Address size = in.pointer(common.pointer_encoding, false);
  if (common.has_augmentation) in.skip(in.uleb());
  if (!in.ok || pc < begin || pc - begin >= size) return {};
  Program program(common, begin, pc);
  program.run(common.program);
  program.initial_is_done();
  program.run(in);
  return packed(program.row());
}

}  // namespace zerostall::tracer
