// Memory that CUPTI writes activity records into. Threads of the program ask for it, so that it costs them little: a
// buffer comes zeroed from a pool, and is zeroed again on the thread that read it. Thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>

namespace zerostall::tracer {

// A zeroed buffer. With too many in CUPTI's hands it waits a tenth of a second for one to come back. In vain, or
// without memory: null, which makes CUPTI drop records and count them; to versions before 27 (CUDA 12.9), which crash
// on null, always the same buffer, whose contents are worthless.
std::uint8_t* take_buffer(std::uint32_t cupti_version, std::size_t* bytes);

// Whether records written there are to be dropped unseen: several threads may write there at once.
bool is_worthless(const std::uint8_t* buffer);

void give_back_buffer(std::uint8_t* buffer, std::size_t bytes);

}  // namespace zerostall::tracer
