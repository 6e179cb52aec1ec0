// The tracer's one thread in the process: does at leisure what recording threads must not wait for.
#pragma once

namespace zerostall::tracer {

// Starts it, once; it ends with the process (whose last thread it never is), and does not exist in forked children.
// Without it (no more threads allowed) recording works, but GPU records of a killed process are lost and the file is
// not sealed until the end.
void start_housekeeper();

// Wakes it before its time.
void wake_housekeeper();

}  // namespace zerostall::tracer
