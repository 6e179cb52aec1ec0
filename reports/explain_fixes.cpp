#include <array>

#include "reports/explain_text.h"

namespace zerostall {
namespace {

constexpr Explanation kBnPinning{
    .name = "bn-pinning",
    .looks =
        R"(Two copies of 512 bytes from host to device per micro-step, from pageable memory, each with a
stream sync. `zerostall verify flux2 --fix bn-pinning` shows the step without and with the
fix.)",
    .pytorch = R"(Move the buffers of the batch norms back after each eviction of the model they belong to.)",
    .libtorch = R"(fixes/bn_pinning.h: one header, LibTorch alone.)",
    .before = R"(vae.to("cpu")                         # latents are cached
for batch in loader:
    z = (batch.latents - vae.bn.running_mean.to("cuda")) / deviation)",
    .after = R"(vae.to("cpu")
for norm in vae.modules():
    if isinstance(norm, torch.nn.BatchNorm2d):
        for buffer in norm.buffers(recurse=False):
            buffer.data = buffer.data.to("cuda")
for batch in loader:
    z = (batch.latents - vae.bn.running_mean) / deviation)",
    .cpp_before = R"(vae->to(at::kCPU);)",
    .cpp_after = R"(vae->to(at::kCPU);
zerostall::fixes::pin_batch_norm(
    {bn->running_mean, bn->running_var, bn->num_batches_tracked}, device);)",
    .no_problem =
        R"(Where the model is used in the step itself, and so lies on the GPU anyway: then it moves
nothing.)"};

constexpr Explanation kAsyncLoss{
    .name = "async-loss",
    .looks = R"(A copy of 4 bytes from device to host with a stream sync, once per update, behind the
optimizer. `zerostall verify flux2 --fix async-loss` shows the step without and with the fix.)",
    .pytorch = R"(A pinned slot and an event per update, two taking turns; ask the event before anybody waits
for it.)",
    .libtorch = R"(fixes/async_loss.h: AsyncTensorExchange, LibTorch alone.)",
    .before = R"(for step, batch in enumerate(loader):
    loss = train_step(batch)
    log(step, loss.item()))",
    .after = R"(slots = [torch.empty((), pin_memory=True) for _ in range(2)]
events = [torch.cuda.Event() for _ in range(2)]
for step, batch in enumerate(loader):
    loss = train_step(batch)
    slots[step % 2].copy_(loss.detach(), non_blocking=True)
    events[step % 2].record()
    if step > 0:
        last = (step - 1) % 2
        if not events[last].query():
            events[last].synchronize()
        log(step - 1, slots[last].item())     # a tensor on the CPU: no wait)",
    .cpp_before = R"(log(update, loss.item<float>());)",
    .cpp_after = R"(zerostall::fixes::AsyncTensorExchange exchange(device, at::kFloat);  // once
// each update
if (auto last = exchange.take()) log(last->tag.update, last->value.item<float>());
exchange.submit(loss, {.update = update, .learning_rate = learning_rate});
// at the end
if (auto last = exchange.drain()) log(last->tag.update, last->value.item<float>());)",
    .no_problem = R"(Where the value decides about the very next step: it comes one update late.)"};

constexpr Explanation kUpstream{
    .name = "async-loss=upstream",
    .looks = R"(As async-loss; with this variant an event sync per update remains, which usually returns at
once. `zerostall verify flux2 --fix async-loss=upstream` shows it.)",
    .pytorch = R"(One pinned slot and one event: wait for the event of the last update, read, copy, record.)",
    .libtorch = R"(fixes/async_loss.h: AsyncTensorExchange with Variant::upstream.)",
    .before = R"(for step, batch in enumerate(loader):
    loss = train_step(batch)
    log(step, loss.item()))",
    .after = R"(slot = torch.empty((), pin_memory=True)
copied = torch.cuda.Event()
for step, batch in enumerate(loader):
    loss = train_step(batch)
    if step > 0:
        copied.synchronize()
        log(step - 1, slot.item())
    slot.copy_(loss.detach(), non_blocking=True)
    copied.record())",
    .cpp_before = R"(log(update, loss.item<float>());)",
    .cpp_after = R"(using zerostall::fixes::AsyncTensorExchange;
AsyncTensorExchange exchange(device, at::kFloat, {}, AsyncTensorExchange::Variant::upstream);
// each update
if (auto last = exchange.take()) log(last->tag.update, last->value.item<float>());
exchange.submit(loss, {.update = update, .learning_rate = learning_rate});)",
    .no_problem = R"(As async-loss. Where no wait at all is allowed, take async-loss.)"};

