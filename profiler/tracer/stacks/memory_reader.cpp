#include "profiler/tracer/stacks/memory_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace zerostall::tracer {
namespace {

// Where a container forbids process_vm_readv. Opened each time: a descriptor would be the parent's after a fork.
bool read_from_file(std::uintptr_t address, void* to, std::size_t bytes) {
  const int file = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t got = ::pread(file, to, bytes, static_cast<off_t>(address));
  ::close(file);
  return got == static_cast<ssize_t>(bytes);
}

}  // namespace

bool read_checked(std::uintptr_t address, void* to, std::size_t bytes) {
  const int error_before = errno;  // the program's: it may be in the middle of looking at it
  const iovec local{to, bytes}, remote{reinterpret_cast<void*>(address), bytes};
  const ssize_t got = ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0);
  bool ok = got == static_cast<ssize_t>(bytes);
  if (!ok && (errno == ENOSYS || errno == EPERM)) ok = read_from_file(address, to, bytes);
  errno = error_before;
  return ok;
}

const PageReader::Page* PageReader::page_at(std::uintptr_t begin) {
  for (const Page& page : pages_)
    if (page.begin == begin) return &page;
  Page& page = pages_[oldest_];
  oldest_ = 1 - oldest_;
  const bool ok = read_checked(begin, page.bytes.data(), kPage);
  page.begin = ok ? begin : 1;
  return ok ? &page : nullptr;
}

bool PageReader::read(std::uintptr_t address, void* to, std::size_t bytes) {
  for (auto* out = static_cast<unsigned char*>(to); bytes > 0;) {
    const std::size_t offset = address % kPage, part = std::min(bytes, kPage - offset);
    const Page* page = page_at(address - offset);
    if (!page) return false;
    std::memcpy(out, &page->bytes[offset], part);
    out += part;
    address += part;
    bytes -= part;
  }
  return true;
}

}  // namespace zerostall::tracer
