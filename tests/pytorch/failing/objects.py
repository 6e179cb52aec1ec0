"""Objects of unequal length scattered on an NCCL group: their sizes are compared by kernels before anything is exchanged."""
import os

import torch
import torch.distributed as dist

RANK, DEVICE = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(DEVICE)
dist.init_process_group("nccl", device_id=torch.device("cuda", DEVICE))
mine = [None]
dist.scatter_object_list(mine, ["a", "b" * 100] if RANK == 0 else None, 0)
assert mine == [["a"], ["b" * 100]][RANK], mine
