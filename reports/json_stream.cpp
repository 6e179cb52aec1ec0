#include "reports/json_stream.h"

#include <fmt/format.h>

#include <iterator>

#include "profiler/base/printable.h"

namespace zerostall {
namespace {

bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

void append_ascii(std::string& to, char c) {
  switch (c) {
    case '"':
      to += "\\\"";
      return;
    case '\\':
      to += "\\\\";
      return;
    case '\n':
      to += "\\n";
      return;
    case '\t':
      to += "\\t";
      return;
    default:
      fmt::format_to(std::back_inserter(to), "\\u{:04x}", static_cast<unsigned>(c));
  }
}

}  // namespace

void append_json(std::string& to, std::string_view text) {
  to += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    to.append(text, 0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0)
      to += "\xef\xbf\xbd";
    else if (bytes == 1)
      append_ascii(to, text.front());
    else
      to.append(text, 0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  to += '"';
}

void JsonStream::separate() {
  if (!after_key_ && has_members_.back()) out_.text() += line_ended_ ? ",\n" : ", ";
  if (!after_key_ && !has_members_.back() && line_ended_) out_.text() += '\n';
  has_members_.back() = true;
  after_key_ = line_ended_ = false;
}

void JsonStream::open(char bracket) {
  separate();
  out_.text() += bracket;
  has_members_.push_back(false);
}

void JsonStream::close(char bracket) {
  has_members_.pop_back();
  if (line_ended_) out_.text() += '\n';
  line_ended_ = false;
  out_.text() += bracket;
}

void JsonStream::end_line() {
  line_ended_ = true;
  out_.pass_on();
}

JsonStream& JsonStream::key(std::string_view name) {
  separate();
  append_json(out_.text(), name);
  out_.text() += ": ";
  after_key_ = true;
  return *this;
}

void JsonStream::value(std::string_view text) {
  separate();
  append_json(out_.text(), text);
}

void JsonStream::value(bool truth) { json(truth ? "true" : "false"); }

void JsonStream::null() { json("null"); }

void JsonStream::json(std::string_view value) {
  separate();
  out_.text() += value;
}

void JsonStream::signed_value(std::int64_t number) {
  const fmt::format_int digits(number);
  json({digits.data(), digits.size()});
}

void JsonStream::unsigned_value(std::uint64_t number) {
  const fmt::format_int digits(number);
  json({digits.data(), digits.size()});
}

void JsonStream::micros(Nanos ns) {
  separate();
  const std::uint64_t size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  fmt::format_to(std::back_inserter(out_.text()), "{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}

}  // namespace zerostall
