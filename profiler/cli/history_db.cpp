#include "profiler/cli/history_db.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <map>

#include "profiler/base/strings.h"

namespace zerostall::cli {
namespace {

constexpr std::int64_t kApplication = 0x7a73686d;  // "zshm": tells the file from other programs'
constexpr std::int64_t kVersion = 1;
constexpr int kPatienceMs = 20'000;  // for other writers

constexpr const char* kTables = R"(
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    device TEXT NOT NULL, program TEXT NOT NULL, ranks INTEGER NOT NULL, branch TEXT NOT NULL,
    commit_id TEXT NOT NULL, parents TEXT NOT NULL, committed_at INTEGER, steps INTEGER NOT NULL,
    UNIQUE (device, program, ranks, branch, commit_id));
  CREATE TABLE counts (
    run INTEGER NOT NULL REFERENCES runs(id), metric TEXT NOT NULL,
    min INTEGER NOT NULL, max INTEGER NOT NULL, sum INTEGER NOT NULL,
    PRIMARY KEY (run, metric)) WITHOUT ROWID;
  PRAGMA application_id = 2054383725;
  PRAGMA user_version = 1;
)";
static_assert(kApplication == 2054383725 && kVersion == 1);

// A statement, finished with its owner.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql) { sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr); }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  explicit operator bool() const { return statement_ != nullptr; }
  Statement& bind(int at, const std::string& text) {
    sqlite3_bind_text(statement_, at, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind(int at, std::int64_t number) {
    sqlite3_bind_int64(statement_, at, number);
    return *this;
  }
  Statement& bind(int at, const std::optional<std::int64_t>& number) {
    if (number) return bind(at, *number);
    sqlite3_bind_null(statement_, at);
    return *this;
  }
  int step() { return statement_ != nullptr ? sqlite3_step(statement_) : SQLITE_ERROR; }
  void again() { sqlite3_reset(statement_); }
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  std::optional<std::int64_t> number_or_null(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
    return number(column);
  }
  std::string text(int column) const {
    const unsigned char* text = sqlite3_column_text(statement_, column);
    return text == nullptr ? "" : reinterpret_cast<const char*>(text);
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

Statement& bind_configuration(Statement& statement, const HistoryConfiguration& configuration) {
  return statement.bind(1, configuration.device)
      .bind(2, configuration.program)
      .bind(3, configuration.ranks)
      .bind(4, configuration.branch);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// Of what both give up together; goes back unless it was done.
class Transaction {
 public:
  explicit Transaction(sqlite3* database) : database_(database) {
    begun_ = sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  ~Transaction() {
    if (begun_) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  bool begun() const { return begun_; }
  bool commit() {
    if (!begun_ || sqlite3_exec(database_, "COMMIT", nullptr, nullptr, nullptr) != SQLITE_OK) return false;
    begun_ = false;
    return true;
  }

 private:
  sqlite3* database_;
  bool begun_ = false;
};

}  // namespace

void HistoryDatabase::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Error HistoryDatabase::failure(const std::string& doing) const {
  const int code = sqlite3_errcode(database_.get());
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
    return Error{fmt::format("{}: damaged, or no SQLite database; restore it, or name another with --db", path_)};
  if (code == SQLITE_BUSY)
    return Error{fmt::format("{}: others have been writing to it for {} s; try again", path_, kPatienceMs / 1000)};
  return Error{fmt::format("{}: {}: {}", path_, doing, sqlite3_errmsg(database_.get()))};
}

Result<HistoryDatabase> HistoryDatabase::open(const std::string& path, int flags) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  HistoryDatabase database(path, raw);
  if (code != SQLITE_OK) {
    if (raw == nullptr) return Error{path + ": out of memory"};
    return database.failure("cannot be opened");
  }
  sqlite3_busy_timeout(raw, kPatienceMs);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  if (const auto ready = database.prepare((flags & SQLITE_OPEN_READWRITE) != 0); !ready) return ready.error();
  return database;
}

Result<HistoryDatabase> HistoryDatabase::open_to_add(const std::string& path) {
  return open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
}

Result<HistoryDatabase> HistoryDatabase::open_to_read(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return Error{fmt::format("{}: there is no history yet; add runs with `zerostall history add run.zstall`", path)};
  return open(path, SQLITE_OPEN_READONLY);
}

Result<std::int64_t> HistoryDatabase::pragma(const char* name) {
  Statement statement(database_.get(), fmt::format("PRAGMA {}", name).c_str());
  if (statement.step() != SQLITE_ROW) return failure("cannot be read");
  return statement.number(0);
}

Result<Done> HistoryDatabase::execute(const char* sql) {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return failure("cannot be written");
  return Done{};
}

Result<Done> HistoryDatabase::prepare(bool to_add) {
  std::optional<Transaction> transaction;  // two that make it at once
  if (to_add) {
    transaction.emplace(database_.get());
    if (!transaction->begun()) return failure("cannot be written");
  }
  const auto application = pragma("application_id"), version = pragma("user_version"), pages = pragma("page_count");
  for (const auto* value : {&application, &version, &pages})
    if (!*value) return value->error();
  if (*pages == 0 && to_add) {
    if (const auto made = execute(kTables); !made) return made;
    if (!transaction->commit()) return failure("cannot be written");
    return Done{};
  }
  if (*application != kApplication)
    return Error{fmt::format("{}: no history of zerostall; name another file with --db", path_)};
  if (*version != kVersion)
    return Error{fmt::format("{}: a history of version {}, this zerostall knows {}: use a newer zerostall", path_,
                             *version, kVersion)};
  return Done{};
}

Result<Done> HistoryDatabase::add(const HistoryConfiguration& configuration, const HistoryCommit& commit) {
  Transaction transaction(database_.get());
  if (!transaction.begun()) return failure("cannot be written");
  // Its place among the others stays: the row is kept, and filled anew.
  Statement run(database_.get(),
                "INSERT INTO runs (device, program, ranks, branch, commit_id, parents, committed_at, steps) VALUES "
                "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (device, program, ranks, branch, commit_id) DO UPDATE "
                "SET parents = ?6, committed_at = ?7, steps = ?8 RETURNING id");
  if (!run) return failure("cannot be written");
  bind_configuration(run, configuration)
      .bind(5, commit.commit)
      .bind(6, join(commit.parents, " "))
      .bind(7, commit.committed_at)
      .bind(8, commit.steps);
  if (run.step() != SQLITE_ROW) return failure("cannot be written");
  const std::int64_t id = run.number(0);
  if (run.step() != SQLITE_DONE) return failure("cannot be written");
  Statement clear(database_.get(), "DELETE FROM counts WHERE run = ?1");
  if (!clear || clear.bind(1, id).step() != SQLITE_DONE) return failure("cannot be written");
  Statement count(database_.get(), "INSERT INTO counts (run, metric, min, max, sum) VALUES (?1, ?2, ?3, ?4, ?5)");
  if (!count) return failure("cannot be written");
  for (const auto& [metric, value] : commit.values) {
    count.bind(1, id).bind(2, metric).bind(3, value.min).bind(4, value.max).bind(5, value.sum);
    if (count.step() != SQLITE_DONE) return failure("cannot be written");
    count.again();
  }
  if (!transaction.commit()) return failure("cannot be written");
  return Done{};
}

Result<std::vector<HistorySeries>> HistoryDatabase::read() {
  struct Place {
    HistoryConfiguration configuration;
    std::size_t position;
  };
  std::map<HistoryConfiguration, std::vector<HistoryCommit>> found;
  std::map<std::int64_t, Place> by_id;
  Transaction transaction(database_.get());  // fails where only reading is possible, and is not needed there
  Statement runs(
      database_.get(),
      "SELECT id, device, program, ranks, branch, commit_id, parents, committed_at, steps FROM runs ORDER BY "
      "id");
  int code = runs.step();
  for (; code == SQLITE_ROW; code = runs.step()) {
    const HistoryConfiguration configuration{runs.text(1), runs.text(2), runs.number(3), runs.text(4)};
    auto& commits = found[configuration];
    by_id[runs.number(0)] = {configuration, commits.size()};
    commits.push_back({runs.text(5), words_of(runs.text(6)), runs.number_or_null(7), runs.number(8), {}});
  }
  if (code != SQLITE_DONE) return failure("cannot be read");
  Statement counts(database_.get(), "SELECT run, metric, min, max, sum FROM counts");
  for (code = counts.step(); code == SQLITE_ROW; code = counts.step())
    if (const auto place = by_id.find(counts.number(0)); place != by_id.end())
      found[place->second.configuration][place->second.position].values[counts.text(1)] = {
          counts.number(2), counts.number(3), counts.number(4)};
  if (code != SQLITE_DONE) return failure("cannot be read");
  std::vector<HistorySeries> series;
  for (auto& [configuration, commits] : found) {
    sort_commits(commits);
    series.push_back({configuration, std::move(commits)});
  }
  return series;
}

}  // namespace zerostall::cli
