// Runs all contracts, or those whose name contains the argument, and prints one line each. Exit 0: all hold.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "tests/gpu/contract.h"

namespace {

using namespace zerostall::contract;

struct Tally {
  int held = 0, failed = 0, open_differ = 0;
};

void run(const Contract& c, bool simulated, Tally& tally) {
  std::string answer;
  try {
    answer = c.run();
  } catch (const std::exception& problem) {
    answer = problem.what();
  }
  cudaDeviceSynchronize();
  (void)cudaGetLastError();
  if (answer == c.expected) {
    ++tally.held;
    std::printf("ok    %s: %s\n", c.name, answer.c_str());
  } else if (c.open && !simulated) {
    ++tally.open_differ;
    std::printf("OPEN  %s: the simulator says '%s', this GPU '%s'\n", c.name, c.expected, answer.c_str());
  } else {
    ++tally.failed;
    std::printf("FAIL  %s: expected '%s', got '%s'\n", c.name, c.expected, answer.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  cudaDeviceProp properties{};
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, 0); error != cudaSuccess) {
    std::fprintf(stderr, "contracts: no GPU: %s\n", cudaGetErrorString(error));
    return 4;
  }
  const bool simulated = std::strstr(properties.name, "simulated") != nullptr;
  std::printf("contracts on %s%s\n", properties.name, simulated ? "" : " (real GPU)");
  Tally tally;
  for (const auto& group : {waiting_contracts(), stream_contracts(), thread_contracts(), graph_contracts(),
                            graph_update_contracts(), memory_contracts(), support_contracts()})
    for (const Contract& contract : group)
      if (argc < 2 || std::strstr(contract.name, argv[1]) != nullptr) run(contract, simulated, tally);
  std::printf("%d hold, %d fail, %d answered otherwise where CUDA leaves it open\n", tally.held, tally.failed,
              tally.open_differ);
  return tally.failed == 0 && tally.held > 0 ? 0 : 1;
}
