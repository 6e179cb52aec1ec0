#include "profiler/tracer/stacks/native_stack.h"

#include <pthread.h>
#include <unwind.h>

#include <atomic>

#include "profiler/tracer/stacks/code_module.h"
#include "profiler/tracer/stacks/unwind_rule.h"

namespace zerostall::tracer {
namespace {

using Address = std::uintptr_t;

// Rules of the functions seen, shared by all threads without a lock: a slot holds the rule and rule ^ pc, so that a
// slot two threads write at once fits neither and is read anew. Each pc has one slot; a later one displaces it.
struct Slot {
  std::atomic<std::uint64_t> rule, check;
};
constexpr std::size_t kSlots = 8192;
std::array<Slot, kSlots> g_rules;

std::uint64_t packed(const UnwindRule& rule) {
  constexpr std::uint64_t k24Bits = 0xff'ffff;
  return static_cast<std::uint64_t>(rule.cfa) | static_cast<std::uint64_t>(rule.rbp) << 4 |
         (static_cast<std::uint64_t>(rule.rbp_offset) & k24Bits) << 8 |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(rule.cfa_offset)) << 32;
}

UnwindRule unpacked(std::uint64_t bits) {
  UnwindRule rule;
  rule.cfa = static_cast<CfaKind>(bits & 15);
  rule.rbp = static_cast<RbpKind>(bits >> 4 & 15);
  rule.rbp_offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)) >> 8;
  rule.cfa_offset = static_cast<std::int32_t>(bits >> 32);
  return rule;
}

UnwindRule find_rule(Address pc) {
  CodeModule module;
  if (!find_module(pc, &module) || !module.eh_frame_header) return {};
  const UnwindRule rule = read_unwind_rule(module.eh_frame_header, pc);
  constexpr std::int32_t kMost = 1 << 23;
  return rule.rbp_offset >= kMost || rule.rbp_offset < -kMost ? UnwindRule{} : rule;
}

UnwindRule rule_of(Address pc) {
  Slot& slot = g_rules[(pc * 0x9e37'79b9'7f4a'7c15u) >> 51];
  static_assert(kSlots == 1u << (64 - 51));
  const std::uint64_t known = slot.rule.load(std::memory_order_relaxed);
  if ((known ^ slot.check.load(std::memory_order_relaxed)) == pc) return unpacked(known);
  const UnwindRule rule = find_rule(pc);
  slot.rule.store(packed(rule), std::memory_order_relaxed);
  slot.check.store(packed(rule) ^ pc, std::memory_order_relaxed);
  return rule;
}

// Where this thread's stack ends, 0 if unknown. Slow (the main thread's is read from /proc), hence kept.
Address find_stack_end() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* begin = nullptr;
  std::size_t bytes = 0;
  const int error = pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  return error == 0 ? reinterpret_cast<Address>(begin) + bytes : 0;
}

Address stack_end() {
  static thread_local Address end = find_stack_end();
  return end;
}

struct Registers {
  Address pc, sp, bp;
};

constexpr Address kWord = sizeof(Address);

// Reads stay between the stack pointer and the stack's end, so that no rule, however wrong, reads unmapped memory.
struct Stack {
  Address low, high;
  bool holds(Address at) const { return at >= low && at < high && high - at >= kWord && at % kWord == 0; }
  __attribute__((no_sanitize("address"))) static Address word(Address at) {
    return *reinterpret_cast<const Address*>(at);
  }
};

Address offset(Address base, std::int32_t by) { return base + static_cast<Address>(std::int64_t{by}); }

// Steps to the caller. False: not possible from here.
bool step(const UnwindRule& rule, const Stack& stack, Registers& at) {
  Address cfa = offset(rule.cfa == CfaKind::stack_pointer ? at.sp : at.bp, rule.cfa_offset);
  if (rule.cfa == CfaKind::from_frame_pointer) {
    if (!stack.holds(cfa)) return false;
    cfa = Stack::word(cfa);
  }
  if (cfa <= at.sp || !stack.holds(cfa - kWord)) return false;
  if (rule.rbp != RbpKind::same) {
    const Address saved = offset(rule.rbp == RbpKind::saved_below_cfa ? cfa : at.bp, rule.rbp_offset);
    if (!stack.holds(saved)) return false;
    at.bp = Stack::word(saved);
  }
  at.pc = Stack::word(cfa - kWord);
  at.sp = cfa;
  return true;
}

struct Collected {
  NativeStack* stack;
  Address first;  // the frame to begin with; frames before it are the tracer's own
  bool begun, full;
};

_Unwind_Reason_Code collect(_Unwind_Context* context, void* data) {
  auto& to = *static_cast<Collected*>(data);
  const Address pc = _Unwind_GetIP(context);
  to.begun = to.begun || pc == to.first;
  if (!to.begun || pc == 0) return _URC_NO_REASON;
  to.full = to.stack->count == NativeStack::kMostFrames;
  if (to.full) return _URC_END_OF_STACK;
  to.stack->frames[to.stack->count++] = pc;
  return _URC_NO_REASON;
}

void collect_from(NativeStack& stack, Address first) {
  stack.count = 0;
  stack.slow = true;
  Collected collected{&stack, first, false, false};
  _Unwind_Backtrace(collect, &collected);
  // The unwinder does not say whether it came to the outermost function or was lost.
  stack.cut = collected.full || stack.count == 0;
  if (!stack.cut) stack.cut = rule_of(stack.frames[stack.count - 1] - 1).cfa != CfaKind::outermost;
}

}  // namespace

#if defined(__x86_64__)

__attribute__((noinline)) void walk_native_stack(NativeStack& stack) {
  Registers at;
  asm volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2" : "=&r"(at.pc), "=&r"(at.sp), "=&r"(at.bp));
  const Stack bounds{at.sp, stack_end()};
  stack.count = 0;
  stack.cut = stack.slow = false;
  bool exact = true;  // a return address may lie behind its function's last instruction
  for (;;) {
    const UnwindRule rule = rule_of(exact ? at.pc : at.pc - 1);
    exact = false;
    if (rule.cfa == CfaKind::outermost) return;
    if (rule.cfa == CfaKind::unknown || !step(rule, bounds, at)) break;
    if (at.pc == 0) return;
    if (stack.count == NativeStack::kMostFrames) {
      stack.cut = true;
      return;
    }
    stack.frames[stack.count++] = at.pc;
  }
  collect_from(stack, reinterpret_cast<Address>(__builtin_return_address(0)));
}

#else

__attribute__((noinline)) void walk_native_stack(NativeStack& stack) {
  collect_from(stack, reinterpret_cast<Address>(__builtin_return_address(0)));
}

#endif

__attribute__((noinline)) void walk_native_stack_slowly(NativeStack& stack) {
  collect_from(stack, reinterpret_cast<Address>(__builtin_return_address(0)));
}

void forget_unwind_rules() {
  for (Slot& slot : g_rules) slot.check.store(0, std::memory_order_relaxed);
}

}  // namespace zerostall::tracer
