// This program's own stack, named: by its debug information, by its symbols alone, and not at all by another build.
#include "profiler/trace/symbolize.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profiler/tracer/stacks/code_module.h"
#include "profiler/tracer/stacks/native_stack.h"

namespace symbolize_test {

int g_line = 0;
volatile int g_sink = 0;

__attribute__((noinline)) void innermost(zerostall::tracer::NativeStack& stack) {
  g_line = __LINE__ + 1;
  zerostall::tracer::walk_native_stack(stack);
  g_sink = g_sink + 1;  // no tail call
}

inline __attribute__((always_inline)) void put_in(zerostall::tracer::NativeStack& stack) {
  innermost(stack);
  g_sink = g_sink + 1;
}

template <class T>
__attribute__((noinline)) void outer(zerostall::tracer::NativeStack& stack) {
  put_in(stack);
  g_sink = g_sink + 1;
}

}  // namespace symbolize_test

namespace zerostall {
namespace {

namespace fs = std::filesystem;

struct Frame {
  Module module;
  std::uint64_t offset = 0;
};

std::vector<Frame> own_stack() {
  tracer::NativeStack stack;
  symbolize_test::outer<int>(stack);
  std::vector<Frame> frames;
  for (std::uint32_t i = 0; i < stack.count; ++i) {
    tracer::CodeModule module;
    EXPECT_TRUE(tracer::find_module(stack.frames[i] - 1, &module));
    frames.push_back({{tracer::module_path(module), tracer::build_id(module)}, stack.frames[i] - module.bias});
  }
  return frames;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    char name[] = "/tmp/symbolize_XXXXXX";
    path_ = mkdtemp(name);
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(Symbolize, NamesFunctionsFilesAndLines) {
  Symbolizer symbolizer({});
  const auto stack = own_stack();
  ASSERT_GE(stack.size(), 3u);
  const auto first = symbolizer.symbols(stack[0].module, stack[0].offset);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].function, "symbolize_test::innermost(zerostall::tracer::NativeStack&)");
  EXPECT_TRUE(first[0].file.ends_with("symbolize_test.cpp")) << first[0].file;
  EXPECT_EQ(first[0].line, static_cast<std::uint32_t>(symbolize_test::g_line));
}

TEST(Symbolize, TellsInlinedFunctions) {
  Symbolizer symbolizer({});
  const auto stack = own_stack();
  const auto second = symbolizer.symbols(stack[1].module, stack[1].offset);
  ASSERT_EQ(second.size(), 2u);
  EXPECT_NE(second[0].function.find("put_in"), std::string::npos) << second[0].function;
  EXPECT_NE(second[1].function.find("outer<int>"), std::string::npos) << second[1].function;
  EXPECT_EQ(second[0].line, static_cast<std::uint32_t>(symbolize_test::g_line + 5));
  EXPECT_EQ(second[1].line, static_cast<std::uint32_t>(symbolize_test::g_line + 11));
}

TEST(Symbolize, UsesSymbolsWhereThereIsNoDebugInformation) {
  Symbolizer symbolizer({});
  const auto stack = own_stack();
  const auto last = symbolizer.symbols(stack.back().module, stack.back().offset);
  EXPECT_EQ(last.back().function, "_start");
  bool main_is_there = false;
  for (const Frame& frame : stack)
    for (const Symbol& symbol : symbolizer.symbols(frame.module, frame.offset))
      main_is_there = main_is_there || symbol.function == "main";
  EXPECT_TRUE(main_is_there);
}

TEST(Symbolize, AnotherBuildGivesNoNames) {
  const auto stack = own_stack();
  Module other = stack[0].module;
  other.build_id.back() = other.build_id.back() == '0' ? '1' : '0';
  Symbolizer symbolizer({});
  EXPECT_EQ(symbolizer.state(other), SymbolState::other_build);
  EXPECT_EQ(symbolizer.symbols(other, stack[0].offset)[0].function, "");
  EXPECT_EQ(symbolizer.state({"/nowhere/lib.so", "00"}), SymbolState::no_file);
  EXPECT_EQ(symbolizer.state({"", ""}), SymbolState::no_file);
}

TEST(SymbolFiles, TheSameIdInMemoryAndInTheFile) {
  for (const Frame& frame : own_stack()) {
    EXPECT_FALSE(frame.module.build_id.empty());
    EXPECT_EQ(build_id_of(frame.module.path), frame.module.build_id) << frame.module.path;
  }
}

TEST(SymbolFiles, FilesThatAreNoElfFilesHaveNone) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "a.so") << "\x7f"
                                           "ELF but no more";
  std::ofstream(folder.path() / "empty.so");
  EXPECT_EQ(build_id_of(folder.path() / "a.so"), "");
  EXPECT_EQ(build_id_of(folder.path() / "empty.so"), "");
  EXPECT_EQ(build_id_of(folder.path() / "absent.so"), "");
  EXPECT_EQ(build_id_of(folder.path()), "");
}

