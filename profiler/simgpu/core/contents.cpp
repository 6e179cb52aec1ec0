#include "profiler/simgpu/core/contents.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "profiler/simgpu/core/kernel_output.h"

namespace zerostall::simgpu {
namespace {

constexpr std::size_t kAlwaysKept = std::size_t{64} << 10;
constexpr std::size_t kBudget = std::size_t{256} << 20;
constexpr std::uintptr_t kPage = 4096;
constexpr std::uintptr_t kWorthGivingBack = 16 * kPage;

std::uintptr_t number(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

bool Contents::affordable(std::size_t bytes) const { return bytes <= kAlwaysKept || kept_ + bytes <= kBudget; }

void Contents::give_back(std::uintptr_t begin, std::uintptr_t end) {
  const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage, last = end / kPage * kPage;
  if (last > first && last - first >= kWorthGivingBack)
    madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void Contents::erase(std::uintptr_t begin, std::uintptr_t end) {
  auto it = pieces_.lower_bound(begin);
  if (it != pieces_.begin() && std::prev(it)->second.end > begin) --it;
  while (it != pieces_.end() && it->first < end) {
    const std::uintptr_t from = it->first;
    const Piece piece = it->second;
    it = pieces_.erase(it);
    const std::uintptr_t cut_from = std::max(from, begin), cut_to = std::min(piece.end, end);
    if (!piece.filled) kept_ -= cut_to - cut_from;
    if (from < begin) {
      Piece head = piece;
      head.end = begin;
      pieces_.emplace(from, head);
    }
    if (piece.end > end) it = pieces_.emplace(end, piece).first;
  }
}

void Contents::insert(std::uintptr_t begin, const Piece& piece) {
  erase(begin, piece.end);
  forget_output(reinterpret_cast<const void*>(begin));
  pieces_.emplace(begin, piece);
  if (!piece.filled) kept_ += piece.end - begin;
}

void Contents::put(void* target, const void* source, std::size_t bytes) {
  std::lock_guard guard(lock_);
  const std::uintptr_t begin = number(target), end = begin + bytes;
  erase(begin, end);  // first, so that a write in place stays affordable
  if (!affordable(bytes)) {
    give_back(begin, end);
    return;
  }
  std::memmove(target, source, bytes);
  insert(begin, {end, begin, end, launches_.load(std::memory_order_relaxed), false, 1, 0, begin});
}

void Contents::note_written(const void* address, std::size_t bytes, Certainty certainty, std::size_t width) {
  if (certainty == Certainty::unknown) return forget(address, bytes);
  std::lock_guard guard(lock_);
  const std::uintptr_t begin = number(address), end = begin + bytes;
  const std::uint64_t launches = certainty == Certainty::real ? launches_.load(std::memory_order_relaxed) : 0;
  insert(begin, {end, begin, end, launches, false, static_cast<std::uint8_t>(width), 0, begin, true});
}

void Contents::fill(void* target, std::uint32_t value, int width, std::size_t bytes) {
  std::lock_guard guard(lock_);
  const std::uintptr_t begin = number(target), end = begin + bytes;
  insert(begin, {end, begin, end, launches_.load(std::memory_order_relaxed), true, static_cast<std::uint8_t>(width),
                 value, begin});
  give_back(begin, end);
}

void Contents::copy(void* target, const void* source, std::size_t bytes) {
  std::lock_guard guard(lock_);
  const std::uintptr_t from = number(source), begin = number(target), end = begin + bytes;
  Piece summary{};
  const Certainty certainty = rate(from, from + bytes, kScalarBytes, &summary);
  if (certainty == Certainty::unknown || !affordable(bytes)) {
    erase(begin, end);
    give_back(begin, end);
    return;
  }
  const auto it = std::prev(pieces_.upper_bound(from));
  const bool whole = it->second.filled && it->second.end >= from + bytes;
  Piece piece{end, begin, end, summary.launches, false, summary.width, 0, begin, summary.exchanged};
  if (whole) {  // a memset's value travels as a value
    piece.filled = true;
    piece.width = it->second.width;
    piece.value = it->second.value;
    piece.origin = it->second.origin - from + begin;
  } else {
    gather(target, from, from + bytes);
  }
  insert(begin, piece);
}

void Contents::forget(const void* address, std::size_t bytes) {
  std::lock_guard guard(lock_);
  const std::uintptr_t begin = number(address), end = begin + bytes;
  erase(begin, end);
  give_back(begin, end);
}

// `summary`: the oldest write of all pieces, whether all were exchanged, the widest element.
Certainty Contents::rate(std::uintptr_t begin, std::uintptr_t end, std::size_t scalar_bytes, Piece* summary) const {
  auto it = pieces_.upper_bound(begin);
  if (it == pieces_.begin()) return Certainty::unknown;
  --it;
  const bool exact_begin = it->second.whole_begin == begin && it->first == begin;
  summary->launches = ~std::uint64_t{0};
  summary->exchanged = true;
  summary->width = 1;
  std::uintptr_t reached = begin;
  bool exact_end = false;
  for (; reached < end; ++it) {
    if (it == pieces_.end() || it->first > reached || it->second.end <= reached) return Certainty::unknown;
    reached = it->second.end;
    summary->launches = std::min(summary->launches, it->second.launches);
    summary->exchanged &= it->second.exchanged;
    summary->width = std::max(summary->width, it->second.width);
    exact_end = it->second.whole_end == end && it->second.end == end;
  }
  if (summary->launches == launches_.load(std::memory_order_relaxed)) return Certainty::real;
  const bool written = end - begin <= kSmallBytes && is_output(reinterpret_cast<const void*>(begin));
  const bool whole = exact_begin && exact_end && end - begin > scalar_bytes && !written;
  const bool elements = (end - begin) % summary->width == 0 && begin % summary->width == 0;
  return whole || (summary->exchanged && elements) ? Certainty::stored : Certainty::unknown;
}

void Contents::gather(void* target, std::uintptr_t begin, std::uintptr_t end) const {
  auto* out = static_cast<unsigned char*>(target);
  for (auto it = std::prev(pieces_.upper_bound(begin)); begin < end; ++it) {
    const Piece& p = it->second;
    const std::uintptr_t stop = std::min(end, p.end);
    if (!p.filled) {
      std::memmove(out, reinterpret_cast<const void*>(begin), stop - begin);
    } else if (p.width == 1) {
      std::memset(out, static_cast<int>(p.value), stop - begin);
    } else {
      const auto* bytes = reinterpret_cast<const unsigned char*>(&p.value);
      for (std::uintptr_t i = begin; i < stop; ++i) out[i - begin] = bytes[(i - p.origin) % p.width];
    }
    out += stop - begin;
    begin = stop;
  }
}

Certainty Contents::read(void* target, const void* source, std::size_t bytes, std::size_t scalar_bytes) const {
  std::lock_guard guard(lock_);
  const std::uintptr_t begin = number(source);
  Piece summary{};
  const Certainty certainty = rate(begin, begin + bytes, scalar_bytes, &summary);
  if (!target) return certainty;
  if (certainty == Certainty::unknown)
    std::memset(target, 0, bytes);
  else
    gather(target, begin, begin + bytes);
  return certainty;
}

Certainty Contents::read_grown(void* target, const void* source, std::size_t bytes) const {
  std::lock_guard guard(lock_);
  const std::uintptr_t begin = number(source);
  const auto first = pieces_.find(begin);
  if (first == pieces_.end()) return Certainty::unknown;
  const std::uintptr_t end = std::min(begin + bytes, first->second.whole_end);
  Piece summary{};
  if (rate(begin, end, 0, &summary) == Certainty::unknown) return Certainty::unknown;
  std::memset(target, 0, bytes);
  gather(target, begin, end);
  return Certainty::stored;
}

std::size_t Contents::kept_bytes() const {
  std::lock_guard guard(lock_);
  return kept_;
}

}  // namespace zerostall::simgpu
