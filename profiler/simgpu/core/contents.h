// What device memory holds, as far as the host put it there. Kernels compute nothing, so the value of a byte is known
// only if a copy or a memset wrote it, and certain only until the next kernel launch, which could have overwritten it.
//
// The rule for a read (it makes runs repeatable, for it depends on nothing but the order of calls):
//   real     copies and memsets wrote every byte, and no kernel was launched since: the bytes.
//   stored   the same, but kernels were launched since, and the read has more than kScalarBytes and covers exactly what
//            whole copies wrote: the bytes. Most likely the same tensor is read back (weights, labels). Not so when the
//            read has up to kSmallBytes and a kernel was seen to write there since (kernel_output.h): those are the
//            sizes at which a block's new owner happens to have the very size of an earlier one.
//            Or a collective wrote them from real or stored values of all ranks, whatever the size: what ranks exchange
//            on purpose (sizes, pickled objects) is read back by the host. Only whole elements: a flag or a loss that
//            begins where a size lay is another owner's.
//   unknown  anything else: zeros. Frameworks hand a block to a new owner without telling the driver, so bytes that
//            merely happen to lie there may be an earlier owner's; a scalar is what kernels compute most.
// Thread-safe.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace zerostall::simgpu {

enum class Certainty { real, stored, unknown };

inline constexpr std::size_t kScalarBytes = 8;
inline constexpr std::size_t kSmallBytes = 4096;

class Contents {
 public:
  // The bytes at `source` (readable by the host) go to the device. Large ones are kept only while all that is kept
  // stays within a budget, so that weights of a large model need no real memory; what is not kept becomes unknown.
  void put(void* target, const void* source, std::size_t bytes);
  // A memset of elements of `width` bytes (1, 2 or 4). Costs no memory, whatever its size.
  void fill(void* target, std::uint32_t value, int width, std::size_t bytes);
  // Device to device: bytes and certainty go along.
  void copy(void* target, const void* source, std::size_t bytes);
  // A collective has written these bytes to device memory, as elements of `width` bytes. `certainty`: of the least
  // certain value they came from; unknown is the same as forget().
  void note_written(const void* address, std::size_t bytes, Certainty certainty, std::size_t width = 1);
  // Nothing is known of these bytes any more. Gives real memory back.
  void forget(const void* address, std::size_t bytes);
  void note_launch() { launches_.fetch_add(1, std::memory_order_relaxed); }

  // Fills `target` (host memory, may be null to only ask) by the rule above. `scalar_bytes` 0: the reader knows that
  // this is not what kernels compute, so that the rule for scalars does not apply.
  Certainty read(void* target, const void* source, std::size_t bytes, std::size_t scalar_bytes = kScalarBytes) const;
  // As far as one whole write reaches that begins exactly at `source`, and zeros beyond: a buffer that the program has
  // grown. At best stored, for what lies beyond is a guess; unknown if there is none.
  Certainty read_grown(void* target, const void* source, std::size_t bytes) const;

  std::size_t kept_bytes() const;

 private:
  struct Piece {
    std::uintptr_t end;
    std::uintptr_t whole_begin, whole_end;  // of the write this is a part of
    std::uint64_t launches;                 // launched before the write
    bool filled;                            // by a memset: no bytes are stored
    std::uint8_t width;                     // of an element of a memset or a collective
    std::uint32_t value;
    std::uintptr_t origin;   // where the pattern starts
    bool exchanged = false;  // by a collective, or copied from such bytes
  };
  using Pieces = std::map<std::uintptr_t, Piece>;

  void erase(std::uintptr_t begin, std::uintptr_t end);
  void give_back(std::uintptr_t begin, std::uintptr_t end);
  void insert(std::uintptr_t begin, const Piece& piece);
  bool affordable(std::size_t bytes) const;
  Certainty rate(std::uintptr_t begin, std::uintptr_t end, std::size_t scalar_bytes, Piece* summary) const;
  void gather(void* target, std::uintptr_t begin, std::uintptr_t end) const;

  mutable std::mutex lock_;
  Pieces pieces_;  // by first address, never overlapping
  std::size_t kept_ = 0;
  std::atomic<std::uint64_t> launches_{1};  // 0: before every launch, so never certain
};

}  // namespace zerostall::simgpu
