// JSON written as it comes, for documents too large to be built first. The caller keeps the order: keys in objects,
// values in arrays and after keys.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/base/units.h"
#include "reports/chunked_output.h"

namespace zerostall {

class JsonStream {
 public:
  explicit JsonStream(ChunkedOutput& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  // Ends the line behind the last value, and hands on what was written: for people and for `grep`.
  void end_line();
  JsonStream& key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool truth);
  void null();
  template <std::integral T>
  void value(T number) {
    if constexpr (std::is_signed_v<T>)
      signed_value(number);
    else
      unsigned_value(number);
  }
  // Unknown is null.
  template <class T>
  void value(const std::optional<T>& known) {
    known ? value(*known) : null();
  }
  // "" is null.
  void text_or_null(std::string_view text) { text.empty() ? null() : value(text); }
  void micros(Nanos ns);              // 1234567 -> 1234.567: exact
  void json(std::string_view value);  // written already

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void signed_value(std::int64_t number);
  void unsigned_value(std::uint64_t number);

  ChunkedOutput& out_;
  std::vector<bool> has_members_ = {false};  // by depth
  bool after_key_ = false;
  bool line_ended_ = false;
};

// Appends a text in quotes. Control characters are escaped; what is not UTF-8 becomes U+FFFD.
void append_json(std::string& to, std::string_view text);

}  // namespace zerostall
