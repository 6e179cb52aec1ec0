// Chrome trace JSON as PyTorch's profiler writes it: for chrome://tracing, Perfetto, TensorBoard, HTA.
#pragma once
#include "reports/exporter.h"

namespace zerostall {

// Calls, GPU work and steps carry the names and arguments that PyTorch's profiler gives them, so that what reads its
// files counts the same here; `zerostall stat` does. All else has category "zerostall". Times are microseconds with
// three decimals since baseTimeNanoseconds, which lies an hour before the first process where `several` may follow.
// Correlations are numbers of this file. Rows of GPUs have process numbers from 2^30, so that no process has them.
std::unique_ptr<Exporter> make_chrome_exporter(ChunkedOutput& output, bool several);

}  // namespace zerostall
