// Where in the program a call comes from: the innermost Python frame of the calling thread that is the program's own.
// Needs no Python to build or run: CPython's stable C API is looked up at run time (3.9 and newer). May wait for the
// interpreter's lock, so the caller must hold no lock of ours. Costs some microseconds.
#pragma once
#include <string>

namespace zerostall::simgpu {

struct CallSite {
  std::string file;  // as Python names it; empty when the call does not come from Python
  int line = 0;
  std::string function;
  std::string library;  // the innermost frame, when that is a library's: "torch/nn/utils/clip_grad.py:62 in inner"
  std::string native;   // without Python: "thread pt_autograd_0, libtorch_cuda.so"
};

CallSite find_call_site();

// "train.py:31 in main (by torch/optim/adam.py:12 in step)"; the file's last component only.
std::string describe(const CallSite& site);

}  // namespace zerostall::simgpu
