#include "profiler/trace/import/nsys_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace zerostall {
namespace {

constexpr const char* kTexts = "StringIds";
constexpr std::int64_t kMostNames = 1 << 20;  // numbers of StringIds that get a place in a table
constexpr std::size_t kMostLabels = 4096;     // of an enumeration
constexpr const char* kLostName = "(name lost)";

// "NAME_V3" -> 3; the name itself -> 1; else 0.
int version_of(std::string_view table, std::string_view name) {
  if (!table.starts_with(name)) return 0;
  table.remove_prefix(name.size());
  if (table.empty()) return 1;
  if (!table.starts_with("_V") && !table.starts_with("_v")) return 0;
  table.remove_prefix(2);
  int version = 0;
  const auto [end, error] = std::from_chars(table.data(), table.data() + table.size(), version);
  return error == std::errc{} && end == table.data() + table.size() && version > 0 ? version : 0;
}

// Bytes of the character that a text begins with; 0 = not UTF-8. Overlong forms, surrogates and codes past the end are
// none.
std::size_t character_bytes(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  const unsigned second = at(1);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return wrong ? 0 : bytes;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

Result<NsysTexts> NsysTexts::open(SqliteFile& db) {
  NsysTexts texts(db);
  if (!db.has(kTexts)) return texts;  // who asks for a name finds none
  const auto columns = db.columns(kTexts);
  if (!columns) return columns.error();
  if (!columns->has("id") || !columns->has("value"))
    return Error{fmt::format("{}: table {} has no columns id and value", db.name(), kTexts)};
  if (columns->key == "id") {
    texts.key_ = "id";
    return texts;
  }
  const auto read = db.scan(kTexts, std::vector<std::string>{"id", "value"}, [&](const SqliteRow& row) {
    std::int64_t id = 0;
    const auto text = row.text(1);
    if (row.integer(0, id) == Cell::integer && text) texts.all_.try_emplace(id, *text);
    return true;
  });
  if (!read) return read.error();
  return texts;
}

std::optional<std::string> NsysTexts::find(std::int64_t id) {
  if (!key_.empty()) {
    auto text = db_->text_at(kTexts, key_, "value", id);
    if (text) return std::move(*text);
    if (!failure) failure = text.error();
    return std::nullopt;
  }
  const auto found = all_.find(id);
  return found == all_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<StringId> NsysCorrelations::find(std::uint32_t correlation) const {
  const std::uint32_t place = correlation - first_;
  if (place < near_.size() && near_[place] != 0) return near_[place] - 1;
  const auto found = far_.find(correlation);
  return found == far_.end() ? std::nullopt : std::optional(found->second);
}

NsysProcess* NsysImport::find(Cell cell, std::int64_t global) {
  if (processes.empty()) return nullptr;
  NsysProcess* first = &processes.front();
  if (!has_calls) return first;
  const bool told = cell == Cell::integer && global != 0;  // older exports write 0 for NULL
  const std::int64_t id = told ? process_of(global) : 0;
  if (first->id == id) return first;
  if (const auto found = by_id.find(id); found != by_id.end()) return found->second;
  return !told && processes.size() == 1 ? first : nullptr;
}

NsysProcess* NsysImport::make(std::int64_t id) {
  NsysProcess*& process = by_id[id];
  if (process == nullptr && processes.size() < kMostProcesses) {
    processes.emplace_back().id = id;
    process = &processes.back();
  }
  return process;
}

StringId NsysImport::intern(NsysProcess& process, std::string_view text) {
  const std::size_t known = process.trace.strings.size();
  const StringId id = process.trace.strings.intern(text);
  if (process.trace.strings.size() > known && !is_utf8(text)) ++process.trace.oddities["text_not_utf8"];
  return id;
}

StringId NsysImport::new_name(NsysProcess& process, std::int64_t id) {
  const bool is_far = id < 0 || id >= kMostNames;
  if (is_far)
    if (const auto known = process.far_names.find(id); known != process.far_names.end()) return known->second;
  const auto text = texts.find(id);
  if (!text) ++process.trace.oddities["missing_strings"];
  const StringId name = intern(process, text ? std::string_view(*text) : kLostName);
  if (is_far) return process.far_names[id] = name;
  const auto place = static_cast<std::size_t>(id);
  if (place >= process.names.size()) process.names.resize(std::max(place + 1, process.names.size() * 2), 0);
  process.names[place] = name + 1;
  return name;
}

Result<std::optional<std::string>> NsysImport::table(const std::string& name) {
  std::map<int, std::string> versions;
  for (const std::string& candidate : db.tables())
    if (const int version = version_of(candidate, name); version > 0) versions[version] = candidate;
  if (versions.empty()) {
    if (db.is_no_ordinary_table(name))
      return Error{
          fmt::format("{}: table {} is a view or virtual table: not an export of Nsight Systems", db.name(), name)};
    return std::optional<std::string>();
  }
  std::string chosen = versions.rbegin()->second;
  if (versions.size() == 1) return std::optional(chosen);
  bool found = false;
  for (auto candidate = versions.rbegin(); candidate != versions.rend(); ++candidate) {
    const auto count = db.count_rows(candidate->second);
    if (!count) return count.error();
    contents[candidate->second] = *count;
    if (*count == 0) continue;
    if (!found) chosen = candidate->second;
    if (found) odd("rows_of_older_tables", *count);
    found = true;
  }
  return std::optional(chosen);
}

Result<std::optional<std::map<std::int64_t, NsysLabel>>> read_labels(NsysImport& import, const std::string& table) {
  using Labels = std::map<std::int64_t, NsysLabel>;
  if (!import.db.has(table)) return std::optional<Labels>();
  Labels labels;
  const auto add = [&](const SqliteRow& row) {
    std::int64_t id = 0;
    if (row.integer(0, id) == Cell::integer)
      labels[id] = {std::string(row.text(1).value_or("")), std::string(row.text(2).value_or(""))};
    return labels.size() <= kMostLabels;
  };
  const auto read = import.db.scan(table, std::vector<std::string>{"id", "name", "label"}, add);
  if (!read) return read.error();
  if (labels.size() > kMostLabels)
    return Error{fmt::format("{}: table {}: damaged: more than {} rows", import.db.name(), table, kMostLabels)};
  return std::optional(std::move(labels));
}

}  // namespace zerostall
