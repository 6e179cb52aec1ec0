// Writes the seeds of the nsys target: nsys_seeds FOLDER. One small export per trait, as tests/trace builds them.
#include <filesystem>

#include "tests/trace/import/nsys_builder.h"

namespace zerostall::testing {
namespace {

namespace fs = std::filesystem;

void training(NsysBuilder& db) {
  for (int n = 0; n < 3; ++n) {
    const int t = 1000 * (n + 1);
    db.range("step " + std::to_string(n), t, t + 900);
    db.call("cudaMemcpyAsync_v3020", t + 100, t + 200, 10 + n).copy(t + 110, t + 190, 10 + n, kHostToDevice, kPageable);
    db.call("cudaStreamSynchronize_v3020", t + 210, t + 300, 20 + n).sync(3, 20 + n);
    db.call("cudaLaunchKernel_v7000", t + 400, t + 410, 30 + n).kernel(t + 420, t + 600, 30 + n);
  }
}

void two_processes(NsysBuilder& db) {
  db.call("cudaDeviceSynchronize_v3020", 10, 20, 1).kernel(30, 40, 1);
  db.on(200, 201).call("cudaMemcpy_v3020", 15, 25, 1).copy(16, 24, 1, kDeviceToHost, kDevice, kPinned);
}

void marks(NsysBuilder& db) {
  db.call("cuStreamSynchronize", 11, 19, 1).call("cudaStreamSynchronize_v3020", 10, 20, 1);
  db.event(kDomainCreate, "zerostall", 1, 5).range("step 1", 5, 30, 5).event(kMark, "iteration 2", 40);
  db.event(kPushPop, "never ends", 50).range("caf\xe9", 60, 70);
}

void notes(NsysBuilder& db) {
  db.call("cudaLaunchKernel_v7000", 10, 20, 1).copy(30, 40, 0, kMigration, kManaged);
  db.diagnostic(3, "12 CUPTI records were dropped");
}

// Small pages: a change finds more of what matters.
void write(NsysBuilder& db, const fs::path& path) {
  db.write(path);
  sqlite3* file = nullptr;
  sqlite3_open(path.c_str(), &file);
  sqlite3_exec(file, "PRAGMA page_size=512; VACUUM", nullptr, nullptr, nullptr);
  sqlite3_close(file);
}

}  // namespace
}  // namespace zerostall::testing

int main(int argc, char** argv) {
  using namespace zerostall::testing;
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  const std::pair<const char*, void (*)(NsysBuilder&)> seeds[] = {
      {"training", training}, {"two_processes", two_processes}, {"marks", marks}, {"notes", notes}};
  for (const auto& [name, fill] : seeds) {
    NsysBuilder db;
    fill(db);
    write(db, folder / (std::string(name) + ".sqlite"));
  }
  NsysBuilder old(true);
  training(old);
  write(old, folder / "old.sqlite");
}
