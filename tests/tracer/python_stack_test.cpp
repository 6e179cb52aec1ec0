// A Python that is not what it seems: this program exports the names the tracer looks for. What real ones give is
// checked by the scripts in python/.
#include "profiler/tracer/stacks/python_stack.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstring>
#include <vector>

#include "profiler/tracer/stacks/memory_reader.h"
#include "profiler/tracer/stacks/python_layout.h"

#define EXPORTED __attribute__((visibility("default"), used))

namespace {
void* g_thread = nullptr;
int g_finalizing = 0;
}  // namespace

extern "C" {
EXPORTED unsigned long Py_Version = 0;
EXPORTED std::uint64_t _PyRuntime[128] = {};
EXPORTED char PyCode_Type = 0, PyUnicode_Type = 0, PyBytes_Type = 0;
EXPORTED void* PyGILState_GetThisThreadState() { return g_thread; }
EXPORTED int Py_IsFinalizing() { return g_finalizing; }
EXPORTED void* PyInterpreterState_Head() { return nullptr; }
EXPORTED void* PyInterpreterState_Main() { return nullptr; }
}

namespace zerostall::tracer {
namespace {

// What the tracer knows of Python it knows for good: each case in a process of its own. Exits with the state found.
[[noreturn]] void exit_with_state(unsigned long version, void* thread) {
  Py_Version = version;
  g_thread = thread;
  PythonStack stack;
  for (int i = 0; i < 40; ++i) walk_python_stack(stack, true);
  std::exit(static_cast<int>(stack.state));
}

void expect_state(PythonState state, unsigned long version, void* thread) {
  EXPECT_EXIT(exit_with_state(version, thread), testing::ExitedWithCode(static_cast<int>(state)), "");
}

constexpr unsigned long kVersions[] = {0x030a0df0, 0x030b07f0, 0x030c01f0, 0x030d00f0, 0x030e00f0};

TEST(PythonStack, AnUnknownVersionIsUnknown) {
  std::vector<std::uint64_t> thread(100, 0);
  for (const unsigned long version : {0x02071200ul, 0x030900f0ul, 0x030f00f0ul, 0x040000f0ul, 0ul})
    expect_state(PythonState::unknown, version, thread.data());
}

TEST(PythonStack, AThreadWithoutPythonHasNone) { expect_state(PythonState::none, 0x030b07f0, nullptr); }

TEST(PythonStack, MemoryThatIsNoThreadStateIsUnknown) {
  for (const std::uint64_t word : {std::uint64_t{0x10}, std::uint64_t{0x1234'5678'9abc'def1}, ~std::uint64_t{0}}) {
    std::vector<std::uint64_t> thread(100, word);
    for (const unsigned long version : kVersions) expect_state(PythonState::unknown, version, thread.data());
  }
  for (const std::uintptr_t address : {8ul, 4096ul, ~7ul})
    for (const unsigned long version : kVersions)
      expect_state(PythonState::unknown, version, reinterpret_cast<void*>(address));
}

TEST(PythonStack, FramesThatLeadInCirclesAreUnknown) {
  std::vector<std::uint64_t> memory(1000);
  for (std::uint64_t& word : memory) word = reinterpret_cast<std::uint64_t>(memory.data());
  for (const unsigned long version : kVersions) expect_state(PythonState::unknown, version, memory.data());
}

TEST(PythonStack, AShutdownIsUnknown) {
  g_finalizing = 1;
  std::vector<std::uint64_t> thread(100, 0);
  expect_state(PythonState::unknown, 0x030b07f0, thread.data());
  g_finalizing = 0;
}

TEST(PythonLayout, PublishedOffsetsMustBeThoseOfTheVersion) {
  PythonLayout layout;
  std::vector<std::uint64_t> runtime(128, 8);
  std::memcpy(runtime.data(), "xdebugpy", 8);
  runtime[1] = 0x030d01f0;
  runtime[2] = 0;
  EXPECT_TRUE(python_layout(0x030d01f0, runtime.data(), &layout));
  EXPECT_FALSE(python_layout(0x030d02f0, runtime.data(), &layout));  // another version's
  EXPECT_FALSE(python_layout(0x030d01f0, nullptr, &layout));
  runtime[2] = 1;  // free-threaded
  EXPECT_FALSE(python_layout(0x030d01f0, runtime.data(), &layout));
  runtime[2] = 0;
  runtime[23] = 1 << 20;  // no offset in a thread's state
  EXPECT_FALSE(python_layout(0x030d01f0, runtime.data(), &layout));
  runtime[23] = 72;
  runtime[0] = 0;
  EXPECT_FALSE(python_layout(0x030d01f0, runtime.data(), &layout));
}

TEST(PythonLines, Pairs) {  // two bytes of code each: lines 5, none, 7, 6
  const std::uint8_t table[] = {2, 0, 2, 0x80, 2, 2, 2, 0xff};
  const int expected[] = {5, 5, 0, 0, 7, 7, 6, 6, 0};
  for (std::size_t i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(line_of(LineTable::pairs, table, 5, i), expected[i]) << i;
}

TEST(PythonLines, Locations) {
  const std::uint8_t table[] = {
      0x80 | 0 << 3 | 0,  0x11,              // short form, 1 unit: line 10
      0x80 | 11 << 3 | 1, 1,    2,           // one line on, 2 units: line 11
      0x80 | 15 << 3 | 0,                    // no line, 1 unit
      0x80 | 13 << 3 | 0, 0x42, 0x02,        // change of +65 (0b1'0000010 -> 130 = 65 up), 1 unit: line 76
      0x80 | 14 << 3 | 0, 0x07, 0,    1, 1,  // change of -3, 1 unit: line 73
  };
  const int expected[] = {10, 11, 11, 0, 76, 73, 0};
  for (std::size_t unit = 0; unit < std::size(expected); ++unit)
    EXPECT_EQ(line_of(LineTable::locations, table, 10, unit * 2), expected[unit]) << unit;
}

TEST(PythonLines, ADamagedTableGivesNoLineOrAny) {
  std::uint32_t random = 1;
  for (int turn = 0; turn < 20'000; ++turn) {
    std::uint8_t table[24];
    for (std::uint8_t& byte : table)
      byte = static_cast<std::uint8_t>((random = random * 1'664'525 + 1'013'904'223) >> 24);
    for (const LineTable kind : {LineTable::pairs, LineTable::locations})
      EXPECT_GE(line_of(kind, std::span(table).first(random % 25), 1, random >> 8 & 63), 0);
  }
}

TEST(ReadChecked, NeverFaults) {
  const std::uint64_t value = 42;
  std::uint64_t copy = 0;
  EXPECT_TRUE(read_checked(reinterpret_cast<std::uintptr_t>(&value), &copy, sizeof copy));
  EXPECT_EQ(copy, 42u);
  errno = 7;
  for (const std::uintptr_t address : {0ul, 8ul, ~7ul, 1ul << 62})
    EXPECT_FALSE(read_checked(address, &copy, sizeof copy)) << address;
  EXPECT_EQ(errno, 7);
}

// As containers do that may not trace processes: process_vm_readv is refused.
void refuse_process_vm_readv() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(program), program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    std::exit(77);
}

TEST(ReadChecked, FindsAnotherWayInAContainer) {
  const auto body = [] {
    refuse_process_vm_readv();
    const std::uint64_t value = 42;
    std::uint64_t copy = 0;
    const bool good = read_checked(reinterpret_cast<std::uintptr_t>(&value), &copy, sizeof copy) && copy == 42;
    std::exit(good && !read_checked(8, &copy, sizeof copy) ? 0 : 1);
  };
  EXPECT_EXIT(
      body(), [](int status) { return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77); },
      "");
}

TEST(PageReader, ReadsAcrossPagesAndStopsAtTheLast) {
  constexpr std::size_t kPage = 4096;
  auto* memory =
      static_cast<unsigned char*>(mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (std::size_t i = 0; i < 3 * kPage; ++i) memory[i] = static_cast<unsigned char>(i * 7 + i / 256);
  munmap(memory + 2 * kPage, kPage);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  PageReader reader;
  for (const std::size_t at : {0ul, 5ul, kPage - 3, 2 * kPage - 64, kPage - 64, 100ul}) {
    unsigned char copy[64];
    ASSERT_TRUE(reader.read(begin + at, copy, sizeof copy)) << at;
    EXPECT_EQ(std::memcmp(copy, memory + at, sizeof copy), 0) << at;
  }
  unsigned char copy[64];
  EXPECT_FALSE(reader.read(begin + 2 * kPage - 8, copy, sizeof copy));
  EXPECT_FALSE(reader.read(begin + 2 * kPage, copy, sizeof copy));
  EXPECT_TRUE(reader.read(begin + 2 * kPage - 64, copy, sizeof copy));
  munmap(memory, 2 * kPage);
}

}  // namespace
}  // namespace zerostall::tracer
