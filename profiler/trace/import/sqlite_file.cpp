#include "profiler/trace/import/sqlite_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "profiler/base/strings.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kWriteVersion = 18, kReadVersion = 19;  // places in the header; 2 = may have a write-ahead log
constexpr std::uint64_t kLogHeaderBytes = 32;
constexpr std::uint64_t kMostCopied = std::uint64_t{1} << 30;
constexpr std::size_t kMostTables = 10'000;
constexpr std::int64_t kUsualRowBytes = 32;  // of a row of times and numbers, at least
// Place in the page, length, row number, header, and one column without a body.
constexpr std::int64_t kMinRowBytes = 6;
// A scan reads hundreds of megabytes in a second of computing; whoever needs this long goes round in circles.
constexpr std::int64_t kPatienceNs = 5'000'000'000, kPatienceNsPerMiB = 1'000'000'000;
constexpr int kStepsBetweenLooks = 1 << 16;

std::int64_t computing_time_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::string sql_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

// A path as it stands in a URI.
std::string uri_of(const fs::path& path, std::string_view options) {
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/._-~").find(c) != std::string_view::npos;
    if (plain)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return fmt::format("{}?{}", uri, options);
}

std::uint64_t big_endian(std::string_view header, std::size_t place, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(header[place + i]);
  return value;
}

// What the first bytes tell without SQLite.
Result<Done> check_header(std::string_view header, std::uint64_t file_bytes, const std::string& name) {
  if (!header.starts_with(kMagic)) return Error{fmt::format("{}: not an SQLite database", name)};
  if (header.size() < kHeaderBytes)
    return Error{fmt::format("{}: cut off after {} bytes: export it again", name, file_bytes)};
  const std::uint64_t page = big_endian(header, 16, 2) == 1 ? 65536 : big_endian(header, 16, 2);
  const std::uint64_t pages = big_endian(header, 28, 4);
  const bool says_pages = big_endian(header, 24, 4) == big_endian(header, 92, 4);  // else its writer was an old one
  if (says_pages && page * pages > file_bytes)
    return Error{fmt::format("{}: cut off: {} bytes of {}: export it again", name, file_bytes, page * pages)};
  return Done{};
}

struct Beside {
  std::uint64_t log_bytes = 0;  // of the write-ahead log, without what only announces one
  bool journal = false;         // a transaction was begun and did not end
};

Beside look_beside(const fs::path& path) {
  Beside found;
  std::error_code error;
  const std::uint64_t log = fs::file_size(path.string() + "-wal", error);
  if (!error && log > kLogHeaderBytes) found.log_bytes = log;
  if (!fs::is_regular_file(path.string() + "-journal", error)) return found;
  char first[8] = {};
  std::ifstream journal(path.string() + "-journal", std::ios::binary);
  found.journal = journal.read(first, sizeof first) && std::memcmp(first, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8) == 0;
  return found;
}

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

std::string_view text_of(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  if (text == nullptr) return "";
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

constexpr const char* kRowFunction = "zerostall_row";

}  // namespace

struct SqliteFile::State {
  sqlite3* db = nullptr;
  Statement text_rows;  // text_at's, and of which table
  std::string text_table;
  std::vector<std::byte> copy;       // of bytes that had to be changed
  std::optional<TempFolder> folder;  // of a copy of the file
  std::int64_t most_rows = 0;        // that a file of this size can hold
  std::int64_t deadline_ns = 0;      // of this thread's computing time
  bool too_long = false;

  // Null: SQLite says why.
  Statement prepare(const std::string& sql) const {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(db, sql.c_str(), static_cast<int>(sql.size() + 1), &statement, nullptr);
    return Statement(statement);
  }

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    text_rows.reset();
    sqlite3_close(db);
  }
};

std::optional<std::string_view> SqliteRow::text(int column) const {
  sqlite3_value* cell = cells_[column];
  if (sqlite3_value_type(cell) != SQLITE_TEXT) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(cell));
  if (text == nullptr) return std::nullopt;
  return std::string_view(text, static_cast<std::size_t>(sqlite3_value_bytes(cell)));
}

SqliteFile::SqliteFile(std::string name) : name_(std::move(name)), state_(std::make_unique<State>()) {}
SqliteFile::SqliteFile(SqliteFile&&) noexcept = default;
SqliteFile::~SqliteFile() = default;

