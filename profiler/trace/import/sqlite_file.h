// An SQLite database of unknown origin, opened so that it can do no more than fail: read-only, no views, triggers,
// virtual tables, extensions or functions of its schema, and limits on time, rows and sizes. One query at a time reads
// one table; what joins there are, the importer makes.
#pragma once
#include <sqlite3.h>

#include <cstdint>
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

// The rows of one query, one after the other. Texts are valid until the next row.
class SqliteRows {
 public:
  bool next() { return step_ == SQLITE_ROW ? advance() : false; }
  // Whether next() gave false because of a failure; SqliteFile::failure() says which.
  bool failed() const { return step_ != SQLITE_DONE; }
  std::int64_t count() const { return count_; }  // of rows so far

  Cell integer(int column, std::int64_t& value) {
    sqlite3_value* cell = sqlite3_column_value(statement_.get(), column);
    const int type = sqlite3_value_type(cell);
    if (type == SQLITE_INTEGER) [[likely]] {
      value = sqlite3_value_int64(cell);
      return Cell::integer;
    }
    return type == SQLITE_NULL ? Cell::null : Cell::other;
  }
  // Nullopt for what is no text.
  std::optional<std::string_view> text(int column);

 private:
  friend class SqliteFile;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  bool advance();

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::int64_t count_ = 0, most_ = 0;
  int step_ = SQLITE_ROW;
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

  // All rows, in the order of the file. A column that the table lacks ("" always does) reads as NULL.
  Result<SqliteRows> scan(const std::string& table, std::span<const std::string> columns);
  // The text of `column` in the row whose `key` (see Columns) has this value; nullopt where there is none. For many
  // calls in a row on one table.
  Result<std::optional<std::string>> text_at(const std::string& table, const std::string& key,
                                             const std::string& column, std::int64_t value);
  Result<std::int64_t> count_rows(const std::string& table);

  // What it is when it is no export of Nsight Systems: "a rocpd database (rocprofv3): not supported yet".
  std::string describe() const;

  // "FILE: table TABLE: what SQLite says".
  Error failure(std::string_view table) const;

 private:
  struct State;
  explicit SqliteFile(std::string name);
  Result<Done> prepare(std::uint64_t bytes);
  Result<Done> list_tables();
  Result<SqliteRows> query(const std::string& sql, std::string_view table);

  std::string name_;
  std::vector<std::string> tables_, others_;
  std::unique_ptr<State> state_;
};

// The same for the file of this name; the reason when it cannot be read. For error texts.
std::string describe_sqlite(const std::filesystem::path& path);

}  // namespace zerostall