TEST(SymbolFiles, FindsStoredPathsUnderTheirRoots) {
  const TemporaryFolder folder;
  const fs::path self = fs::canonical("/proc/self/exe");
  const std::string id = build_id_of(self);
  const auto put = [&](const fs::path& place) {
    fs::create_directories((folder.path() / place).parent_path());
    fs::create_symlink(self, folder.path() / place);
    return folder.path() / place;
  };
  SymbolRoots roots;
  roots.project = {folder.path() / "repository"};
  roots.pythons = {folder.path() / "venv"};
  const auto in_package = put("venv/lib/python3.11/site-packages/pack/lib.so");
  const auto in_project = put("repository/build/own.so");
  const auto beside = put("other/build/more.so");
  const auto of_python = put("venv/lib/libpython3.so");
  EXPECT_EQ(find_module_file({"site-packages/pack/lib.so", id}, roots).path, in_package);
  EXPECT_EQ(find_module_file({"build/own.so", id}, roots).path, in_project);
  EXPECT_EQ(find_module_file({"other/build/more.so", id}, roots).path, beside);
  EXPECT_EQ(find_module_file({"lib/libpython3.so", id}, roots).path, of_python);
  EXPECT_TRUE(find_module_file({"lib/libpython3.so", id}, roots).same_build);
  EXPECT_FALSE(find_module_file({"lib/libpython3.so", "00"}, roots).same_build);
  EXPECT_TRUE(find_module_file({"lib/absent.so", id}, roots).path.empty());
  // A file of which only the name is known is found where the user says.
  const auto elsewhere = put("symbols/deep/inside/bare.so");
  EXPECT_TRUE(find_module_file({"bare.so", id}, roots).path.empty());
  roots.given = {folder.path() / "symbols"};
  EXPECT_EQ(find_module_file({"bare.so", id}, roots).path, elsewhere);
}

TEST(SymbolFiles, VirtualEnvironmentsInsideTheRepositoryAreFound) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / ".git");
  fs::create_directories(folder.path() / "build/venv/lib/python3.11/site-packages");
  fs::create_directories(folder.path() / "sub");
  std::ofstream(folder.path() / "build/venv/pyvenv.cfg") << "home = /usr/bin\n";
  const fs::path before = fs::current_path();
  fs::current_path(folder.path() / "sub");
  const SymbolRoots roots = find_symbol_roots({});
  fs::current_path(before);
  EXPECT_NE(std::find(roots.pythons.begin(), roots.pythons.end(), folder.path() / "build/venv"), roots.pythons.end());
  EXPECT_NE(std::find(roots.pythons.begin(), roots.pythons.end(), fs::path("/usr")), roots.pythons.end());
  EXPECT_EQ(roots.project, (std::vector<fs::path>{folder.path() / "sub", folder.path()}));
}

TEST(Demangled, LeavesOtherNamesAlone) {
  EXPECT_EQ(demangled("_ZN2at4itemEv"), "at::item()");
  EXPECT_EQ(demangled("main"), "main");
  EXPECT_EQ(demangled("_Znot a name"), "_Znot a name");
  EXPECT_EQ(demangled(""), "");
}

}  // namespace
}  // namespace zerostall
