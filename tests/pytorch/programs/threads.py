"""A second host thread logs values while the main thread trains: its waits are not those of the steps, but stand in the
rows "background" (during a step) and "outside steps" of `zerostall stat`. In all: 20 of each thread, and two uploads.
# expect: waits=1 stream_syncs=1
# expect-totals: waits=42 blocking_copies=22
"""
import queue
import threading

import torch

values, logged, errors = queue.Queue(), [], []


def log():
    try:
        with torch.cuda.stream(torch.cuda.Stream()):
            while (value := values.get()) is not None:
                logged.append(value.cpu())
    except Exception as error:
        errors.append(error)


model = torch.nn.Linear(64, 64).cuda()
logger = threading.Thread(target=log)
logger.start()
for number in range(20):
    torch.cuda.nvtx.range_push(f"step {number}")
    loss = model(torch.ones(4, 64, device="cuda")).square().sum()
    loss.backward()
    values.put(loss.detach())
    loss.item()
    torch.cuda.nvtx.range_pop()
values.put(None)
logger.join()
assert not errors and len(logged) == 20, errors
print("ok threads")
