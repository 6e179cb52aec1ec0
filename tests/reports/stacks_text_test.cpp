#include "reports/stacks_text.h"

#include <gtest/gtest.h>

namespace zerostall {
namespace {

WaitStack stack() {
  WaitStack s;
  s.id = 3;
  s.waits = {{"cudaStreamSynchronize", 12, 10, Spread{1, 1, 1, 1}}};
  s.python_frames = PythonFrames::known;
  s.python = {{"Module._call_impl", "site-packages/torch/module.py", 1751, true},
              {"step", "train.py", 31, false},
              {"<module>", "train.py", 55, false}};
  NativeLine tracer, waiting, python, unnamed;
  tracer.module = "/opt/x/libzerostall_tracer.so";
  waiting.module = "site-packages/torch/lib/libtorch_cuda.so";
  waiting.sources = {{"at::native::item()", "aten/Item.cu", 12, true}, {"at::outer()", "", 0, true}};
  python.module = "lib/libpython3.11.so.1.0";
  unnamed.module = "lib.so";
  unnamed.offset = 0x1a2b;
  unnamed.why_not = "symbols of another build";
  s.native = {tracer, waiting, python, unnamed, NativeLine{}};
  return s;
}

TEST(StacksText, OwnCodeFirstThenLibrariesThenNativeFrames) {
  EXPECT_EQ(render_stacks_text({stack()}),
            "\nwhere waits come from (1 place)\n"
            "\n1 per judged step, 12 in all: cudaStreamSynchronize\n"
            "  train.py:31 in step\n"
            "  train.py:55 in <module>\n"
            " by libraries\n"
            "  site-packages/torch/module.py:1751 in Module._call_impl\n"
            " native\n"
            "  at::native::item() Item.cu:12 [libtorch_cuda.so]\n"
            "  at::outer() [libtorch_cuda.so]\n"
            "  lib.so +0x1a2b (symbols of another build)\n");
}

TEST(StacksText, SaysWhatIsUnknown) {
  WaitStack s = stack();
  s.python_frames = PythonFrames::unknown;
  s.python.clear();
  EXPECT_NE(render_stacks_text({s}).find("  Python frames unknown\n"), std::string::npos);
  s.id = 0;
  s.native.clear();
  EXPECT_NE(render_stacks_text({s}).find("  no call stack was recorded\n"), std::string::npos);
  EXPECT_NE(render_stacks_text({}).find("no call stacks in this trace"), std::string::npos);
}

TEST(StacksText, CutsLongListsAndSaysSo) {
  WaitStack s = stack();
  s.python.resize(40, s.python[1]);
  s.native.resize(30, s.native[1]);
  s.python_cut = true;
  const std::string text = render_stacks_text({s});
  EXPECT_NE(text.find("... 27 more frames of one's own\n"), std::string::npos) << text;
  EXPECT_NE(text.find("more native frames\n"), std::string::npos) << text;
  EXPECT_NE(text.find("outer Python frames were not recorded"), std::string::npos) << text;
}

TEST(StacksText, ShortensLongNames) {
  WaitStack s = stack();
  s.native[1].sources[0].function = std::string(136, 'x') + "é" + std::string(500, 'y');
  EXPECT_NE(render_stacks_text({s}).find("  " + std::string(136, 'x') + "é... Item.cu:12"), std::string::npos);
}

TEST(StacksText, TextsOfTheProgramAreMadeSafe) {
  WaitStack s = stack();
  s.python[1].function = "evil\x1b[31m\nname";
  s.native[1].sources[0].function = "also\x1b[0m";
  const std::string text = render_stacks_text({s});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("\\x1b"), std::string::npos);
}

TEST(StacksText, OfManyKindsOfWaitsTheFirstAreShownAndTheOthersCounted) {
  WaitStack s;
  s.id = 1;
  for (int i = 0; i < 40; ++i) s.waits.push_back({"kind " + std::to_string(i), 2, 0, {}});
  const std::string text = render_stacks_text({s});
  EXPECT_NE(text.find("2 in all: kind 4\n70 in all: 35 more kinds\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace zerostall
