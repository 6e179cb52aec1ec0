// What a kernel writes, as far as its arguments tell. Kernels are not run, so nobody else says that a block has got new
// content: a framework hands it from owner to owner unseen, and bytes copied for an earlier owner still lie there.
//
// The types of the parameters stand in the C++ name of a kernel. Taken for the output is, in this order: the first of
// an array of pointers (`std::array<char*, N>`, PyTorch's element-wise kernels); the first pointer that is not to
// const; the data of a TensorInfo or TensorAccessor that is not of const; the first of two adjacent device pointers in
// a lambda (they capture what they write first), the target in a ReduceOp, the second in the lambdas of scatter and
// gather. Kernels with several outputs show the first only; those with C names (Triton) and those of NVIDIA's libraries
// show none.
#pragma once

namespace zerostall::simgpu {

struct Function;

// The address of device memory that a launch with these arguments writes; null: not known. `arguments` may be null.
// The first call for a function costs microseconds, the others some nanoseconds. Thread-safe.
void* output_of(Function& function, void** arguments);

// Addresses that kernels have written to since a copy or memset did, kept in a table: of two that fall together the
// last is known. A launch pays one store. Thread-safe.
void note_output(const void* address);  // null: no effect
void forget_output(const void* address);
bool is_output(const void* address);

}  // namespace zerostall::simgpu
