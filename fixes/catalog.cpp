// Source: shared/design/reference-step.md section 0 and rows B.1 #1, #2, #4, #5, #12, #16, #21c, #25, #27, #28, I1-I4,
// E1.
#include "fixes/catalog.h"

#include <algorithm>
#include <array>

namespace zerostall::fixes {
namespace {

constexpr std::string_view kBnPinning =
    "Cause: with cached latents the VAE is not needed in a training step, so setup evicts it to the\n"
    "host to save device memory. Its batch-norm statistics go with it, but every step still\n"
    "normalises the latents with them: mean and standard deviation are uploaded again each\n"
    "micro-step, 512 bytes each, from pageable memory. A blocking upload ends in\n"
    "cudaStreamSynchronize on the training stream, which waits for all work queued before it: 512\n"
    "bytes cost a drained GPU.\n"
    "Change: after each materialize/evict of setup, the batch-norm buffers alone (running_mean,\n"
    "running_var, num_batches_tracked) are moved back to the train device. 1 kB of device memory. It\n"
    "is idempotent and must sit in setup, because backup and sampling evict the VAE again and end in\n"
    "setup.\n"
    "Expected effect: two uploads and two stream synchronisations fewer per micro-step. No number of\n"
    "the training changes.";

constexpr std::string_view kAsyncLoss =
    "Cause: the loss is read with .item() for the log line and the NaN check once per optimizer\n"
    "update, after the optimizer. The host waits until forward, backward and optimizer have run on\n"
    "the GPU; the GPU then waits until the host has queued the next step.\n"
    "Change: each update copies its loss into pinned host memory without blocking and records an\n"
    "event; the value is read one update later. Two slots and two events take turns, and the event is\n"
    "queried before anybody waits for it: by the time a whole step has been queued, the copy of the\n"
    "step before is done. Log line and NaN check lag by one update; each value is logged under its\n"
    "own step number; drain() delivers the last one.\n"
    "Expected effect: one stream synchronisation fewer per update and no wait in its place. Weights\n"
    "stay bit-identical.";

constexpr std::string_view kAsyncLossUpstream =
    "The asynchronous loss read as OneTrainer's pull request #1608 does it: ONE pinned slot, and each\n"
    "update but the first waits for its event (cudaEventSynchronize), reads, copies, records.\n"
    "Expected effect: one stream synchronisation fewer, one event synchronisation more per update: a\n"
    "host wait remains. It does not drain the queue, as the whole current step is already queued\n"
    "behind the event, so it usually returns at once; but it is a call that waits, and torch's\n"
    "set_sync_debug_mode cannot see it.";

constexpr std::string_view kPinnedBatch =
    "Cause: the loader reads each cached tensor of each sample into pageable memory and uploads it\n"
    "with a blocking copy on the training stream: five waits per sample, each for all work queued\n"
    "before it. As the loader runs in the training thread, the GPU drains at every step boundary.\n"
    "Change: staging buffers in pinned memory, allocated once; the next batch is copied without\n"
    "blocking on a stream of its own while this step runs, and the training stream waits for its\n"
    "event on the device. Two sets of buffers take turns; an event is queried before anybody waits.\n"
    "Expected effect: no host wait in the loader, and the upload hides behind the step. Values and\n"
    "order of the batches stay the same.";

constexpr std::string_view kCachedGuidance =
    "Cause: a model that embeds the guidance scale (FLUX.2 dev) gets it as a tensor made from a host\n"
    "number in every micro-step: 2 bytes from pageable memory, and a stream synchronisation.\n"
    "Change: the tensor is made once per value, device and dtype, and kept.\n"
    "Expected effect: one upload and one stream synchronisation fewer per prediction.";

constexpr std::string_view kHostLengths =
    "Cause: the lengths of the texts in a batch are known when the batch is put together, but the\n"
    "model reads them back from the device, to cut the batch to its longest text or to lay out its\n"
    "position ids; ids built on the host are then uploaded with blocking copies (Ideogram 4: three\n"
    "reads and three uploads, Ernie Image: one read).\n"
    "Change: the loader hands the lengths over as host integers, and the ids need no blocking copy.\n"
    "Expected effect: those reads and uploads are gone. No number of the training changes.";

constexpr std::string_view kResumeStepsOnCpu =
    "Cause: loading a backup moves all optimizer state to the train device, the scalar step counters\n"
    "of AdamW too. A fresh run keeps them on the host, where reading them is free; after a resume\n"
    "each is read with .item() from the device: one wait per trained tensor and update (288 on\n"
    "FLUX.2 klein-9B), with the same configuration that had none before.\n"
    "Change: after loading, the step counters alone are moved back to the host, once.\n"
    "Expected effect: a resumed run waits no more often than a fresh one.";

constexpr std::string_view kAsyncEma =
    "Cause: a moving average that lives on the host downloads every trained tensor after each update,\n"
    "one blocking copy each.\n"
    "Change: the tensors are copied without blocking into pinned slots behind the optimizer, an event\n"
    "is recorded, and the average is updated on the host one update later. Two sets of slots take\n"
    "turns; drain() brings the average up to date before it is used.\n"
    "Expected effect: one wait fewer per trained tensor and update; the averages are the same after\n"
    "drain().";

constexpr std::string_view kDeferredFiniteCheck =
    "Cause: with fp16 a gradient scaler reads on the host whether a gradient overflowed, to decide\n"
    "whether the optimizer steps: a wait between the backward pass and the optimizer of each update.\n"
    "Change: the flag stays on the device and the optimizer's kernels apply it; the host learns of an\n"
    "overflow one update later, from pinned memory.\n"
    "Expected effect: one stream synchronisation fewer per update.";

constexpr std::string_view kFp8ScaleCached =
    "Cause: torch's scaled product wants its scale as a device tensor. Made as torch.tensor(1.0,\n"
    "device=...) in eager mode it is an upload from pageable memory with a stream synchronisation at\n"
    "every forward pass of every fp8 linear, and again when a checkpointed block is recomputed (on\n"
    "the autograd thread). Compiled it becomes a constant, and nobody sees it.\n"
    "Change: the constant is made once per device and kept.\n"
    "Expected effect: two waits fewer per fp8 linear and micro-step.";

constexpr std::array kFixes = std::to_array<Fix>({
    {.name = "bn-pinning",
     .title = "keep the VAE's batch-norm statistics on the train device",
     .cause = "state-on-wrong-device",
     .explanation = kBnPinning,
     .is_default = true},
    {.name = "async-loss",
     .title = "read the loss one update late, through pinned memory",
     .cause = "scalar-read",
     .explanation = kAsyncLoss,
     .is_default = true},
    {.name = "async-loss=upstream",
     .title = "read the loss one update late, one slot, waiting for its event",
     .cause = "scalar-read",
     .explanation = kAsyncLossUpstream,
     .is_default = false,
     .event_syncs = 1},
    {.name = "pinned-batch",
     .title = "upload batches from pinned memory, one batch ahead",
     .cause = "pageable-batch",
     .explanation = kPinnedBatch,
     .is_default = false},
    {.name = "cached-guidance",
     .title = "make the guidance scale's tensor once",
     .cause = "tensor-from-host",
     .explanation = kCachedGuidance,
     .is_default = false},
    {.name = "host-lengths",
     .title = "take the texts' lengths from the loader, not from the device",
     .cause = "size-from-device",
     .explanation = kHostLengths,
     .is_default = false},
    {.name = "resume-steps-on-cpu",
     .title = "keep the optimizer's step counters on the host after a resume",
     .cause = "scalar-read",
     .explanation = kResumeStepsOnCpu,
     .is_default = false},
    {.name = "async-ema",
     .title = "bring the weights to a moving average on the host one update late",
     .cause = "offload",
     .explanation = kAsyncEma,
     .is_default = false},
    {.name = "deferred-finite-check",
     .title = "keep the gradient scaler's overflow flag on the device",
     .cause = "amp-scaler",
     .explanation = kDeferredFiniteCheck,
     .is_default = false},
    {.name = "fp8-scale-cached",
     .title = "make the constant scale of fp8 products once",
     .cause = "tensor-from-host",
     .explanation = kFp8ScaleCached,
     .is_default = false},
});

}  // namespace

std::span<const Fix> all() { return kFixes; }

std::optional<Fix> find(std::string_view name) {
  const auto* found = std::find_if(kFixes.begin(), kFixes.end(), [&](const Fix& fix) { return fix.name == name; });
  if (found == kFixes.end()) return std::nullopt;
  return *found;
}

std::string_view base_name(std::string_view name) { return name.substr(0, name.find('=')); }

}  // namespace zerostall::fixes
