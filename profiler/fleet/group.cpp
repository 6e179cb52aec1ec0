#include "profiler/fleet/group.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "profiler/fleet/binary.h"

namespace zerostall::fleet {
namespace {

struct Launcher {
  const char* rank;
  const char* size;
};
// The first that is set counts: Slurm's are there too where mpirun runs within an allocation.
constexpr std::array<Launcher, 3> kLaunchers = {{{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                                 {"PMI_RANK", "PMI_SIZE"},
                                                 {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}};

int number(const char* name) {
  const char* text = std::getenv(name);
  int value = -1;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), value);
  return value;
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

const Error kGone{"--mpi: another process of this job is gone: no summary was made"};

}  // namespace

Launched launched() {
  for (const Launcher& one : kLaunchers)
    if (const int rank = number(one.rank), size = number(one.size); rank >= 0 && size > rank) return {rank, size};
  return {};
}

Result<Group::Functions> Group::load(const std::filesystem::path& library) {
  std::error_code error;
  if (!std::filesystem::exists(library, error))
    return Error{
        fmt::format("--mpi: this zerostall was built where MPI was missing (no {}): install openmpi-bin and "
                    "libopenmpi-dev, then build it again",
                    library.string())};
  // Global: Open MPI's own parts, which it opens later, look for its symbols there.
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr)
    return Error{fmt::format("--mpi: {}: install the MPI it was built with (Debian: openmpi-bin)", ::dlerror())};
  Functions f;
  if (!find(handle, "zerostall_mpi_start", f.start) || !find(handle, "zerostall_mpi_gather", f.gather) ||
      !find(handle, "zerostall_mpi_broadcast", f.broadcast) || !find(handle, "zerostall_mpi_end", f.end))
    return Error{fmt::format("--mpi: {} is of another version of zerostall: install both anew", library.string())};
  return f;
}

Result<Group> Group::start(const std::filesystem::path& library) {
  const auto functions = load(library);
  if (!functions) return functions.error();
  const Launched expected = launched();
  // A single process needs none of Open MPI's daemons, which it would start.
  if (expected.size == 1) ::setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  ZerostallMpiPlace place{};
  if (functions->start(&place) != 0) return Error{"--mpi: MPI does not start here"};
  Group group(*functions, place);
  if (place.size > 1 || expected.size == 1) return group;
  group.end();
  return Error{
      fmt::format("--mpi: {} processes were started, and MPI does not bring them together: use mpirun of the Open MPI "
                  "that zerostall was built with, or srun --mpi=pmix",
                  expected.size)};
}

Group::Group(Group&& other) noexcept
    : functions_(other.functions_), place_(other.place_), running_(std::exchange(other.running_, false)) {}

Group::~Group() {
  if (running_) functions_.end(1);
}

void Group::end() {
  if (std::exchange(running_, false)) functions_.end(0);
}

Result<Done> Group::gather(std::string_view bytes, const Take& take) {
  const auto pass_on = [](void* context, int process, const char* data, std::size_t size) {
    (*static_cast<const Take*>(context))(static_cast<std::size_t>(process), {data, size});
  };
  Take mine = take;
  if (functions_.gather(bytes.data(), bytes.size(), pass_on, &mine) != 0) return kGone;
  return Done{};
}

Result<std::vector<std::string>> Group::gather_for_all(std::string_view bytes) {
  std::vector<std::string> all;
  const auto gathered = gather(bytes, [&](std::size_t, std::string_view of_one) { all.emplace_back(of_one); });
  if (!gathered) return gathered.error();
  std::string packed, of_first;
  Writer(packed).write(all);
  const auto take = [](void* context, int, const char* data, std::size_t size) {
    static_cast<std::string*>(context)->assign(data, size);
  };
  if (functions_.broadcast(packed.data(), packed.size(), take, &of_first) != 0) return kGone;
  Reader reader(of_first);
  reader.read(all);
  if (!reader.ok() || all.size() != size()) return kGone;
  return all;
}

}  // namespace zerostall::fleet
