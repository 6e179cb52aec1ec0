// What zerostall says of itself; of its commands: page.h.
#pragma once

namespace zerostall::cli {

// What `zerostall` alone prints: ten lines, the three commands to start with.
inline constexpr const char* kShortHelp =
    R"(zerostall counts how often each training step waits for the GPU. No GPU is needed: it can simulate one.

  zerostall record -- python train.py    run your program and record it (--device sim: on the simulated GPU)
  zerostall stat                         show the waits of each step of that run
  zerostall verify flux2                 our reference job: prove that two fixes remove the waits they claim

Mark your steps with torch.cuda.nvtx.mark(f"step {i}"), so that waits are counted per step.
`zerostall doctor` says what works on this machine, `zerostall --help` shows all commands,
`zerostall COMMAND --help` all options of one.
)";

inline constexpr const char* kAbout =
    "zerostall counts how often a training step waits for the GPU, and proves that a fix removes the wait.";

}  // namespace zerostall::cli
