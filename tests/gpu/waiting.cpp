// Which calls let the host wait while a stream is busy. Rules: CUDA runtime API, "API synchronization behavior".
#include "tests/gpu/contract.h"

namespace zerostall::contract {
namespace {

constexpr std::size_t kSmall = 1024, kLarge = 1 << 20;

// Did the host wait for the long work, whatever else was queued behind it since?
struct LongWork {
  explicit LongWork(cudaStream_t stream) {
    keep_busy(stream);
    CONTRACT_CHECK(cudaEventRecord(end, stream));
  }
  std::string waited() const {
    const cudaError_t answer = cudaEventQuery(end);
    (void)cudaGetLastError();
    if (answer != cudaErrorNotReady) check(answer, "cudaEventQuery");
    return answer == cudaErrorNotReady ? "returns at once" : "waits";
  }
  Event end{cudaEventDisableTiming};
};

// An asynchronous copy queued behind long work on its own stream.
template <Kind from, Kind to, std::size_t bytes>
std::string async_copy() {
  const Buffer source(from, bytes), target(to, bytes);
  const Stream stream;
  const LongWork work(stream);
  CONTRACT_CHECK(cudaMemcpyAsync(target.data, source.data, bytes, cudaMemcpyDefault, stream));
  const std::string answer = work.waited();
  CONTRACT_CHECK(cudaStreamSynchronize(stream));
  return answer;
}

// A copy without stream, while the legacy default stream is busy.
template <Kind from, Kind to, std::size_t bytes>
std::string plain_copy() {
  const Buffer source(from, bytes), target(to, bytes);
  const LongWork work(nullptr);
  CONTRACT_CHECK(cudaMemcpy(target.data, source.data, bytes, cudaMemcpyDefault));
  const std::string answer = work.waited();
  CONTRACT_CHECK(cudaDeviceSynchronize());
  return answer;
}

// Any other call, while a non-blocking stream is busy.
template <class Call>
std::string while_busy(Call call) {
  const Stream stream;
  keep_busy(stream);
  call(static_cast<cudaStream_t>(stream));
  return waited(stream);
}

std::string queue_work() {
  return while_busy([](cudaStream_t) {});
}
std::string stream_synchronize() {
  return while_busy([](cudaStream_t s) { CONTRACT_CHECK(cudaStreamSynchronize(s)); });
}
std::string other_stream_synchronize() {
  const Stream other;
  keep_busy(other, 1);
  return while_busy([&](cudaStream_t) { CONTRACT_CHECK(cudaStreamSynchronize(other)); });
}
std::string device_synchronize() {
  return while_busy([](cudaStream_t) { CONTRACT_CHECK(cudaDeviceSynchronize()); });
}
std::string event_synchronize() {
  const Event event(cudaEventDisableTiming);
  return while_busy([&](cudaStream_t s) {
    CONTRACT_CHECK(cudaEventRecord(event, s));
    CONTRACT_CHECK(cudaEventSynchronize(event));
  });
}
std::string event_before_more_work() {
  const Event event(cudaEventDisableTiming);
  return while_busy([&](cudaStream_t s) {
    CONTRACT_CHECK(cudaEventRecord(event, s));
    keep_busy(s);
    CONTRACT_CHECK(cudaEventSynchronize(event));
  });
}
std::string event_record() {
  const Event event;
  return while_busy([&](cudaStream_t s) { CONTRACT_CHECK(cudaEventRecord(event, s)); });
}
std::string event_destroy() {
  return while_busy([](cudaStream_t s) {
    cudaEvent_t event = nullptr;
    CONTRACT_CHECK(cudaEventCreate(&event));
    CONTRACT_CHECK(cudaEventRecord(event, s));
    CONTRACT_CHECK(cudaEventDestroy(event));
  });
}
std::string stream_destroy() {
  const Event event(cudaEventDisableTiming);
  cudaStream_t stream = nullptr;
  CONTRACT_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  keep_busy(stream);
  CONTRACT_CHECK(cudaEventRecord(event, stream));
  CONTRACT_CHECK(cudaStreamDestroy(stream));
  const bool running = cudaEventQuery(event) == cudaErrorNotReady;
  (void)cudaGetLastError();
  CONTRACT_CHECK(cudaDeviceSynchronize());
  return running ? "returns at once" : "waits";
}
std::string allocate() {
  void* p = nullptr;
  const std::string answer = while_busy([&](cudaStream_t) { CONTRACT_CHECK(cudaMalloc(&p, kLarge)); });
  CONTRACT_CHECK(cudaFree(p));
  return answer;
}
std::string free_device() {
  void* p = nullptr;
  CONTRACT_CHECK(cudaMalloc(&p, kLarge));
  return while_busy([&](cudaStream_t) { CONTRACT_CHECK(cudaFree(p)); });
}
std::string free_host() {
  void* p = nullptr;
  CONTRACT_CHECK(cudaMallocHost(&p, kLarge));
  return while_busy([&](cudaStream_t) { CONTRACT_CHECK(cudaFreeHost(p)); });
}
std::string allocate_async() {
  void* p = nullptr;
  const std::string answer = while_busy([&](cudaStream_t s) { CONTRACT_CHECK(cudaMallocAsync(&p, kLarge, s)); });
  CONTRACT_CHECK(cudaFree(p));
  return answer;
}
std::string free_async() {
  return while_busy([](cudaStream_t s) {
    void* p = nullptr;
    CONTRACT_CHECK(cudaMallocAsync(&p, kLarge, s));
    CONTRACT_CHECK(cudaFreeAsync(p, s));
  });
}
std::string memset_device() {
  const Buffer buffer(Kind::device, kLarge);
  const LongWork work(nullptr);
  CONTRACT_CHECK(cudaMemset(buffer.data, 1, kLarge));
  const std::string answer = work.waited();
  CONTRACT_CHECK(cudaDeviceSynchronize());
  return answer;
}
std::string memory_info() {
  return while_busy([](cudaStream_t) {
    std::size_t free_bytes = 0, total_bytes = 0;
    CONTRACT_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  });
}

}  // namespace

std::vector<Contract> waiting_contracts() {
  using enum Kind;
  constexpr const char *kWaits = "waits", *kReturns = "returns at once";
  return {
      {"queued work", kReturns, queue_work},
      {"cudaMemcpyAsync pinned to device", kReturns, async_copy<pinned, device, kLarge>},
      {"cudaMemcpyAsync device to pinned", kReturns, async_copy<device, pinned, kLarge>},
      {"cudaMemcpyAsync device to device", kReturns, async_copy<device, device, kLarge>},
      {"cudaMemcpyAsync pageable to device, 1 KiB", kReturns, async_copy<pageable, device, kSmall>, true},
      {"cudaMemcpyAsync pageable to device, 1 MiB", kWaits, async_copy<pageable, device, kLarge>, true},
      {"cudaMemcpyAsync device to pageable, 1 KiB", kWaits, async_copy<device, pageable, kSmall>, true},
      {"cudaMemcpyAsync device to pageable, 1 MiB", kWaits, async_copy<device, pageable, kLarge>, true},
      {"cudaMemcpy pinned to device", kWaits, plain_copy<pinned, device, kLarge>},
      {"cudaMemcpy pageable to device, 1 KiB", kWaits, plain_copy<pageable, device, kSmall>, true},
      {"cudaMemcpy pageable to device, 1 MiB", kWaits, plain_copy<pageable, device, kLarge>},
      {"cudaMemcpy device to pinned", kWaits, plain_copy<device, pinned, kLarge>},
      {"cudaMemcpy device to pageable", kWaits, plain_copy<device, pageable, kSmall>},
      {"cudaMemcpy device to device", kReturns, plain_copy<device, device, kLarge>},
      {"cudaMemset of device memory", kReturns, memset_device},
      {"cudaStreamSynchronize", kWaits, stream_synchronize},
      {"cudaStreamSynchronize of another stream", kReturns, other_stream_synchronize},
      {"cudaDeviceSynchronize", kWaits, device_synchronize},
      {"cudaEventSynchronize", kWaits, event_synchronize},
      {"cudaEventSynchronize of an event before more work", kReturns, event_before_more_work},
      {"cudaEventRecord", kReturns, event_record},
      {"cudaEventDestroy of a pending event", kReturns, event_destroy},
      {"cudaStreamDestroy of a busy stream", kReturns, stream_destroy},
      {"cudaMalloc", kReturns, allocate, true},
      {"cudaFree", kWaits, free_device},
      {"cudaFreeHost", kWaits, free_host, true},
      {"cudaMallocAsync", kReturns, allocate_async},
      {"cudaFreeAsync", kReturns, free_async},
      {"cudaMemGetInfo", kReturns, memory_info},
  };
}

}  // namespace zerostall::contract
