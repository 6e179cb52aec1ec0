#include "profiler/base/sim_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

namespace zerostall {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

// Of a file, in an error: short and of one line, whatever it holds. (Nested values are not written: they may be nested
// deeper than the stack is.)
std::string shown(const json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > 80) text = text.substr(0, 77) + "...";
  return text;
}

std::string quoted(const std::string& text) {
  std::string inside = json(text).dump(-1, ' ', true, json::error_handler_t::replace);
  inside = inside.substr(1, inside.size() - 2);
  return "'" + (inside.size() > 80 ? inside.substr(0, 77) + "..." : inside) + "'";
}

template <class T>
std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::uint16_t upper_half(float value) {  // bfloat16, rounded to nearest even
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if (std::isnan(value)) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

std::uint16_t half(double value) {  // IEEE binary16, rounded to nearest even
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  if (std::isnan(value)) return 0x7e00;
  if (size == 0) return sign;
  if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  int exponent = 0;
  std::frexp(size, &exponent);
  const int shift = std::max(exponent - 11, -24);  // of the last bit of the fraction
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, -shift)));
  const std::uint32_t magnitude = steps + (static_cast<std::uint32_t>(shift + 24) << 10);  // carries do the right thing
  return static_cast<std::uint16_t>(sign | magnitude);
}

template <class T>
std::string integer(const json& value, const std::string& type) {
  if (!value.is_number_integer()) fail(type + " needs a whole number, not " + shown(value));
  const auto wide = value.get<std::int64_t>();
  const auto narrow = static_cast<T>(wide);
  if (static_cast<std::int64_t>(narrow) != wide) fail(shown(value) + " does not fit " + type);
  return raw(narrow);
}

double number(const json& value, const std::string& type) {
  if (value == "nan") return std::nan("");
  if (value == "inf") return HUGE_VAL;
  if (value == "-inf") return -HUGE_VAL;
  if (!value.is_number()) fail(type + " needs a number (or \"nan\", \"inf\", \"-inf\"), not " + shown(value));
  return value.get<double>();
}

std::string encode_one(const json& value, const std::string& type) {
  if (type == "float32") return raw(static_cast<float>(number(value, type)));
  if (type == "float64") return raw(number(value, type));
  if (type == "bfloat16") return raw(upper_half(static_cast<float>(number(value, type))));
  if (type == "float16") return raw(half(number(value, type)));
  if (type == "bool") {
    if (!value.is_boolean()) fail("bool needs true or false, not " + shown(value));
    return std::string(1, value.get<bool>() ? '\1' : '\0');
  }
  if (type == "int8") return integer<std::int8_t>(value, type);
  if (type == "int16") return integer<std::int16_t>(value, type);
  if (type == "int32") return integer<std::int32_t>(value, type);
  if (type == "int64") return integer<std::int64_t>(value, type);
  if (type == "uint8") return integer<std::uint8_t>(value, type);
  fail("unknown type " + quoted(type) + " (float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 bool)");
}

// A number, or a list of them for a read of several elements.
std::string encode(const json& value, const std::string& type) {
  if (!value.is_array()) return encode_one(value, type);
  std::string bytes;
  for (const json& element : value) bytes += encode_one(element, type);
  if (bytes.empty()) fail("an empty list is no value");
  return bytes;
}

std::string from_hex(const std::string& text) {
  if (text.empty() || text.size() % 2) fail("'hex' needs pairs of hexadecimal digits");
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::string pair = text.substr(i, 2);
    if (pair.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      fail(quoted(pair) + " is not hexadecimal");
    bytes += static_cast<char>(std::stoi(pair, nullptr, 16));
  }
  return bytes;
}

std::string text_of(const json& entry, const char* key) {
  if (!entry.contains(key)) return "";
  if (!entry.at(key).is_string() || entry.at(key).get<std::string>().empty())
    fail(std::string("'") + key + "' needs a text");
  return entry.at(key).get<std::string>();
}

