// cuFFT as PyTorch uses it: plans by number, made with cufftXtMakePlanMany and run with cufftXtExec. A transform is one
// kernel that passes over the data once for every dimension (twice for a dimension too long for shared memory). Making
// a plan allocates nothing, even with automatic allocation on: the work area's content does not matter here.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "profiler/simgpu/core/library.h"
#include "profiler/simgpu/core/product.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

using namespace zerostall::simgpu;

namespace {

// cufftResult
constexpr int kSuccess = 0, kInvalidPlan = 1, kInvalidValue = 4, kExecFailed = 6, kInvalidSize = 8;
constexpr int kVersion = 12000;
constexpr long long kLongDimension = 8192;  // assumption: longer ones need two passes

struct Plan {
  const void* stream = nullptr;
  void* work_area = nullptr;
  int auto_allocation = 1;
  std::size_t work_bytes = 0;
  double pass_bytes = 0;
  int passes = 0;
  bool made = false;
};

struct Plans {
  std::mutex lock;
  std::map<int, Plan> by_number;
  int next = 1;
};
Plans& plans() {
  static Plans* instance = new Plans;  // programs destroy plans in exit handlers
  return *instance;
}

// Runs `change` on the plan under the lock.
template <class Change>
int with_plan(int number, Change change) {
  Plans& p = plans();
  std::lock_guard guard(p.lock);
  const auto it = p.by_number.find(number);
  return it == p.by_number.end() ? kInvalidPlan : change(it->second);
}

struct Shape {
  int rank;
  const long long* n;
  long long batch;
  int input_type, output_type;
};

double elements(const Shape& s, bool half) {
  double n = double(s.batch);
  for (int i = 0; i < s.rank; ++i) n *= double(i == s.rank - 1 && half ? s.n[i] / 2 + 1 : s.n[i]);
  return n;
}

// Of the larger side; a real transform stores half of its complex side.
double bytes_of_data(const Shape& s) {
  const bool real_in = !is_complex(s.input_type), real_out = !is_complex(s.output_type);
  const double in = elements(s, real_out) * scalar_of(s.input_type).bytes;
  const double out = elements(s, real_in) * scalar_of(s.output_type).bytes;
  return std::max(in, out);
}

int make(Plan& plan, const Shape& s, std::size_t* work_bytes) {
  if (s.rank < 1 || s.rank > 3 || !s.n || s.batch < 1) return kInvalidValue;
  if (std::any_of(s.n, s.n + s.rank, [](long long n) { return n < 1; })) return kInvalidSize;
  plan.pass_bytes = 2 * bytes_of_data(s);
  plan.passes = 0;
  for (int i = 0; i < s.rank; ++i) plan.passes += s.n[i] > kLongDimension ? 2 : 1;
  plan.work_bytes = plan.passes > 1 ? static_cast<std::size_t>(bytes_of_data(s)) : 0;
  plan.made = true;
  if (work_bytes) *work_bytes = plan.work_bytes;
  return kSuccess;
}

}  // namespace

EXPORT int cufftGetVersion(int* version) {
  if (!version) return kInvalidValue;
  *version = kVersion;
  return kSuccess;
}
EXPORT int cufftCreate(int* plan) {
  if (!plan) return kInvalidValue;
  Plans& p = plans();
  std::lock_guard guard(p.lock);
  *plan = p.next++;
  p.by_number[*plan] = {};
  return kSuccess;
}
EXPORT int cufftDestroy(int plan) {
  Plans& p = plans();
  std::lock_guard guard(p.lock);
  return p.by_number.erase(plan) ? kSuccess : kInvalidPlan;
}
EXPORT int cufftSetStream(int plan, const void* stream) {
  return with_plan(plan, [&](Plan& p) { return p.stream = stream, kSuccess; });
}
EXPORT int cufftSetAutoAllocation(int plan, int automatic) {
  return with_plan(plan, [&](Plan& p) { return p.auto_allocation = automatic, kSuccess; });
}
EXPORT int cufftSetWorkArea(int plan, void* area) {
  return with_plan(plan, [&](Plan& p) { return p.work_area = area, kSuccess; });
}
EXPORT int cufftGetSize(int plan, std::size_t* bytes) {
  if (!bytes) return kInvalidValue;
  return with_plan(plan, [&](Plan& p) { return *bytes = p.work_bytes, kSuccess; });
}
EXPORT int cufftXtMakePlanMany(int plan, int rank, long long* n, long long*, long long, long long, int input_type,
                               long long*, long long, long long, int output_type, long long batch,
                               std::size_t* work_bytes, int) {
  return with_plan(plan, [&](Plan& p) { return make(p, {rank, n, batch, input_type, output_type}, work_bytes); });
}
EXPORT int cufftXtGetSizeMany(int plan, int rank, long long* n, long long*, long long, long long, int input_type,
                              long long*, long long, long long, int output_type, long long batch,
                              std::size_t* work_bytes, int) {
  return with_plan(plan, [&](Plan&) {
    Plan scratch;
    return make(scratch, {rank, n, batch, input_type, output_type}, work_bytes);
  });
}
EXPORT int cufftXtExec(int plan, void* input, void* output, int) {
  if (!input || !output) return kInvalidValue;
  Plan copy;
  if (const int status = with_plan(plan, [&](Plan& p) { return copy = p, kSuccess; })) return status;
  if (!copy.made) return kInvalidPlan;
  return library_kernel_by_bytes("sim_cufft_transform", copy.pass_bytes * copy.passes, copy.stream) == cudaSuccess
             ? kSuccess
             : kExecFailed;
}
