// Where an export goes: collected in memory and handed on in large pieces, so that a million events take a million
// appends and few writes.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace zerostall {

class ChunkedOutput {
 public:
  // Takes a piece; false = it could not, and need not be asked again.
  using Write = std::function<bool(std::string_view)>;
  explicit ChunkedOutput(Write write) : write_(std::move(write)) {}

  // Append here, then call `pass_on`: between two calls it may be emptied, never in between.
  std::string& text() { return text_; }
  void pass_on() {
    if (text_.size() >= kChunkBytes) flush();
  }
  void flush() {
    if (!text_.empty() && !failed_) failed_ = !write_(text_);
    text_.clear();
  }
  bool failed() const { return failed_; }

 private:
  static constexpr std::size_t kChunkBytes = 1 << 18;
  Write write_;
  std::string text_;
  bool failed_ = false;
};

}  // namespace zerostall
