#include <gtest/gtest.h>

#include "profiler/analyze/waits.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using Idle = std::vector<std::optional<bool>>;

constexpr const char* kAsync = "cudaMemcpyAsync_v3020";

Idle idle_of(TraceBuilder& t) {
  Idle list;
  for (const Wait& wait : find_waits(t.trace()))
    if (is_host_wait(wait.kind)) list.push_back(wait.idle);
  return list;
}

// GPU work of the last call on a stream of its own: CUPTI's id `id`, until `end_ns` after now.
void put_last_work(TraceBuilder& t, std::uint32_t id, std::int64_t end_ns) {
  t.gpu_ops.back().stream = id;
  t.gpu_ops.back().begin_ns = t.now_ns;
  t.gpu_ops.back().end_ns = t.now_ns + end_ns;
}

void record_event(TraceBuilder& t, std::uint64_t event, std::uint64_t stream) {
  format::CallRecord& record = t.call("cudaEventRecord_v3020");
  record.handle = event;
  record.stream = stream;
}

void wait_event(TraceBuilder& t, std::uint64_t event) {
  format::CallRecord& wait = t.call("cudaEventSynchronize");
  wait.handle = event;
  wait.context = 1;
}

TEST(IdleWaits, AreThoseThatBeginWithAllWorkDone) {
  TraceBuilder t;
  t.sync();              // nothing was ever launched
  t.launch(), t.sync();  // busy
  t.sync();              // done by now
  t.launch(), t.item();  // busy with the kernel
  t.now_ns += 1'000'000;
  t.sync("cudaDeviceSynchronize_v3020", 0);
  EXPECT_EQ(idle_of(t), (Idle{true, false, true, false, true}));
}

TEST(IdleWaits, DoNotCountTheirOwnCopy) {
  TraceBuilder t;
  t.item(), t.upload(64);
  t.copy("cudaMemcpy_v3020", kHostToDevice, 5, kPageable, 0);
  EXPECT_EQ(idle_of(t), (Idle{true, true, true}));
  TraceBuilder other;  // an earlier copy is other work
  other.copy(kAsync, kHostToDevice, 5, kPinned);
  other.item();
  EXPECT_EQ(idle_of(other), (Idle{false}));
}

TEST(IdleWaits, HoldWhereAllStampsAreEqual) {
  TraceBuilder t;
  t.cost_ns = 0;
  t.launch();
  t.sync();
  t.kernel_ns = 0;
  t.item();
  t.launch();
  EXPECT_EQ(idle_of(t), (Idle{false, true}));
}

TEST(IdleWaits, AskTheSynchronisedStreamWhereItIsKnown) {
  const auto with = [](std::uint64_t synced, const char* call) {
    TraceBuilder t;
    t.launch(7), put_last_work(t, 13, 10);
    t.launch(8), put_last_work(t, 14, 1'000'000);  // still at work
    t.sync(call, synced);
    return idle_of(t);
  };
  EXPECT_EQ(with(7, "cudaStreamSynchronize_v3020"), (Idle{true}));
  EXPECT_EQ(with(8, "cudaStreamSynchronize_v3020"), (Idle{false}));
  EXPECT_EQ(with(9, "cudaStreamSynchronize_v3020"), (Idle{false}));  // never seen: the whole context
  EXPECT_EQ(with(0, "cudaStreamSynchronize_v3020"), (Idle{false}));  // waits for other streams too
  EXPECT_EQ(with(7, "cudaDeviceSynchronize_v3020"), (Idle{false}));
}

TEST(IdleWaits, AskTheWholeContextWhereAHandleStoodForSeveralStreams) {
  TraceBuilder t;
  t.launch(7), put_last_work(t, 13, 1'000'000);
  t.launch(7), put_last_work(t, 14, 10);
  t.call("cudaStreamSynchronize_v3020").stream = 7;
  EXPECT_EQ(idle_of(t), (Idle{false}));
}

TEST(IdleWaits, OfEventsAskForWhatStandsBeforeTheRecord) {
  TraceBuilder t;
  t.launch();
  record_event(t, 0xe1, 7);
  wait_event(t, 0xe1);  // busy
  t.now_ns += 1'000'000;
  t.launch();           // behind the event
  wait_event(t, 0xe1);  // idle: the kernel before the event is done
  wait_event(t, 0xe2);  // never recorded: the whole context
  record_event(t, 0xe1, 7);
  wait_event(t, 0xe1);  // of several records the last one
  EXPECT_EQ(idle_of(t), (Idle{false, true, false, false}));
}

TEST(IdleWaits, AreUnknownWithoutCompleteRecords) {
  TraceBuilder lost, cut;
  lost.launch(), lost.sync();
  lost.note(format::NoteKind::lost_records, "full", 1);
  EXPECT_EQ(idle_of(lost), (Idle{std::nullopt}));
  cut.launch(), cut.sync();
  cut.closed = false;
  EXPECT_EQ(idle_of(cut), (Idle{std::nullopt}));
}

}  // namespace
}  // namespace zerostall
