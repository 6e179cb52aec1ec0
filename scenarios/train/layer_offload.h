// Layer offloading ("block swap"): the weights of a fraction of a transformer's blocks live in host memory and come to
// the device shortly before their block runs. Source: reference-step.md B.1 #32, #33, section 0 ("Variants").
//
// The last n = round(fraction * blocks) blocks are offloaded. The device has places for two of them (asynchronous) or
// for one (blocking), each as large as the largest; a block stays in its place until the place is needed.
//   asynchronous: pinned memory, a stream of its own. While a block runs, the next one in running order is copied
//     (forward ascending, backward descending; the order is inferred from the calls). Before a copy into a place, its
//     stream waits for the work queued so far, before a block runs its stream waits for the copy. No host wait.
//   blocking: pageable memory, one blocking copy per weight when its block is about to run: one host wait each.
// Uploads per micro-step in steady state, with gradient checkpointing, w_i weights in offloaded block i = 1..n:
//   blocking:     2 * sum(w) - w_1 - w_n                       (n >= 1: the outermost block is still there when
//   turning) asynchronous: 2 * sum(w) - w_1 - w_2 - w_(n-1) - w_n       (n >= 2, else 0)
// so with w weights in each block w * 2(n - 1) waits per micro-step when blocking, none for n = 1.
// Trained weights (fine-tune) that were written since they came are copied back to the host before their place is given
// away: one more copy (blocking: one more wait) per weight and update. They must be stepped while their block is on the
// device, that is with a fused back pass: an optimizer that steps after the backward pass finds most of them on the
// host.
#pragma once
#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace zerostall::train {

class LayerOffload {
 public:
  // Takes the big weights of all blocks, in running order, as they lie on `device` (contiguous), and moves those of the
  // last blocks to the host; their handles then refer to host memory, or to a place on the device. On a CPU device both
  // are host memory and nothing is asynchronous; results are the same. Copies to the host are blocking here: for setup.
  LayerOffload(const std::vector<std::vector<at::Tensor>>& blocks, double fraction, bool asynchronous,
               at::Device device);
  LayerOffload(const LayerOffload&) = delete;
  LayerOffload& operator=(const LayerOffload&) = delete;

  // Called by the thread that is about to run a block (forward, and again when it is recomputed): afterwards the
  // block's weights are on the device, for work on the current stream. One thread at a time; all on one stream. A
  // block's backward pass must have been queued before another block's turn: gradient checkpointing sees to that.
  void before_block(std::size_t index);

  // All offloaded weights to the host, with what was written to them: before a backup, or before anybody but a block
  // reads them. Waits for the copies if anything was ever written. The next before_block brings them back.
  void to_host();

  std::int64_t uploads() const { return uploads_; }      // weights copied to the device so far
  std::int64_t downloads() const { return downloads_; }  // written ones copied back so far

 private:
  struct Layer {
    at::Tensor weight;  // the model's own handle; its storage is swapped
    at::Tensor host;
    std::int64_t offset;  // of its bytes in a place
  };
  struct Place {
    at::Tensor bytes;
    std::optional<std::size_t> block;    // which offloaded block is here
    std::vector<at::Tensor> views;       // its weights
    std::vector<std::int64_t> versions;  // of the handles when they came: another one now means written
    std::optional<c10::Event> ready;     // the copies into it are done
  };
  std::int64_t add_block(const std::vector<at::Tensor>& weights, bool pinned);
  void add_places(std::int64_t bytes);
  Place* place_of(std::size_t block);
  Place& free_place();
  void bring(std::size_t block, Place& place);
  void give_up(Place& place);
  std::optional<std::size_t> next_after(std::size_t block);
  template <class Copies>
  void on_copy_stream(const Copies& copies);

  std::size_t first_;  // index of the first offloaded block
  bool asynchronous_;
  at::Device device_;
  std::vector<std::vector<Layer>> blocks_;  // the offloaded ones
  std::vector<Place> places_;
  std::optional<c10::Stream> copy_stream_;  // asynchronous, on a GPU
  std::optional<c10::Event> used_;          // recorded on the compute stream before places are written
  std::optional<std::size_t> last_;         // the block that ran last
  bool ascending_ = true;
  std::int64_t uploads_ = 0, downloads_ = 0;
};

}  // namespace zerostall::train
