"""Prefetch on a stream of its own, ordered by events; the host waits once a step, for the event of the step before.
# expect: waits=1 event_syncs=1 stream_syncs=0 device_syncs=0
"""
import torch

copies, main = torch.cuda.Stream(priority=-1), torch.cuda.current_stream()
model = torch.nn.Linear(256, 256).cuda()
host = [torch.randn(64, 256).pin_memory() for _ in range(2)]
begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
done = None
begin.record()
for number in range(10):
    torch.cuda.nvtx.range_push(f"step {number}")
    with torch.cuda.stream(copies):
        batch = host[number % 2].to("cuda", non_blocking=True)
        arrived = torch.cuda.Event()
        arrived.record(copies)
    main.wait_event(arrived)
    batch.record_stream(main)
    model(batch).sum().backward()
    if done is not None:
        done.synchronize()  # at most one step ahead of the device
    done = main.record_event(torch.cuda.Event(blocking=True))
    torch.cuda.nvtx.range_pop()
end.record()
end.synchronize()
assert begin.query() and end.query() and main.query()
assert begin.elapsed_time(end) > 0
copies.wait_stream(main)
torch.cuda.synchronize()
event = torch.cuda.Event()
assert event.query()  # never recorded: done
print("ok streams_events")
