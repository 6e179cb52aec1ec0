// What the profiler had to say of its own work, as far as it is about CUDA or NVTX.
#include <algorithm>
#include <charconv>
#include <set>

#include "profiler/base/strings.h"
#include "profiler/trace/import/nsys_import.h"

namespace zerostall {
namespace {

constexpr std::int64_t kMostNotes = 1000;
constexpr std::int64_t kSeverityWarning = 2, kSeverityError = 3;  // for files without the table that explains them

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_about_cuda(std::string_view text) { return has(text, "CUDA") || has(text, "CUPTI") || has(text, "NVTX"); }

// "No CUDA events collected" and the like are of processes that did not use CUDA; here the process did.
bool is_noise(std::string_view text) { return has(text, " events collected"); }

bool says_lost(std::string_view text) {
  return has(text, "dropped") || has(text, "were lost") || has(text, "been lost") || has(text, "have been discarded");
}

// The largest number in a text; 1 without one: how many is not known, but some.
std::uint64_t count_in(std::string_view text) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') continue;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
    if (error == std::errc{}) largest = std::max(largest, value);
    i = static_cast<std::size_t>(end - text.data());
  }
  return std::max<std::uint64_t>(largest, 1);
}

std::string first_line(std::string_view text) { return last_lines(text.substr(0, text.find('\n')), 1); }

}  // namespace

Result<Done> read_nsys_diagnostics(NsysImport& import) {
  const auto table = import.table("DIAGNOSTIC_EVENT");
  if (!table) return table.error();
  if (!*table) return Done{};
  const auto labels = read_labels(import, "ENUM_DIAGNOSTIC_SEVERITY_LEVEL");
  if (!labels) return labels.error();
  const auto is_bad = [&](std::int64_t severity) {
    if (!*labels) return severity == kSeverityWarning || severity == kSeverityError;
    const auto row = (*labels)->find(severity);
    return row != (*labels)->end() && (row->second.label == "Warning" || row->second.label == "Error");
  };
  std::set<std::pair<const NsysProcess*, std::string>> seen;
  const auto add = [&](const SqliteRow& row) {
    std::int64_t severity = 0, time = 0, global = 0;
    const auto text = row.text(1);
    if (row.integer(0, severity) != Cell::integer || !text || !is_bad(severity)) return true;
    if (!is_about_cuda(*text) || is_noise(*text) || static_cast<std::int64_t>(seen.size()) >= kMostNotes) return true;
    const Cell cell = row.integer(3, global);
    const bool of_all = cell != Cell::integer || (process_of(global) & 0xffffff) == 0;
    if (row.integer(2, time) != Cell::integer || !is_possible_time(time)) time = 0;
    const std::string line = first_line(*text);
    const std::uint64_t lost = says_lost(*text) ? count_in(*text) : 0;
    for (NsysProcess& process : import.processes) {
      if (!of_all && import.find(cell, global) != &process) continue;
      if (!seen.emplace(&process, line).second) continue;
      RawNote note{time, lost, 0, import.intern(process, line)};
      note.kind = lost > 0 ? NoteKind::lost_records : NoteKind::warning;
      process.trace.notes.push_back(note);
    }
    return true;
  };
  const auto rows = import.scan(**table, {"severity", "text", "timestamp", "globalPid"}, 2, add);
  if (!rows) return rows.error();
  import.contents[**table] = *rows;
  return Done{};
}

}  // namespace zerostall
