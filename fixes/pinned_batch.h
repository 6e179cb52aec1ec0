// Fix `pinned-batch`: bring the batches of a data loader to the device without making the host wait.
// Source: shared/design/reference-step.md rows B.1 #1 to #3 and "KEY INSIGHT" there.
//
// Cause: the loader uploads each tensor of each sample on its own, blocking, from pageable memory. Every such copy ends
// in cudaStreamSynchronize on the training stream, which waits for all work queued before it: the whole last step.
// Change: samples are gathered in pinned memory that is allocated once, copied without blocking on a stream of its own,
// one batch ahead, with an event behind the copies; the training stream waits for that event, the host does not. Two
// sets of pinned memory take turns, and a set is filled again only when its own copy is done, which is asked (query)
// before it is waited for: by then a whole step has been queued since.
// Expected effect: no host wait in the loader, instead of 5 per sample; one copy per field and batch instead of one per
// field and sample. Values and their order stay the same, so weights stay bit-identical.
// Cost: two sets of pinned host memory, and one more batch on the device.
//
//   PinnedBatch batches(device, {{{2, 512}, at::kLong}, {{2, 512, 12288}, at::kBFloat16}});   // once: synchronises
//   const auto send = [&] { fill(batches.stage(), next_samples()); batches.upload(); };
//   send();
//   for (each step) {
//     std::vector<at::Tensor> batch = batches.take();   // for work on the current stream
//     send();                                           // the next one, while this one is trained on
//     train(batch);
//   }
//
// One thread, one device. On a CPU device the same calls copy at once: same values, same order.
#pragma once
#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace zerostall::fixes {

class PinnedBatch {
 public:
  struct Field {
    std::vector<std::int64_t> sizes;  // of the whole batch
    at::ScalarType dtype;
  };

  // Allocates the pinned memory (cudaHostAlloc synchronises: not in the hot loop). Throws c10::Error if the memory is
  // not pinned.
  PinnedBatch(at::Device device, std::vector<Field> fields);

  // The host tensors to fill for the next upload, one per field. Waits, if at all, for the copy that read them last.
  // Throws c10::Error if both sets hold a batch that nobody took.
  const std::vector<at::Tensor>& stage();

  // Queues the copies of what was staged. Does not wait.
  void upload();

  // The oldest batch not yet taken, on the device, its own memory, ready for work on the current stream: that stream
  // waits for the copies, the host does not. Tensors may be kept as long as wanted and freed at any time. Throws
  // c10::Error if there is none.
  std::vector<at::Tensor> take();

  void discard();  // drops what is uploaded and not taken
  std::size_t pending() const { return pending_; }
  std::int64_t event_waits() const { return event_waits_; }  // times that stage() called cudaEventSynchronize

 private:
  struct Set {
    std::vector<at::Tensor> host, on_device;
    std::optional<c10::Event> copied;
  };
  Set& next() { return sets_[(oldest_ + pending_) % sets_.size()]; }

  at::Device device_;
  std::optional<c10::Stream> stream_;  // of the copies; none on the CPU
  std::array<Set, 2> sets_;
  std::size_t oldest_ = 0, pending_ = 0;
  bool staged_ = false;
  std::int64_t event_waits_ = 0;
};

}  // namespace zerostall::fixes
