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

constexpr std::array kTexts = {kBnPinning, kAsyncLoss, kUpstream};

}  // namespace

std::span<const Explanation> fix_explanations() { return kTexts; }

}  // namespace zerostall