constexpr Explanation kPinnedBatch{
    .name = "pinned-batch",
    .looks = R"(Copies from pageable memory at the start of each step, one per tensor and sample, each with a
stream sync. `zerostall verify flux2 --fix pinned-batch` shows the step without and with the
fix.)",
    .pytorch = R"(DataLoader(pin_memory=True) and .to(device, non_blocking=True) for one batch ahead, on a stream
of its own.)",
    .libtorch = R"(fixes/pinned_batch.h: two sets of pinned buffers that take turns, LibTorch alone.)",
    .before = R"(for sample in loader:
    latent = sample["latent"].to("cuda")      # waits for all queued work)",
    .after = R"(loader = DataLoader(data, pin_memory=True)
copying = torch.cuda.Stream()
def upload(sample):
    with torch.cuda.stream(copying):
        return sample["latent"].to("cuda", non_blocking=True)
ahead = upload(next(batches))
for _ in range(steps):
    torch.cuda.current_stream().wait_stream(copying)      # the stream waits, not the host
    latent, ahead = ahead, upload(next(batches))
    latent.record_stream(torch.cuda.current_stream()))",
    .cpp_before = R"(latent = sample.latent.to(device);)",
    .cpp_after = R"(// see the example in fixes/pinned_batch.h: submit the next batch, take this one)",
    .no_problem = R"(Where the batch is made on the device, or steps are so long that the wait is idle.)"};

constexpr Explanation kCachedGuidance{
    .name = "cached-guidance",
    .looks = R"(A copy of a few bytes from host to device in each forward pass, always the same number.
`zerostall verify flux2 --size dev --fix cached-guidance` shows the step without and with it.)",
    .pytorch = R"(Make the tensor once, before the loop, and keep it.)",
    .libtorch = R"(fixes/cached_guidance.h: one header, LibTorch alone.)",
    .before = R"(for batch in loader:
    guidance = torch.tensor([scale], device="cuda", dtype=torch.bfloat16))",
    .after = R"(guidance = torch.full((1,), scale, device="cuda", dtype=torch.bfloat16)    # a kernel, no upload
for batch in loader:
    predict(batch, guidance))",
    .cpp_before = R"(at::full({1}, scale, at::kBFloat16).to(device);)",
    .cpp_after = R"(// once; see fixes/cached_guidance.h
at::full({1}, scale, at::TensorOptions().dtype(at::kBFloat16).device(device));)",
    .no_problem = R"(Where the value changes every step: then fill a tensor on the device.)"};

constexpr Explanation kHostLengths{
    .name = "host-lengths",
    .looks = R"(8-byte reads in the forward pass behind a sum or max of a mask; then small uploads of ids.
`zerostall verify ideogram4 --fix host-lengths` shows the step without and with the fix.)",
    .pytorch = R"(Let the collate function return the lengths as Python integers beside the tensors.)",
    .libtorch = R"(fixes/host_lengths.h: one header, LibTorch alone.)",
    .before = R"(lengths = mask.sum(1)                         # on the device
tokens = tokens[:, : int(lengths.max())]      # waits)",
    .after = R"(def collate(samples):
    batch = default_collate(samples)
    batch["lengths"] = [int(s["mask"].sum()) for s in samples]    # still on the host
    return batch
tokens = tokens[:, : max(batch["lengths"])])",
    .cpp_before = R"(tokens = tokens.slice(1, 0, mask.sum(1).max().item<int64_t>());)",
    .cpp_after = R"(// lengths: counted on the host before the mask was uploaded (fixes/host_lengths.h)
tokens = tokens.slice(1, 0, *std::max_element(lengths.begin(), lengths.end()));)",
    .no_problem = R"(Where the lengths are really computed on the device, by the model itself.)"};

constexpr Explanation kResumeSteps{
    .name = "resume-steps-on-cpu",
    .looks = R"(A resumed run waits once per trained tensor and update, a fresh one of the same configuration
does not: 4-byte reads inside the optimizer.
`zerostall verify flux2 --with resume --fix resume-steps-on-cpu` shows both.)",
    .pytorch = R"(Load the optimizer's state without moving `step`, or take a fused or capturable optimizer.)",
    .libtorch = R"(fixes/resume_steps_on_cpu.h: one header, LibTorch alone.)",
    .before = R"(state = torch.load(path, map_location="cuda")
