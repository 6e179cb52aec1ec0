// Values as bytes and back: numbers by 7 bits a byte, the rest by what it is made of. Structs by visit_fields. For
// messages between processes of one build: no promise is made from version to version.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace zerostall::fleet {

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  template <class T>
  void write(const T& value) {
    if constexpr (std::is_enum_v<T>)
      number(static_cast<std::uint64_t>(value));
    else if constexpr (std::is_unsigned_v<T>)
      number(value);
    else if constexpr (std::is_integral_v<T>)  // small ones of either sign are short
      number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(std::int64_t{value} >> 63));
    else
      visit_fields(value, [this](const auto&... fields) { (write(fields), ...); });
  }
  void write(const std::string& text) {
    number(text.size());
    out_ += text;
  }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <class T, std::size_t N>
  void write(const std::array<T, N>& values) {
    for (const T& value : values) write(value);
  }
  template <class T>
  void write(const std::vector<T>& values) {
    number(values.size());
    for (const T& value : values) write(value);
  }
  template <class K, class V>
  void write(const std::map<K, V>& values) {
    number(values.size());
    for (const auto& [key, value] : values) write(key), write(value);
  }

 private:
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }
  std::string& out_;
};

// Once a read failed all later ones do, and give empty values.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

  template <class T>
  void read(T& value) {
    if constexpr (std::is_enum_v<T> || std::is_unsigned_v<T>) {
      value = static_cast<T>(number());
    } else if constexpr (std::is_integral_v<T>) {
      const std::uint64_t n = number();
      value = static_cast<T>((n >> 1) ^ (~(n & 1) + 1));
    } else {
      visit_fields(value, [this](auto&... fields) { (read(fields), ...); });
    }
  }
  void read(std::string& text) {
    const std::uint64_t size = number();
    if (size > rest_.size()) return fail();
    text.assign(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool has = false;
    read(has);
    value.reset();
    if (has) read(value.emplace());
  }
  template <class T, std::size_t N>
  void read(std::array<T, N>& values) {
    for (T& value : values) read(value);
  }
  // One by one: a wrong size must not ask for all memory.
  template <class T>
  void read(std::vector<T>& values) {
    values.clear();
    for (std::uint64_t left = number(); ok_ && left > 0; --left) read(values.emplace_back());
  }
  template <class K, class V>
  void read(std::map<K, V>& values) {
    values.clear();
    for (std::uint64_t left = number(); ok_ && left > 0; --left) {
      std::pair<K, V> entry{};
      read(entry.first), read(entry.second);
      values.insert(values.end(), std::move(entry));
    }
  }

 private:
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; ok_ && shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace zerostall::fleet
