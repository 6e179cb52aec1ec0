// explicit-sync: the program asks to wait.
// Usual code: `torch::cuda::synchronize();` around what is to be timed, and left in when the timing was done.
// Fix: two events around it, asked for their distance when training is over (or a step later).
// Near miss: work of two streams is put in order. The current stream waits for the other one; the host waits for none.
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>

#include <chrono>
#include <vector>

#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {
namespace {

c10::Event record_event(at::Device device) {
  c10::Event event(device.type(), c10::EventFlag::BACKEND_DEFAULT);  // this one keeps times
  const c10::impl::VirtualGuardImpl guard(device.type());
  event.record(guard.getStream(guard.getDevice()));
  return event;
}

}  // namespace

void explicit_sync(Run& run) {
  Model model(run.device);
  SideStream side(run.device);
  std::vector<c10::Event> times;  // begin and end of each step
  const bool has_events = run.is(Variant::fixed) && run.device.is_cuda();

  each_step(run, [&](std::int64_t) {
    const auto begin = std::chrono::steady_clock::now();
    if (has_events) times.push_back(record_event(run.device));
    at::Tensor h = model.hidden(model.input);
    if (run.is(Variant::near_miss)) {
      at::Tensor other;
      side.run([&] { other = model.input * 2; });
      side.join();
      h = h + other;
    }
    model.loss(h).backward();
    model.update();
    if (has_events) times.push_back(record_event(run.device));
    if (run.is(Variant::cause)) {
      if (run.device.is_cuda()) torch::cuda::synchronize();
      run.milliseconds.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
  });
  if (!times.empty()) times.back().synchronize();
  for (std::size_t i = 0; i + 1 < times.size(); i += 2) run.milliseconds.push_back(times[i].elapsedTime(times[i + 1]));
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
