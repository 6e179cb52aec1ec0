// The catalogue's scenarios, one per class of causes of host waits (shared/design/causes.md C1 to C16), each with three
// bodies: the cause, its fixed twin, and a near miss. What each must show: expected.h. Run by name: program.h.
#pragma once
#include "scenarios/catalogue/training.h"

namespace zerostall::scenarios::catalogue {

void scalar_read(Run& run);
void finite_check(Run& run);
void amp_scaler(Run& run);
void state_on_wrong_device(Run& run);
void pageable_batch(Run& run);
void pageable_async(Run& run);
void tensor_from_host(Run& run);
void dynamic_shape(Run& run);
void size_from_device(Run& run);
void branch_on_device(Run& run);
void host_table_by_device_index(Run& run);
void explicit_sync(Run& run);
void allocator(Run& run);
void offload(Run& run);
void download(Run& run);
void library_internal(Run& run);

}  // namespace zerostall::scenarios::catalogue