std::optional<std::uint64_t> count_of(const json& entry, const char* key) {
  if (!entry.contains(key)) return std::nullopt;
  if (!entry.at(key).is_number_unsigned() || entry.at(key).get<std::uint64_t>() == 0)
    fail(std::string("'") + key + "' needs a whole number above 0");
  return entry.at(key).get<std::uint64_t>();
}

void read_values(const json& entry, SuppliedRead& read) {
  const int given = entry.contains("value") + entry.contains("values") + entry.contains("hex");
  if (given != 1) fail("needs exactly one of 'value', 'values', 'hex'");
  if (entry.contains("hex")) {
    if (entry.contains("type")) fail("'hex' and 'type' exclude each other");
    read.values.push_back(from_hex(text_of(entry, "hex")));
  } else {
    const std::string type = text_of(entry, "type");
    if (type.empty()) fail("needs a 'type', such as \"float32\"");
    if (entry.contains("value")) {
      read.values.push_back(encode(entry.at("value"), type));
    } else {
      if (!entry.at("values").is_array() || entry.at("values").empty()) fail("'values' needs a list that is not empty");
      for (const json& value : entry.at("values")) read.values.push_back(encode(value, type));
    }
  }
  if (!read.bytes) return;
  for (const std::string& value : read.values)
    if (*read.bytes % value.size())
      fail("a value of " + std::to_string(value.size()) + " bytes does not fill a read of " +
           std::to_string(*read.bytes));
}

SuppliedRead read_entry(const json& entry) {
  static const std::set<std::string> known = {"bytes", "range",  "at",  "function", "library", "nth",    "always",
                                              "value", "values", "hex", "type",     "after",   "comment"};
  if (!entry.is_object()) fail("is not an object");
  for (const auto& [key, _] : entry.items())
    if (!known.contains(key)) fail("unknown key " + quoted(key));
  SuppliedRead read;
  read.bytes = count_of(entry, "bytes");
  read.range = text_of(entry, "range");
  read.at = text_of(entry, "at");
  read.function = text_of(entry, "function");
  read.library = text_of(entry, "library");
  read.nth = count_of(entry, "nth");
  if (entry.contains("always")) {
    if (!entry.at("always").is_boolean()) fail("'always' needs true or false");
    read.always = entry.at("always").get<bool>();
  }
  if (const std::string after = text_of(entry, "after"); after == "zero")
    read.after = AfterLast::zero;
  else if (after == "cycle")
    read.after = AfterLast::cycle;
  else if (!after.empty() && after != "repeat")
    fail("'after' is \"repeat\", \"zero\" or \"cycle\", not " + shown(after));
  read_values(entry, read);
  return read;
}

}  // namespace

std::optional<SuppliedValues> parse_sim_values(const std::string& text, const std::string& name, std::string* error) {
  std::string where;
  try {
    const json file = json::parse(text);
    if (!file.is_object() || !file.contains("reads") || !file.at("reads").is_array()) fail("needs {\"reads\": [...]}");
    for (const auto& [key, _] : file.items())
      if (key != "reads" && key != "comment") fail("unknown key " + quoted(key));
    SuppliedValues out;
    for (const json& entry : file.at("reads")) {
      where = "entry " + std::to_string(out.reads.size() + 1) + ": ";
      out.reads.push_back(read_entry(entry));
    }
    return out;
  } catch (const json::parse_error& e) {
    *error = name + ": not JSON (at byte " + std::to_string(e.byte) + ")";
  } catch (const std::exception& e) {
    *error = name + ": " + where + e.what();
  }
  return std::nullopt;
}

std::optional<SuppliedValues> load_sim_values(const std::string& path, std::string* error) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    *error = path + ": cannot be read";
    return std::nullopt;
  }
  return parse_sim_values(text.str(), path, error);
}

}  // namespace zerostall
