#include "profiler/tracer/meta.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "profiler/tracer/cupti_api.h"
#include "profiler/tracer/settings.h"

namespace zerostall::tracer {
namespace {

constexpr std::size_t kMostArgvBytes = 4096;

std::string program_name() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  const std::string full(path, n > 0 ? static_cast<std::size_t>(n) : 0);
  return full.substr(full.find_last_of('/') + 1);
}

// The process's arguments, each ended by a zero byte; "" where /proc does not tell.
std::string raw_arguments() {
  std::string bytes(kMostArgvBytes, '\0');
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t n = ::read(file, bytes.data(), bytes.size());
  ::close(file);
  bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return bytes;
}

std::string argv_json() {
  const std::string bytes = raw_arguments();
  std::string json;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string_view argument(bytes.data() + at, strnlen(bytes.data() + at, bytes.size() - at));
    json += (json.empty() ? "" : ", ") + quoted(argument);
    at += argument.size() + 1;
  }
  return "[" + json + "]";
}

// , "key": 3 - or nothing where the variable is not set or no plain number.
std::string number_from_environment(const char* key, const char* variable) {
  const char* text = std::getenv(variable);
  std::int64_t value = 0;
  if (text == nullptr) return {};
  const char* end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end || value < 0) return {};
  return std::string(", \"") + key + "\": " + std::to_string(value);
}

// Bytes of the UTF-8 character at the front; 0 = it is none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = byte(0) < 0x80 ? 1 : byte(0) < 0xc2 ? 0 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  if (bytes == 0 || byte(0) > 0xf4 || bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool no_code = (byte(0) == 0xed && byte(1) >= 0xa0) || (byte(0) == 0xf4 && byte(1) >= 0x90);
  return overlong || no_code ? 0 : bytes;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const char c = text.front();
    if (bytes == 0) {
      out += '?';
    } else if (bytes == 1 && static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out + '"';
}

std::string meta_json(const char* simulated_model) {
  std::uint32_t version = 0;
  if (const CuptiApi* api = cupti_api()) api->get_version(&version);
  std::string json = "{\"tool\": \"zerostall\", \"version\": " + quoted(ZEROSTALL_VERSION) +
                     ", \"program\": " + quoted(program_name()) + ", \"cupti_version\": " + std::to_string(version) +
                     cupti_json() + ", \"gpu_records\": " + (settings().gpu ? "true" : "false");
  json += simulated_model ? ", \"clock\": \"modelled\", \"simulated_model\": " + quoted(simulated_model)
                          : std::string(", \"clock\": \"measured\"");
  if (const char* host_clock = std::getenv("ZEROSTALL_SIM_HOST_CLOCK"); simulated_model && host_clock && *host_clock)
    json += ", \"host_clock\": " + quoted(host_clock);
  json += ", \"pid\": " + std::to_string(getpid()) + ", \"argv\": " + argv_json();
  json += number_from_environment("rank", "RANK") + number_from_environment("local_rank", "LOCAL_RANK") +
          number_from_environment("world_size", "WORLD_SIZE");
  return json + "}";
}

}  // namespace zerostall::tracer
