// A row of a table for other programs (RFC 4180).
#pragma once
#include <fmt/format.h>

#include <concepts>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/base/printable.h"

namespace zerostall {

// Appends to `out`, cell by cell; an empty cell is unknown.
class CsvRow {
 public:
  explicit CsvRow(std::string& out) : out_(out) {}

  CsvRow& text(std::string_view value) {
    separate();
    const std::string shown = printable(value);
    if (shown.find_first_of(",\"") == std::string::npos) {
      out_ += shown;
      return *this;
    }
    out_ += '"';
    for (const char c : shown) out_.append(c == '"' ? 2 : 1, c);
    out_ += '"';
    return *this;
  }
  template <std::integral T>
  CsvRow& number(T value) {
    separate();
    fmt::format_to(std::back_inserter(out_), "{}", value);
    return *this;
  }
  template <class T>
  CsvRow& number(const std::optional<T>& value) {
    return value ? number(*value) : empty();
  }
  CsvRow& truth(const std::optional<bool>& value) { return value ? text(*value ? "true" : "false") : empty(); }
  CsvRow& empty() {
    separate();
    return *this;
  }
  void end() { out_ += "\r\n"; }

 private:
  void separate() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
  }
  std::string& out_;
  bool is_first_ = true;
};

}  // namespace zerostall