Result<SqliteFile> SqliteFile::open(const fs::path& path) {
  const std::string name = path.string();
  struct stat status {};
  std::ifstream file;
  if (::stat(path.c_str(), &status) != 0) return Error{fmt::format("cannot read {}: {}", name, std::strerror(errno))};
  if (!S_ISREG(status.st_mode)) return Error{fmt::format("cannot read {}: not a file", name)};
  file.open(path, std::ios::binary);
  if (!file) return Error{fmt::format("cannot read {}: {}", name, std::strerror(errno))};
  std::string header(kHeaderBytes, '\0');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  header.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (const auto checked = check_header(header, bytes, name); !checked) return checked.error();

  const Beside beside = look_beside(path);
  if (beside.journal)
    return Error{fmt::format("{}: its export was interrupted or still runs ({}-journal): export it again", name, name)};
  SqliteFile result(name);
  fs::path place = path;
  if (beside.log_bytes > 0) {
    if (bytes + beside.log_bytes > kMostCopied)
      return Error{
          fmt::format("{}: some of it is still in {}-wal: end the program that writes it, or run: "
                      "sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'",
                      name, name)};
    auto folder = TempFolder::make();
    if (!folder) return folder.error();
    place = folder->path() / "copy";
    std::error_code error;
    fs::copy_file(path, place, error);
    if (!error) fs::copy_file(name + "-wal", place.string() + "-wal", error);
    if (error) return Error{fmt::format("cannot copy {} to read it with its log: {}", name, error.message())};
    result.state_->folder.emplace(std::move(*folder));
  }
  const bool copied = result.state_->folder.has_value();
  const int flags = (copied ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                    SQLITE_OPEN_PRIVATECACHE;
  const std::string uri = uri_of(place, copied ? "mode=rw" : "mode=ro&immutable=1");
  if (sqlite3_open_v2(uri.c_str(), &result.state_->db, flags, nullptr) != SQLITE_OK) return result.failure("");
  if (const auto prepared = result.prepare(bytes + beside.log_bytes); !prepared) return prepared.error();
  return result;
}

Result<SqliteFile> SqliteFile::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const auto checked = check_header(text.substr(0, kHeaderBytes), bytes.size(), name); !checked)
    return checked.error();
  SqliteFile result(name);
  State& state = *result.state_;
  if (text[kWriteVersion] == 2 || text[kReadVersion] == 2) {  // bytes have no log, and SQLite would look for one
    state.copy.assign(bytes.begin(), bytes.end());
    state.copy[kWriteVersion] = state.copy[kReadVersion] = std::byte{1};
    bytes = state.copy;
  }
  if (sqlite3_open_v2(":memory:", &state.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK)
    return result.failure("");
  auto* data = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));  // READONLY: never written
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  if (sqlite3_deserialize(state.db, "main", data, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
    return result.failure("");
  if (const auto prepared = result.prepare(bytes.size()); !prepared) return prepared.error();
  return result;
}

Result<Done> SqliteFile::prepare(std::uint64_t bytes) {
  State& state = *state_;
  sqlite3* db = state.db;
  const std::pair<int, int> switches[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                          {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                          {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                          {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                          {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
                                          {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0}};
  for (const auto& [option, value] : switches) sqlite3_db_config(db, option, value, nullptr);
  // Those of the parser stay: views of other tools, which are never run, may stand in the schema.
  const std::pair<int, int> limits[] = {{SQLITE_LIMIT_LENGTH, 16 << 20},
                                        {SQLITE_LIMIT_ATTACHED, 0},
                                        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
                                        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                        {SQLITE_LIMIT_WORKER_THREADS, 0}};
  for (const auto& [limit, value] : limits) sqlite3_limit(db, limit, value);
  state.most_rows = static_cast<std::int64_t>(bytes) / kMinRowBytes;
  state.deadline_ns = computing_time_ns() + kPatienceNs + static_cast<std::int64_t>(bytes >> 20) * kPatienceNsPerMiB;
  const auto look = [](void* pointer) {
    auto* own = static_cast<State*>(pointer);
    own->too_long = own->too_long || computing_time_ns() > own->deadline_ns;
    return own->too_long ? 1 : 0;
  };
  sqlite3_progress_handler(db, kStepsBetweenLooks, look, &state);
  sqlite3_exec(db, "PRAGMA query_only=ON; PRAGMA cell_size_check=ON;", nullptr, nullptr, nullptr);
  return list_tables();
}

Result<Done> SqliteFile::list_tables() {
  Statement rows = state_->prepare(
      "SELECT name, type = 'table' AND rootpage > 0 FROM sqlite_master WHERE type IN ('table', 'view')");
  if (!rows) return failure("sqlite_master");
  int step = 0;
  while ((step = sqlite3_step(rows.get())) == SQLITE_ROW) {
    if (tables_.size() + others_.size() >= kMostTables)
      return Error{fmt::format("{}: damaged: more than {} tables", name_, kMostTables)};
    (sqlite3_column_int(rows.get(), 1) != 0 ? tables_ : others_).emplace_back(text_of(rows.get(), 0));
  }
  if (step != SQLITE_DONE) return failure("sqlite_master");
  std::sort(tables_.begin(), tables_.end());
  return Done{};
}

bool SqliteFile::is_copy() const { return state_->folder.has_value(); }

bool SqliteFile::has(std::string_view table) const { return std::binary_search(tables_.begin(), tables_.end(), table); }

bool SqliteFile::is_no_ordinary_table(std::string_view name) const {
  return std::find(others_.begin(), others_.end(), name) != others_.end();
}

bool SqliteFile::Columns::has(std::string_view name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<SqliteFile::Columns> SqliteFile::columns(const std::string& table) {
  Statement rows = state_->prepare(fmt::format("PRAGMA table_info({})", sql_name(table)));
  if (!rows) return failure(table);
  Columns columns;
  int step = 0, keys = 0;
  while ((step = sqlite3_step(rows.get())) == SQLITE_ROW) {
    columns.names.emplace_back(text_of(rows.get(), 1));
    if (sqlite3_column_int(rows.get(), 5) == 0) continue;
    ++keys;
    if (text_of(rows.get(), 2) == "INTEGER") columns.key = columns.names.back();
  }
  if (step != SQLITE_DONE) return failure(table);
  if (keys != 1) columns.key.clear();
  return columns;
}

void SqliteFile::stop(sqlite3_context* context, Scan& scan) {
  scan.stopped = true;
  sqlite3_result_error(context, "stopped", -1);
}

Result<std::int64_t> SqliteFile::run(const std::string& table, std::span<const std::string> columns, Step step,
                                     Scan& scan) {
  const auto known = this->columns(table);
  if (!known) return known.error();
  std::vector<std::string> terms;
  for (const std::string& column : columns) terms.push_back(known->has(column) ? sql_name(column) : "NULL");
  scan.most = state_->most_rows;
  const auto finish = [](sqlite3_context*) {};
  if (sqlite3_create_function_v2(state_->db, kRowFunction, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, &scan, nullptr, step,
                                 finish, nullptr) != SQLITE_OK)
    return failure(table);
  // The table itself, never an index that happens to hold the columns.
  const Statement statement = state_->prepare(
      fmt::format("SELECT {}({}) FROM {} NOT INDEXED", kRowFunction, join(terms, ", "), sql_name(table)));
  if (!statement) return failure(table);
  const int result = sqlite3_step(statement.get());
  if (scan.thrown) std::rethrow_exception(scan.thrown);
  if (scan.count > scan.most)
    return Error{fmt::format("{}: table {}: damaged: more rows than the file has room for", name_, table)};
  if (result != SQLITE_ROW && !scan.stopped) return failure(table);
  return scan.count;
}

Result<std::optional<std::string>> SqliteFile::text_at(const std::string& table, const std::string& key,
                                                       const std::string& column, std::int64_t value) {
  State& state = *state_;
  if (state.text_table != table) {
    state.text_rows =
        state.prepare(fmt::format("SELECT {} FROM {} WHERE {} = ?", sql_name(column), sql_name(table), sql_name(key)));
    if (!state.text_rows) return failure(table);
    state.text_table = table;
  }
  sqlite3_stmt* statement = state.text_rows.get();
  sqlite3_bind_int64(statement, 1, value);
  const int step = sqlite3_step(statement);
  std::optional<std::string> found;
  if (step == SQLITE_ROW && sqlite3_column_type(statement, 0) == SQLITE_TEXT) found = text_of(statement, 0);
  const bool failed = step != SQLITE_ROW && step != SQLITE_DONE;
  const Error error = failed ? failure(table) : Error{};
  sqlite3_reset(statement);
  if (failed) return error;
  return found;
}

Result<std::int64_t> SqliteFile::count_rows(const std::string& table) {
  return scan(table, {}, [](const SqliteRow&) { return true; });
}

std::int64_t SqliteFile::guess_rows(const std::string& table) {
  const Statement rows = state_->prepare(fmt::format("SELECT max(rowid) FROM {}", sql_name(table)));
  const bool found = rows && sqlite3_step(rows.get()) == SQLITE_ROW;
  const std::int64_t last = found ? sqlite3_column_int64(rows.get(), 0) : 0;
  return std::clamp<std::int64_t>(last, 0, state_->most_rows * kMinRowBytes / kUsualRowBytes);
}

std::string SqliteFile::describe() const {
  const auto of_rocpd = [](const std::string& table) { return table.starts_with("rocpd_"); };
  if (has("rocpd_api")) return "an RPD database (rocmProfileData): not supported yet";
  if (std::any_of(tables_.begin(), tables_.end(), of_rocpd) || std::any_of(others_.begin(), others_.end(), of_rocpd))
    return "a rocpd database (rocprofv3): not supported yet";
  if (tables_.empty()) return "an SQLite database without tables";
  return "an SQLite database, but no export of Nsight Systems";
}

Error SqliteFile::failure(std::string_view table) const {
  const std::string place = table.empty() ? name_ : fmt::format("{}: table {}", name_, table);
  if (state_->too_long) return Error{fmt::format("{}: damaged: reading it does not end", place)};
  const std::string_view says = state_->db == nullptr ? "out of memory" : sqlite3_errmsg(state_->db);
  return Error{fmt::format("{}: {}", place, last_lines(says, 1))};
}

}  // namespace zerostall
