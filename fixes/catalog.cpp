// Sources of the numbers: shared/design/reference-step.md section 0 (measured table) and rows B.1 #4, #5, #25.
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

constexpr std::array<Fix, 3> kFixes{{
    {.name = "bn-pinning",
     .title = "keep the VAE's batch-norm statistics on the train device",
     .cause = "state-on-wrong-device",
     .explanation = kBnPinning,
     .removes = {.waits = {0, 2}, .stream_syncs = {0, 2}, .event_syncs = {0, 0}, .h2d_stalls = {0, 2}},
     .is_default = true},
    {.name = "async-loss",
     .title = "read the loss one update late, through pinned memory",
     .cause = "scalar-read",
     .explanation = kAsyncLoss,
     .removes = {.waits = {1, 0}, .stream_syncs = {1, 0}, .event_syncs = {0, 0}, .h2d_stalls = {0, 0}},
     .is_default = true},
    {.name = "async-loss=upstream",
     .title = "read the loss one update late, one slot, waiting for its event",
     .cause = "scalar-read",
     .explanation = kAsyncLossUpstream,
     .removes = {.waits = {0, 0}, .stream_syncs = {1, 0}, .event_syncs = {-1, 0}, .h2d_stalls = {0, 0}},
     .is_default = false},
}};

}  // namespace

std::span<const Fix> all() { return kFixes; }

std::optional<Fix> find(std::string_view name) {
  const auto* found = std::find_if(kFixes.begin(), kFixes.end(), [&](const Fix& fix) { return fix.name == name; });
  if (found == kFixes.end()) return std::nullopt;
  return *found;
}

std::string_view base_name(std::string_view name) { return name.substr(0, name.find('=')); }

}  // namespace zerostall::fixes
