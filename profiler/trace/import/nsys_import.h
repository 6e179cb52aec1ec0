// What the parts of the Nsight Systems importer share: one reading, and what it knows so far.
#pragma once
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/trace/import/sqlite_file.h"
#include "profiler/trace/raw_trace.h"

namespace zerostall {

// StringIds: texts by number. Only those that are asked for are read.
class NsysTexts {
 public:
  static Result<NsysTexts> open(SqliteFile& db);
  // Nullopt: there is none. A failure to read is kept in `failure`.
  std::optional<std::string> find(std::int64_t id);
  std::optional<Error> failure;

 private:
  explicit NsysTexts(SqliteFile& db) : db_(&db) {}
  SqliteFile* db_;
  std::string key_;                                    // "": a table without a key, read once
  std::unordered_map<std::int64_t, std::string> all_;  // then
};

// The calls of a process by correlation: which name, and which correlations come twice. Correlations mostly count up
// from the first: those near it have a place in a table, whatever else a file says is looked up.
class NsysCorrelations {
 public:
  // False: there was a call of this correlation.
  bool add(std::uint32_t correlation, StringId name) {
    ++calls_;
    if (near_.empty()) first_ = correlation;
    const std::uint32_t place = correlation - first_;
    if (place >= near_.size() && !grow(place)) return far_.try_emplace(correlation, name).second;
    const bool is_new = near_[place] == 0 && (far_.empty() || !far_.contains(correlation));
    if (is_new) near_[place] = name + 1;
    return is_new;
  }
  std::optional<StringId> find(std::uint32_t correlation) const;

 private:
  static constexpr std::size_t kLeast = 1 << 16, kPerCall = 16;  // places: of the smallest table, for each call so far
  bool grow(std::size_t place) {
    if (place >= kLeast + kPerCall * calls_) return false;
    near_.resize(std::max(place + 1, near_.size() * 2));
    return true;
  }
  std::uint32_t first_ = 0;
  std::size_t calls_ = 0;
  std::vector<StringId> near_;  // by correlation - first: name + 1; 0 = none
  std::unordered_map<std::uint32_t, StringId> far_;
};

struct NsysThread {
  std::uint32_t id = 0;
  std::vector<RawCall> calls;
};

struct NsysProcess {
  std::int64_t id = 0;               // globalPid >> 24: unique in the file, unlike correlations
  RawTrace trace;                    // its calls stand in `threads` until all are read
  std::deque<NsysThread> threads{};  // by first call
  std::unordered_map<std::uint32_t, NsysThread*> thread_by_id{};
  NsysCorrelations calls;
  std::vector<StringId> names;                           // by small number of StringIds: id in trace.strings + 1
  std::vector<signed char> calls_matter;                 // by id in trace.strings; -1 = not asked yet
  std::unordered_map<std::int64_t, StringId> far_names;  // the others
};

inline constexpr std::size_t kMostProcesses = 4096;

struct NsysImport {
  SqliteFile& db;
  NsysTexts texts;
  std::deque<NsysProcess> processes{};
  std::unordered_map<std::int64_t, NsysProcess*> by_id{};
  bool has_calls = false;                                      // without any, one process stands for all
  std::map<std::string, std::int64_t> contents{}, oddities{};  // of the file
  std::int64_t lost_calls = 0, lost_gpu_ops = 0, lost_marks = 0;

  // Process of a globalPid or globalTid; nullptr: none with calls. Where there is one process alone it is that for rows
  // that do not tell theirs; without any calls it is that for all.
  NsysProcess* find(Cell cell, std::int64_t global);
  // The process of this id, made where there is none yet; nullptr: there are too many.
  NsysProcess* make(std::int64_t id);
  // The id in the process's strings for a number of StringIds.
  StringId name(NsysProcess& process, std::int64_t id) {
    if (static_cast<std::uint64_t>(id) < process.names.size() && process.names[static_cast<std::size_t>(id)] != 0)
      return process.names[static_cast<std::size_t>(id)] - 1;
    return new_name(process, id);
  }
  // Counts a text that is not UTF-8 when it comes for the first time.
  StringId intern(NsysProcess& process, std::string_view text);

  // The table of this name, or of the newest version of it ("NAME_V3") that holds rows; nullopt: none. Notes how many
  // rows each holds that the caller does not read itself.
  Result<std::optional<std::string>> table(const std::string& name);
  // SqliteFile::scan; fails where one of the first `required` columns is missing.
  template <class Each>
  Result<std::int64_t> scan(const std::string& table, std::vector<std::string> columns, std::size_t required,
                            const Each& each) {
    const auto known = db.columns(table);
    if (!known) return known.error();
    for (std::size_t i = 0; i < required; ++i)
      if (!known->has(columns[i])) return Error{db.name() + ": table " + table + " has no column " + columns[i]};
    return db.scan(table, columns, each);
  }
  void odd(const char* name, std::int64_t count = 1) {
    if (count > 0) oddities[name] += count;
  }

 private:
  StringId new_name(NsysProcess& process, std::int64_t id);
};

// A row of an enumeration table.
struct NsysLabel {
  std::string name, label;
};
// By number; nullopt where the file has no such table.
Result<std::optional<std::map<std::int64_t, NsysLabel>>> read_labels(NsysImport& import, const std::string& table);

// Times further from 0 cannot be subtracted from each other; none is real (2116, if counted from 1970).
inline constexpr Nanos kFarthestNs = Nanos{1} << 62;
constexpr bool is_possible_time(std::int64_t time) { return time > -kFarthestNs && time < kFarthestNs; }

// The low parts of a globalTid.
constexpr std::int64_t process_of(std::int64_t global) { return global >> 24; }
constexpr std::uint32_t thread_of(std::int64_t global) { return static_cast<std::uint32_t>(global & 0xffffff); }

// A number of 32 bits without sign; NULL is 0, and so is what is none, which is counted.
inline std::uint32_t read_u32(const SqliteRow& row, int column, std::int64_t& unreadable) {
  std::int64_t value = 0;
  const Cell cell = row.integer(column, value);
  if (cell == Cell::integer && static_cast<std::uint64_t>(value) <= 0xffffffffu)
    return static_cast<std::uint32_t>(value);
  if (cell != Cell::null) ++unreadable;
  return 0;
}

bool is_utf8(std::string_view text);

// GPU work of all processes, in an import of its own: for a thread of its own. False: the file has no table of any.
Result<bool> read_nsys_gpu_ops(NsysImport& gpu);
// Then gives it to the processes whose calls were read.
void take_gpu_ops(NsysImport& import, NsysImport& gpu);

// The parts, in this order.
Result<Done> read_nsys_calls(NsysImport& import);
Result<Done> read_nsys_syncs(NsysImport& import);
Result<Done> read_nsys_marks(NsysImport& import);
Result<Done> read_nsys_overheads(NsysImport& import);
Result<Done> read_nsys_diagnostics(NsysImport& import);
Result<Done> read_nsys_meta(NsysImport& import);

}  // namespace zerostall
