// A text read from front to back, plain or compressed with gzip, in memory that does not depend on its size.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "profiler/base/result.h"
#include "profiler/base/units.h"

namespace zerostall {

// One thread at a time.
class TextSource {
 public:
  // A file, or anything else that can be read once: pipes too. Compressed texts are known by their first bytes.
  static Result<TextSource> open(const std::filesystem::path& path, Bytes most_expanded);
  // `bytes` must outlive the source.
  static TextSource of(std::span<const std::byte> bytes, std::string name, Bytes most_expanded);

  TextSource(TextSource&&) noexcept;
  TextSource& operator=(TextSource&&) noexcept;
  ~TextSource();

  // Fills `to` and returns its size; less only at the end of the text. Fails on read errors and where a compressed
  // text grows beyond the limit.
  Result<std::size_t> read(std::span<char> to);

  // The compressed text ended early or is damaged from some place on; what came before was delivered. "" = neither.
  const std::string& damage() const;
  std::uint64_t input_bytes() const;  // read from the file so far
  bool is_compressed() const;

 private:
  struct State;
  explicit TextSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace zerostall
