#include "profiler/tracer/meta.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "profiler/tracer/command.h"
#include "profiler/tracer/cupti_api.h"
#include "profiler/tracer/job.h"
#include "profiler/tracer/settings.h"

namespace zerostall::tracer {
namespace {

std::string number(const char* key, const std::optional<std::int64_t>& value) {
  return value ? std::string(", \"") + key + "\": " + std::to_string(*value) : "";
}

std::string text(const char* key, const std::string& value) {
  return value.empty() ? "" : std::string(", \"") + key + "\": " + quoted(value);
}

// Only where the user asked for it (`zerostall record --keep-host`).
std::string host_name() {
  const char* wanted = std::getenv("ZEROSTALL_TRACE_KEEP_HOST");
  char name[256] = {};
  if (wanted == nullptr || std::strcmp(wanted, "1") != 0 || gethostname(name, sizeof name - 1) != 0) return {};
  return name;
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
                     ", \"cupti_version\": " + std::to_string(version) + cupti_json() +
                     ", \"gpu_records\": " + (settings().gpu ? "true" : "false");
  json += simulated_model ? ", \"clock\": \"modelled\", \"simulated_model\": " + quoted(simulated_model)
                          : std::string(", \"clock\": \"measured\"");
  if (const char* host_clock = std::getenv("ZEROSTALL_SIM_HOST_CLOCK"); simulated_model && host_clock && *host_clock)
    json += ", \"host_clock\": " + quoted(host_clock);
  const Command command = own_command();
  const Job job = find_job([](const char* name) -> const char* { return std::getenv(name); });
  json += number("pid", getpid()) + text("program", command.program) + text("script", command.script) +
          number("arguments", command.arguments) + number("rank", job.rank) + number("local_rank", job.local_rank) +
          number("world_size", job.world_size) + number("host_number", job.host_number) + text("host", host_name());
  return json + "}";
}

}  // namespace zerostall::tracer