optimizer.load_state_dict(state)              # `step` scalars on the GPU
optimizer.step()                              # .item() of each)",
    .after = R"(for values in optimizer.state.values():       # once, after loading
    values["step"] = values["step"].cpu())",
    .cpp_before = R"(for (at::Tensor* tensor : state) *tensor = tensor->to(device);)",
    .cpp_after = R"(// after loading: step counters back to the host, all in one copy
// (fixes/resume_steps_on_cpu.h))",
    .no_problem = R"(With fused=True or capturable=True the optimizer reads no step counter.)"};

constexpr Explanation kAsyncEma{
    .name = "async-ema",
    .looks = R"(A copy from device to host with a stream sync per trained tensor behind the optimizer.
`zerostall verify flux2 --with ema=cpu --fix async-ema` shows the step without and with it.)",
    .pytorch = R"(Pinned buffers, non-blocking copies behind the optimizer, an event; average one update later.)",
    .libtorch = R"(fixes/async_ema.h: LibTorch alone.)",
    .before = R"(for average, p in zip(averages, parameters):      # averages on the CPU
    average.lerp_(p.detach().cpu(), 1 - decay))",
    .after = R"(slots = [torch.empty_like(p, device="cpu", pin_memory=True) for p in parameters]
copied = torch.cuda.Event()
# each update, behind the optimizer: first the copies of the last update, then new ones
copied.synchronize()                              # done long ago
for average, slot in zip(averages, slots):
    average.lerp_(slot, 1 - decay)
for slot, p in zip(slots, parameters):
    slot.copy_(p.detach(), non_blocking=True)
copied.record())",
    .cpp_before = R"(average.lerp_(parameter.detach().cpu(), 1 - decay);)",
    .cpp_after = R"(// see the example in fixes/async_ema.h: submit behind the optimizer, drain before use)",
    .no_problem = R"(An average on the GPU needs no copy at all; it costs device memory.)"};

constexpr Explanation kDeferredFiniteCheck{
    .name = "deferred-finite-check",
    .looks = R"(A 4-byte read between the last kernel of the backward pass and the first of the optimizer.
`zerostall verify flux2 --with precision=fp16 --fix deferred-finite-check` shows both.)",
    .pytorch = R"(A fused optimizer takes the scaler's flag itself (AdamW(fused=True)): GradScaler.step() then
does not read it.)",
    .libtorch = R"(fixes/deferred_finite_check.h: LibTorch alone.)",
    .before = R"(optimizer = torch.optim.AdamW(parameters)
scaler.step(optimizer)                            # reads found_inf)",
    .after = R"(optimizer = torch.optim.AdamW(parameters, fused=True)
scaler.step(optimizer)                            # the flag stays on the device)",
    .cpp_before = R"(if (found_inf.item<float>() == 0) optimizer.step();)",
    .cpp_after = R"(optimizer.step({.found_inf = found_inf});           // applied by the kernels
// the host hears of it one update later: fixes/deferred_finite_check.h)",
    .no_problem = R"(With bf16 there is no scaler and nothing to check.)"};

constexpr Explanation kFp8Scale{
    .name = "fp8-scale-cached",
    .looks = R"(A 4-byte copy from host to device with a stream sync in each fp8 linear, forward and recomputed.
`zerostall verify flux2 --with weights=fp8 --fix fp8-scale-cached` shows both.)",
    .pytorch = R"(Register the constant as a buffer, or make it with torch.ones on the device.)",
    .libtorch = R"(fixes/fp8_scale_cached.h: LibTorch alone.)",
    .before = R"(one = torch.tensor(1.0, device=x.device)          # an upload at each call
torch._scaled_mm(x8, w8.t(), scale_a=one, scale_b=scale))",
    .after = R"(self.register_buffer("one", torch.ones((), device=w8.device), persistent=False)
torch._scaled_mm(x8, w8.t(), scale_a=self.one, scale_b=self.scale))",
    .cpp_before = R"(at::scalar_tensor(1.0).to(device);)",
    .cpp_after = R"(at::ones({}, device);  // a kernel; kept by fixes/fp8_scale_cached.h)",
    .no_problem = R"(Under torch.compile(fullgraph=True) the constant is filled on the device.)"};

constexpr std::array kTexts = {kBnPinning,   kAsyncLoss,   kUpstream, kPinnedBatch,         kCachedGuidance,
                               kHostLengths, kResumeSteps, kAsyncEma, kDeferredFiniteCheck, kFp8Scale};

}  // namespace

std::span<const Explanation> fix_explanations() { return kTexts; }

}  // namespace zerostall
