// Ids of graphs, their nodes and executable graphs, as they stand in records.
#include "profiler/simgpu/core/graph_exec.h"
#include "profiler/simgpu/cupti/state.h"

using namespace zerostall::simgpu;

namespace {

template <class Found, class Id>
CUptiResult answer(const Found* found, Id* id) {
  if (!found || !id) return CUPTI_ERROR_INVALID_PARAMETER;
  *id = static_cast<Id>(found->id);
  return CUPTI_SUCCESS;
}

}  // namespace

extern "C" {

CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t* id) {
  std::lock_guard guard(simulator().lock);
  return answer(graph_from(graph), id);
}
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  std::lock_guard guard(simulator().lock);
  return answer(node_from(node), id);
}
CUptiResult cuptiGetGraphExecId(CUgraphExec exec, uint32_t* id) {
  std::lock_guard guard(simulator().lock);
  return answer(exec_from(exec), id);
}

}  // extern "C"
