// A timeline blob as its viewer reads it.
#pragma once
#include <libdeflate.h>

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace zerostall::testing {

struct SeenBlobSlice {
  std::int64_t begin = 0, end = 0;
  int kind = 0;
  std::string name, track;
  std::int64_t link = -1;  // position among all slices
  std::uint64_t value = 0;
};

inline std::string base64_decoded(const std::string& text) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    if (c == '=') break;
    const auto digit = digits.find(c);
    if (digit == std::string::npos) throw std::runtime_error("not base64");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    bytes.push_back(static_cast<char>(bits >> have));
  }
  return bytes;
}

inline std::string inflated(const std::string& bytes) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> d(libdeflate_alloc_decompressor(),
                                                                                       libdeflate_free_decompressor);
  for (std::string out(1 << 16, '\0');; out.resize(out.size() * 4)) {
    std::size_t size = 0;
    const auto result = libdeflate_zlib_decompress(d.get(), bytes.data(), bytes.size(), out.data(), out.size(), &size);
    if (result == LIBDEFLATE_SUCCESS) return out.substr(0, size);
    if (result != LIBDEFLATE_INSUFFICIENT_SPACE) throw std::runtime_error("not zlib");
  }
}

struct TimelineBlobView {
  nlohmann::json header;
  std::vector<SeenBlobSlice> slices;

  explicit TimelineBlobView(const std::string& base64) {
    const std::string bytes = inflated(base64_decoded(base64));
    std::size_t at = 0;
    for (std::size_t i = 0; i < 4; ++i) at |= std::size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    header = nlohmann::json::parse(bytes.substr(4, at));
    at += 4;
    std::vector<std::vector<std::uint64_t>> columns;
    for (const std::size_t size : header["bytes"]) {
      columns.push_back(numbers(bytes.substr(at, size)));
      at += size;
    }
    if (at != bytes.size()) throw std::runtime_error("bytes behind the columns");
    read(columns);
  }

  std::map<int, std::int64_t> by_kind() const {
    std::map<int, std::int64_t> counts;
    for (const SeenBlobSlice& slice : slices) ++counts[slice.kind];
    return counts;
  }
  std::vector<SeenBlobSlice> of(int kind) const {
    std::vector<SeenBlobSlice> found;
    for (const SeenBlobSlice& slice : slices)
      if (slice.kind == kind) found.push_back(slice);
    return found;
  }
  // Of steps, which stand as five numbers each.
  std::int64_t step(std::size_t i, std::size_t field) const { return header["steps"].at(i * 5 + field); }
  std::size_t steps() const { return header["steps"].size() / 5; }

 private:
  static std::vector<std::uint64_t> numbers(const std::string& bytes) {
    std::vector<std::uint64_t> all;
    std::uint64_t number = 0;
    int shift = 0;
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      number |= std::uint64_t{byte & 127u} << shift;
      shift += 7;
      if (byte & 128u) continue;
      all.push_back(number);
      number = 0;
      shift = 0;
    }
    return all;
  }

  void read(const std::vector<std::vector<std::uint64_t>>& columns) {
    std::size_t i = 0;
    for (const auto& track : header["tracks"])
      for (const std::size_t count : track["rows"]) {
        std::int64_t time = 0, link = 0;
        for (std::size_t n = 0; n < count; ++n, ++i) {
          SeenBlobSlice slice;
          slice.begin = time + static_cast<std::int64_t>(columns.at(0).at(i));
          slice.end = time = slice.begin + static_cast<std::int64_t>(columns.at(1).at(i));
          slice.kind = header["names"].at(2 * columns.at(2).at(i));
          slice.name = header["names"].at(2 * columns.at(2).at(i) + 1);
          slice.track = track["name"];
          if (const std::uint64_t code = columns.at(3).at(i); code > 0) {
            link += static_cast<std::int64_t>((code - 1) >> 1) ^ -static_cast<std::int64_t>((code - 1) & 1);
            slice.link = link;
          }
          slice.value = columns.at(4).at(i);
          slices.push_back(slice);
        }
      }
    for (const auto& column : columns)
      if (column.size() != i) throw std::runtime_error("columns of different length");
  }
};

}  // namespace zerostall::testing
