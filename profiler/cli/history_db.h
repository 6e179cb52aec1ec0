// The history's file: one SQLite database, safe for several writers at once. The only place that knows its tables.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/gate/history.h"

struct sqlite3;

namespace zerostall::cli {

// Errors are one line that names the file. Move-only.
class HistoryDatabase {
 public:
  // To add to: made where it is missing. To read: must be there. What is no history, damaged, or of a newer version is
  // refused, and left as it is.
  static Result<HistoryDatabase> open_to_add(const std::string& path);
  static Result<HistoryDatabase> open_to_read(const std::string& path);

  // Replaces what there is of the same commit and configuration. All of it or nothing.
  Result<Done> add(const HistoryConfiguration& configuration, const HistoryCommit& commit);

  // By configuration; commits in order (sort_commits).
  Result<std::vector<HistorySeries>> read();

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  HistoryDatabase(std::string path, sqlite3* database) : path_(std::move(path)), database_(database) {}
  static Result<HistoryDatabase> open(const std::string& path, int flags);
  Error failure(const std::string& doing) const;
  Result<Done> prepare(bool to_add);
  Result<std::int64_t> pragma(const char* name);
  Result<Done> execute(const char* sql);

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace zerostall::cli
