// An SQLite database of unknown origin, opened so that it can do no more than fail: read-only, no views, triggers,
// virtual tables, extensions or functions of its schema, and limits on time, rows and sizes. One query at a time reads
// one table; what joins there are, the importer makes.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/files.h"
#include "profiler/base/result.h"

namespace zerostall {

// What stands in a column of a row.
enum class Cell : std::uint8_t { integer, null, other };

// A row of a scan. Valid, like its texts, while it is looked at.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_value** cells) : cells_(cells) {}

  Cell integer(int column, std::int64_t& value) const {
    sqlite3_value* cell = cells_[column];
    const int type = sqlite3_value_type(cell);
    if (type == SQLITE_INTEGER) [[likely]] {
      value = sqlite3_value_int64(cell);
      return Cell::integer;
    }
    return type == SQLITE_NULL ? Cell::null : Cell::other;
  }
  // Nullopt for what is no text.
  std::optional<std::string_view> text(int column) const;

 private:
  sqlite3_value** cells_;
};

class SqliteFile {
 public:
  // Fails with one line that names the file. What a write-ahead log beside the file holds is read, too: from a copy of
  // both, since nothing is ever written beside the file itself.
  static Result<SqliteFile> open(const std::filesystem::path& path);
  // The bytes must outlive the object.
  static Result<SqliteFile> from_bytes(std::span<const std::byte> bytes, const std::string& name);

  SqliteFile(SqliteFile&&) noexcept;
  SqliteFile& operator=(SqliteFile&&) = delete;
  ~SqliteFile();

  const std::string& name() const { return name_; }
  bool is_copy() const;  // made because of a write-ahead log
  // Names of ordinary tables, sorted. Views and virtual tables are none.
  const std::vector<std::string>& tables() const { return tables_; }
  bool has(std::string_view table) const;
  bool is_no_ordinary_table(std::string_view name) const;  // a view or a virtual table is called so

  // Names of a table's columns; `key` = the one that is the row's number, or "".
  struct Columns {
    std::vector<std::string> names;
    std::string key;
    bool has(std::string_view name) const;
  };
  Result<Columns> columns(const std::string& table);

  // Calls each(row) for all rows, in the order of the file, until it says false. A column that the table lacks reads as
  // NULL. Returns how many rows it saw. (SQLite hands the rows to an aggregate function: much cheaper than a
  // statement's steps and columns.)
  template <class Each>
  Result<std::int64_t> scan(const std::string& table, std::span<const std::string> columns, const Each& each) {
    struct Own : Scan {
      const Each* each;
    } own{{}, &each};
    const auto step = [](sqlite3_context* context, int, sqlite3_value** cells) {
      auto& scan = *static_cast<Own*>(sqlite3_user_data(context));
      if (++scan.count > scan.most) return stop(context, scan);
      try {
        if (!(*scan.each)(SqliteRow(cells))) stop(context, scan);
      } catch (...) {  // no exception may pass through C
        scan.thrown = std::current_exception();
        stop(context, scan);
      }
    };
    return run(table, columns, step, own);
  }
  // The text of `column` in the row whose `key` (see Columns) has this value; nullopt where there is none. For many
  // calls in a row on one table.
  Result<std::optional<std::string>> text_at(const std::string& table, const std::string& key,
                                             const std::string& column, std::int64_t value);
  Result<std::int64_t> count_rows(const std::string& table);
  // About how many rows of times and numbers there are, told without counting; 0 = not known.
  std::int64_t guess_rows(const std::string& table);

  // What it is when it is no export of Nsight Systems: "a rocpd database (rocprofv3): not supported yet".
  std::string describe() const;

  // "FILE: table TABLE: what SQLite says".
  Error failure(std::string_view table) const;

 private:
  struct State;
  struct Scan {
    std::int64_t count = 0, most = 0;
    bool stopped = false;  // by us
    std::exception_ptr thrown{};
  };
  using Step = void (*)(sqlite3_context*, int, sqlite3_value**);
  explicit SqliteFile(std::string name);
  static void stop(sqlite3_context* context, Scan& scan);
  Result<std::int64_t> run(const std::string& table, std::span<const std::string> columns, Step step, Scan& scan);
  Result<Done> prepare(std::uint64_t bytes);
  Result<Done> list_tables();

  std::string name_;
  std::vector<std::string> tables_, others_;
  std::unique_ptr<State> state_;
};

}  // namespace zerostall
