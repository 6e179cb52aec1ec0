// Activity buffers: one per thread (or one for all), given by the client and handed back from a worker thread, as the
// real library does. Locks are never held while the client's code runs.
#pragma once
#include <cupti.h>

#include <cstddef>

namespace zerostall::simgpu::cupti {

void set_buffer_callbacks(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete);

// Appends a record of `bytes` (a multiple of 8). Without a buffer, or with ZEROSTALL_SIM_CUPTI_DROP=N for each N-th
// record, it is dropped and counted. Not for use while the client's buffer callbacks run on this thread: see below.
void write_record(const void* record, std::size_t bytes);

// Whether this thread is inside one of the client's buffer callbacks: CUDA calls made there leave no records.
bool in_buffer_callback();

// Hands over every buffer that has records; returns when the client has got them all. Called inside a buffer callback
// it does not wait.
void flush_buffers();

std::size_t take_dropped();  // since the last call
void detach_buffers();       // the client is gone: forgets its functions and whatever buffers it gave
void forget_buffers();       // after fork: the child has neither the worker nor the parent's buffers

}  // namespace zerostall::simgpu::cupti
