#include <array>

#include "reports/explain_parts.h"

namespace zerostall::explain {
namespace {

constexpr Explanation kScalarRead{
    .name = "scalar-read",
    .what =
        R"(.item(), float(tensor) and print(tensor) copy a number from the GPU and wait until it is
there: for all work that was queued before it. At the end of a step that is the whole step.
The GPU then has nothing to do until the host has queued the beginning of the next one.)",
    .looks =
        R"(Each step: a copy of 2 to 8 bytes from device to host and a stream sync, after the last
kernels of backward or optimizer. The wait is long, and the GPU runs dry at its end.)",
    .pytorch =
        R"(Keep sums on the GPU and read them every N steps. Where every step's value is needed, copy it
to pinned memory with non_blocking=True, record an event, and read it one step later. Never
read pinned memory without asking its event: the value may still be the old one.)",
    .libtorch = R"(The same: loss.detach() is added to a tensor on the GPU; item<float>() is called every N steps
only. fixes/async_loss.h is a finished delayed read.)",
    .before = R"(for step, batch in enumerate(loader):
    loss = train_step(batch)
    log(step, loss.item()))",
    .after = R"(total = torch.zeros((), device="cuda")
for step, batch in enumerate(loader):
    total += train_step(batch).detach()
    if step % 50 == 49:
        log(step, total.item() / 50)
        total.zero_())",
    .cpp_before = R"(log(step, loss.item<float>());)",
    .cpp_after = R"(total += loss.detach();
if (step % 50 == 49) {
  log(step, total.item<float>() / 50);
  total.zero_();
})",
    .no_problem =
        R"(Once every few dozen steps; at the end of an epoch; or where the value decides what is
computed next and nothing else is left to queue meanwhile.)"};

constexpr Explanation kFiniteCheck{
    .name = "finite-check",
    .what =
        R"(A check for NaN or infinity whose answer goes into a Python `if` needs one byte from the GPU,
and waits for it. Done per parameter it waits hundreds of times a step; anomaly detection and
clip_grad_norm_(error_if_nonfinite=True) do it as well.)",
    .looks = R"(Copies of 1 byte from device to host, each with a stream sync, often many in a row, between
backward and optimizer; with anomaly detection on the autograd thread.)",
    .pytorch =
        R"(Leave the answer on the GPU: add it up in a tensor there and read that every N steps. To skip
a bad step without asking, give the optimizer gradients of zero by torch.where. One check of
the total norm does for all gradients: it is not finite when any of them is not.)",
    .libtorch = R"(at::isfinite(norm) stays a tensor; combine with at::where, read it every N steps.)",
    .before = R"(for p in model.parameters():
    if not torch.isfinite(p.grad).all():
        raise RuntimeError("gradient is not finite")
optimizer.step())",
    .after = R"(# bad_steps = torch.zeros((), dtype=torch.long, device="cuda"), made once
norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
bad_steps += ~torch.isfinite(norm)          # a tensor on the GPU
optimizer.step()
if step % 50 == 0 and bad_steps.item() > 0:
    raise RuntimeError("a gradient was not finite in the last 50 steps"))",
    .cpp_before = R"(if (!at::isfinite(grad).all().item<bool>()) throw std::runtime_error("not finite");)",
    .cpp_after = R"(bad_steps.add_(at::isfinite(grad).all().logical_not());
if (step % 50 == 0 && bad_steps.item<int64_t>() > 0) throw std::runtime_error("not finite");)",
    .no_problem =
        R"(While you hunt a NaN: then the exact place is worth every wait. Switch anomaly detection off
afterwards.)"};

constexpr Explanation kAmpScaler{
    .name = "amp-scaler",
    .what = R"(GradScaler.step() asks the GPU whether any gradient overflowed before it lets the optimizer
run: the host waits for the whole backward pass, once per step.)",
    .looks =
        R"(A copy of 4 bytes from device to host and a stream sync between the last kernel of backward
and the first of the optimizer, below torch/amp/grad_scaler.py.)",
    .pytorch =
        R"(An optimizer with fused=True takes the flag on the GPU and skips the update there; the scaler
then does not ask. Or train in bfloat16, whose range needs no scaler at all.)",
    .libtorch = R"(C++ has no GradScaler: at::_amp_foreach_non_finite_check_and_unscale_ sets a flag on the GPU,
