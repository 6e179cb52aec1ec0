// Fix `async-loss`: read a small device tensor (the loss) on the host one update late, without waiting for the device.
// Source: shared/design/reference-step.md section F (contract points 1 to 12 there) and row B.1 #25. Explanation:
// fixes/README.md.
//
//   AsyncTensorExchange exchange(device, at::kFloat);
//   for (each update n) {
//     if (auto previous = exchange.take()) log(previous->tag.update, previous->value.item<float>());   // update n - 1
//     exchange.submit(loss, {.update = n, .learning_rate = lr});
//   }
//   if (auto last = exchange.drain()) log(...);                                                        // the last
//   update
//
// One thread, one device. The value is data of update n - 1: log it under its tag, and expect a NaN to be seen one
// update late.
#pragma once
#include <ATen/ATen.h>
#include <c10/core/Event.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace zerostall::fixes {

class AsyncTensorExchange {
 public:
  enum class Variant {
    query_first,  // ours: two slots; queries the event, and waits for it only if the copy is not done
    upstream,     // OneTrainer PR #1608: one slot; waits for the event (cudaEventSynchronize) at each take()
  };
  struct Tag {
    std::int64_t update = 0;
    double learning_rate = 0;
  };
  struct Delivery {
    at::Tensor value;  // on the host, its own memory, dtype and shape of what was submitted
    Tag tag;
  };

  // Slots for tensors of `dtype` and `shape` (default: scalar) on `device`. On CUDA the slots are pinned and allocated
  // here, once (cudaHostAlloc synchronises); throws c10::Error if the memory is not pinned. On CPU: plain memory, same
  // lag, no events.
  AsyncTensorExchange(at::Device device, at::ScalarType dtype, at::IntArrayRef shape = {},
                      Variant variant = Variant::query_first);

  // Queues a copy of `source` to the host on the current stream and records an event after it. Does not wait. `source`
  // may be overwritten by later work on the same stream. Throws c10::Error if device, dtype or shape differ from the
  // constructor's, or if the slot still holds a value that nobody took.
  void submit(const at::Tensor& source, Tag tag);

  // The oldest submission not yet taken, or nothing. Call it once per update, before that update's submit: it then
  // returns the update before. Waits, if at all, for that copy's own event only, never for the stream.
  std::optional<Delivery> take();

  // At the end of training, or before a backup: what is still pending (take() under its other meaning). May wait; call
  // it outside the hot loop. Call until it returns nothing if several submissions are pending.
  std::optional<Delivery> drain() { return take(); }

  std::int64_t event_waits() const { return event_waits_; }  // takes that called cudaEventSynchronize
  std::size_t pending() const { return pending_; }

 private:
  struct Slot {
    at::Tensor host;
    at::Tensor source;  // keeps the device memory alive until taken, also if another stream allocates in between
    std::optional<c10::Event> copied;
    Tag tag;
  };
  void wait_for(const c10::Event& event);

  at::Device device_;
  Variant variant_;
  std::vector<Slot> slots_;
  std::size_t oldest_ = 0;   // index of the oldest pending slot
  std::size_t pending_ = 0;  // slots submitted and not taken
  std::int64_t event_waits_ = 0;
};

}  // namespace zerostall::fixes
