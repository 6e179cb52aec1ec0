// Walks of this program's own stack, checked against the compiler's unwinder, which reads the same descriptions with
// other code.
#include "profiler/tracer/stacks/native_stack.h"

#include <alloca.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "profiler/tracer/stacks/code_module.h"

namespace zerostall::tracer {
namespace {

std::vector<std::uintptr_t> addresses(const NativeStack& stack) {
  return {stack.frames.begin(), stack.frames.begin() + stack.count};
}

// Both walks from here, without the frame of this function itself: it makes the two calls at different places.
struct Both {
  std::vector<std::uintptr_t> fast, slow;
  bool fast_cut = false, slow_cut = false, fell_back = false;
};

__attribute__((noinline)) void walk_both(Both& both) {
  NativeStack stack;
  walk_native_stack(stack);
  both.fast = addresses(stack);
  both.fast_cut = stack.cut;
  both.fell_back = stack.slow;
  walk_native_stack_slowly(stack);
  both.slow = addresses(stack);
  both.slow_cut = stack.cut;
  ASSERT_FALSE(both.fast.empty());
  ASSERT_FALSE(both.slow.empty());
  both.fast.erase(both.fast.begin());
  both.slow.erase(both.slow.begin());
}

void expect_same(const Both& both) {
  EXPECT_EQ(both.fast, both.slow);
  EXPECT_EQ(both.fast_cut, both.slow_cut);
  EXPECT_FALSE(both.fell_back);
  EXPECT_GE(both.fast.size(), 2u);
}

thread_local volatile int g_sink = 0;

__attribute__((noinline)) void recurse(int depth, Both& both) {
  if (depth == 0) return walk_both(both);
  recurse(depth - 1, both);
  g_sink = g_sink + depth;
}

TEST(NativeStack, ComesToTheOutermostFunction) {
  Both both;
  recurse(5, both);
  expect_same(both);
  EXPECT_FALSE(both.fast_cut);
}

TEST(NativeStack, IsTheSameTheSecondTime) {  // rules read now, and rules remembered
  forget_unwind_rules();
  std::vector<std::vector<std::uintptr_t>> seen;
  for (int i = 0; i < 3; ++i) {
    Both both;
    recurse(3, both);
    expect_same(both);
    seen.push_back(both.fast);
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
}

__attribute__((noinline)) void with_alloca(std::size_t bytes, Both& both) {
  auto* memory = static_cast<volatile char*>(alloca(bytes));
  memory[bytes - 1] = 1;
  recurse(2, both);
  memory[0] = 2;
}

__attribute__((noinline)) void aligned(int depth, Both& both) {
  alignas(128) volatile char block[256];
  block[static_cast<std::size_t>(depth)] = 1;
  if (depth == 0)
    with_alloca(100, both);
  else
    aligned(depth - 1, both);
  g_sink = g_sink + block[0];
}

__attribute__((noinline)) void aligned_with_alloca(std::size_t bytes, Both& both) {
  alignas(64) volatile char block[64];
  auto* memory = static_cast<volatile char*>(alloca(bytes));
  block[0] = 1;
  memory[bytes - 1] = 1;
  aligned(3, both);
  g_sink = g_sink + block[0] + memory[bytes - 1];
}

TEST(NativeStack, PassesFunctionsWithoutAFixedFrame) {
  for (const std::size_t bytes : {1u, 100u, 5000u}) {
    Both both;
    with_alloca(bytes, both);
    expect_same(both);
    aligned(4, both);
    expect_same(both);
    aligned_with_alloca(bytes, both);
    expect_same(both);
  }
}

__attribute__((noinline, optimize("no-omit-frame-pointer"))) void with_frame_pointer(int depth, Both& both) {
  if (depth == 0)
    recurse(1, both);
  else
    with_frame_pointer(depth - 1, both);
  g_sink = g_sink + 1;
}

TEST(NativeStack, PassesFunctionsWithFramePointers) {
  Both both;
  with_frame_pointer(4, both);
  expect_same(both);
}

Both* g_both = nullptr;

TEST(NativeStack, PassesTheCLibrary) {
  Both both;
  g_both = &both;
  int numbers[] = {3, 1, 2};
  std::qsort(numbers, 3, sizeof(int), [](const void* a, const void* b) {
    recurse(1, *g_both);
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  });
  expect_same(both);
}

TEST(NativeStack, PassesExceptionsAndDestructors) {
  Both both;
  struct AtEnd {
    Both& both;
    ~AtEnd() { recurse(1, both); }
  };
  try {
    AtEnd at_end{both};
    throw std::runtime_error("x");
  } catch (const std::runtime_error&) {
  }
  expect_same(both);
}

TEST(NativeStack, WorksInEveryThread) {
  std::vector<Both> both(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < both.size(); ++i)
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 200; ++turn) recurse(static_cast<int>(i), both[i]);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Both& one : both) {
    expect_same(one);
    EXPECT_FALSE(one.fast_cut);
  }
}

TEST(NativeStack, SaysWhenItIsCut) {
  Both both;
  recurse(500, both);
  EXPECT_TRUE(both.fast_cut);
  EXPECT_EQ(both.fast.size() + 1, NativeStack::kMostFrames);
  EXPECT_EQ(both.fast, both.slow);
}

TEST(NativeStack, GeneratedCodeCutsIt) {
  const unsigned char code[] = {0x48, 0x83, 0xec, 0x08,  // sub rsp, 8
                                0xff, 0xd6,              // call rsi
                                0x48, 0x83, 0xc4, 0x08,  // add rsp, 8
                                0xc3};                   // ret
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  std::memcpy(page, code, sizeof code);
  Both both;
  reinterpret_cast<void (*)(Both*, void (*)(Both*))>(page)(&both, [](Both* b) { recurse(1, *b); });
  EXPECT_TRUE(both.fast_cut);
  EXPECT_TRUE(both.fell_back);
  EXPECT_EQ(both.fast, both.slow);
  CodeModule module;
  EXPECT_FALSE(find_module(reinterpret_cast<std::uintptr_t>(page), &module));
  munmap(page, 4096);
}

TEST(CodeModule, TellsTheProgramAndLibraries) {
  CodeModule program, library;
  ASSERT_TRUE(find_module(reinterpret_cast<std::uintptr_t>(&recurse), &program));
  ASSERT_TRUE(find_module(reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")), &library));
  EXPECT_TRUE(module_path(program).ends_with("/test_native_stack")) << module_path(program);
  EXPECT_NE(module_path(library).find("libc"), std::string::npos);
  EXPECT_EQ(module_path(library).front(), '/');
  EXPECT_EQ(build_id(library).size(), 40u);
  EXPECT_NE(program.begin, library.begin);
}

}  // namespace
}  // namespace zerostall::tracer