which at::_fused_adamw_ takes as found_inf. In bfloat16 neither is needed.)",
    .before = R"(optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update())",
    .after = R"(optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update())",
    .cpp_before = R"(at::_amp_foreach_non_finite_check_and_unscale_(grads, found_inf, inverse_scale);
if (found_inf.item<float>() == 0) optimizer.step();)",
    .cpp_after = R"(at::_amp_foreach_non_finite_check_and_unscale_(grads, found_inf, inverse_scale);
at::_fused_adamw_(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps,
                  lr, beta1, beta2, weight_decay, eps, /*amsgrad=*/false, /*maximize=*/false,
                  /*grad_scale=*/std::nullopt, found_inf);)",
    .no_problem =
        R"(With accumulated gradients it happens once per update, not per micro-step: at long updates it
may be small.)"};

constexpr Explanation kBranch{
    .name = "branch-on-device",
    .what =
        R"(`if tensor:`, `while tensor > x:`, `assert tensor.all()` and `tensor in list` need the value
on the host, so Python waits for the GPU before it knows which way to go.)",
    .looks =
        R"(A copy of 1 to 8 bytes from device to host and a stream sync in the middle of forward, or at
the head of a loop, at the line of the branch.)",
    .pytorch =
        R"(Compute both ways and choose by torch.where; multiply by a mask; let a loop run a fixed number
of rounds; or decide by a value that the host has anyway (a step number, a shape).
torch._assert_async checks on the GPU.)",
    .libtorch = R"(The same: at::where(condition, a, b) in place of `if (condition.item<bool>())`.)",
    .before = R"(if loss > limit:
    loss = limit + 0.1 * (loss - limit))",
    .after = R"(loss = torch.where(loss > limit, limit + 0.1 * (loss - limit), loss))",
    .cpp_before = R"(if ((loss > limit).item<bool>()) loss = limit + 0.1 * (loss - limit);)",
    .cpp_after = R"(loss = at::where(loss > limit, limit + 0.1 * (loss - limit), loss);)",
    .no_problem =
        R"(Where one way saves far more work than the wait costs, such as stopping a sampler early; and
where the tensor is on the CPU, which nothing waits for.)"};

constexpr Explanation kDownload{
    .name = "download",
    .what = R"(.cpu(), .numpy() and .tolist() copy a whole result into pageable memory: the host waits for
the work that computes it and then for the transfer, which is slow from pageable memory.)",
    .looks =
        R"(A copy of kilobytes to megabytes from device to host with a stream sync, usually at the end of
a step or of a request.)",
    .pytorch = R"(Keep what is needed later on the GPU and fetch it in one piece. Or copy into pinned memory
with non_blocking=True, record an event, go on, and take the result when the event is done.)",
    .libtorch =
        R"(host.copy_(result, /*non_blocking=*/true) into a pinned tensor, then a torch::Event or
at::cuda::CUDAEvent.)",
    .before = R"(for batch in loader:
    results.append(model(batch).cpu()))",
    .after = R"(waiting = None
for batch in loader:
    out = model(batch)
    host = torch.empty(out.shape, dtype=out.dtype, pin_memory=True)
    host.copy_(out, non_blocking=True)
    done = torch.cuda.Event()
    done.record()
    if waiting:
        waiting[1].synchronize()      # of the batch before: done long ago
        results.append(waiting[0])
    waiting = (host, done)
waiting[1].synchronize()
results.append(waiting[0]))",
    .cpp_before = R"(auto host = out.to(at::kCPU);)",
    .cpp_after = R"(auto host = at::empty(out.sizes(), out.options().device(at::kCPU).pinned_memory(true));
host.copy_(out, /*non_blocking=*/true);
at::cuda::CUDAEvent done;
done.record();
// ... queue the next batch ...
done.synchronize();)",
    .no_problem =
        R"(At the end of a job, for checkpoints, or where nothing is left for the GPU to do until the
result is used.)"};

constexpr std::array kTexts = {kScalarRead, kFiniteCheck, kAmpScaler, kBranch, kDownload};

}  // namespace

std::span<const Explanation> reads() { return kTexts; }

}  // namespace zerostall::explain
