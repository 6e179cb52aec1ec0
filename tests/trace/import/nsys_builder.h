// Databases as Nsight Systems exports them, for tests, in a few lines each:
//
//   NsysBuilder db;
//   db.range("step 1", 0, 900).call("cudaMemcpyAsync_v3020", 100, 200, 7).copy(110, 190, 7, kHostToDevice, kPageable);
//   const std::vector<RawTrace> traces = db.traces();
//
// Tables are made when the first row comes, as the exporter does it.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "profiler/trace/import/nsys.h"

namespace zerostall::testing {

// Nsight Systems' numbers.
enum NsysCopy : std::int64_t { kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 8, kMigration = 11 };
enum NsysMemory : std::int64_t { kPageable = 0, kPinned = 1, kDevice = 2, kManaged = 4 };
enum NsysEvent : std::int64_t { kMark = 34, kPushPop = 59, kStartEnd = 60, kDomainCreate = 75 };

class NsysBuilder {
 public:
  // `old`: as of 2020: no enumeration tables, nothing about the export, no column that came later.
  explicit NsysBuilder(bool old = false);
  ~NsysBuilder();
  NsysBuilder(const NsysBuilder&) = delete;
  NsysBuilder& operator=(const NsysBuilder&) = delete;

  // Everything from here on is of this process and thread.
  NsysBuilder& on(std::int64_t process, std::int64_t thread);
  NsysBuilder& call(const std::string& name, std::int64_t begin, std::int64_t end, std::int64_t correlation = 0);
  NsysBuilder& kernel(std::int64_t begin, std::int64_t end, std::int64_t correlation);
  NsysBuilder& copy(std::int64_t begin, std::int64_t end, std::int64_t correlation, std::int64_t kind,
                    std::int64_t source, std::int64_t target = kDevice, std::int64_t bytes = 4);
  NsysBuilder& sync(std::int64_t type, std::int64_t correlation);
  NsysBuilder& range(const std::string& text, std::int64_t begin, std::int64_t end, std::int64_t domain = 0);
  NsysBuilder& event(std::int64_t type, const std::string& text, std::int64_t begin, std::int64_t domain = 0);
  NsysBuilder& diagnostic(int severity, const std::string& text);
  // Anything else. Makes the tables of CUDA and NVTX events first.
  NsysBuilder& sql(const std::string& statements);

  std::int64_t global() const { return (std::int64_t{1} << 48) | process_ << 24 | thread_; }
  std::int64_t text_id(const std::string& text);  // in StringIds

  std::string bytes();
  void write(const std::filesystem::path& path);
  std::vector<RawTrace> traces();  // throws when it cannot be read
  std::string error();             // why it cannot be read; "" when it can

 private:
  void run(const std::string& statements);
  void need(const std::string& table);
  std::string literal(const std::string& text) const;

  sqlite3* db_ = nullptr;
  bool old_ = false;
  std::set<std::string> tables_;
  std::vector<std::string> texts_;
  std::int64_t process_ = 100, thread_ = 100;
};

// What the importer makes of such bytes.
Result<std::vector<RawTrace>> import_bytes(const std::string& bytes);

}  // namespace zerostall::testing
