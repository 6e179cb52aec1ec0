"""Small tensors that were uploaded are read back after the kernels that use them: lengths, tokens, masks, labels. Results
of kernels are not: in the block of an earlier upload of the same size they read as zeros (README-values.md).
"""
import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

STALE = 900
RESULTS = dict(
    arange=lambda i, x: torch.arange(4, device="cuda"), add=lambda i, x: x + 1, scatter=lambda i, x: torch.empty_like(x).scatter_(0, i, x),
    gather=lambda i, x: x.gather(0, i), index=lambda i, x: x[i], select=lambda i, x: x.index_select(0, i), sort=lambda i, x: x.sort()[1],
    cumsum=lambda i, x: x.cumsum(0), random=lambda i, x: torch.randint(0, 4, (4,), device="cuda"), where=lambda i, x: torch.where(x > 1, x, i),
    cat=lambda i, x: torch.cat([i[:2], x[:2]]), argmax=lambda i, x: torch.ones(4, 100, device="cuda").argmax(1),
    sum=lambda i, x: torch.ones(4, 100, dtype=torch.long, device="cuda").sum(1), embedding=lambda i, x: F.embedding(i, x[:, None]))


def check_results():
    for name, make in RESULTS.items():
        index, values = torch.arange(4).cuda(), torch.arange(10, 14).cuda()
        make(index, values)  # takes the memory that it needs beside the result
        earlier = [torch.full((4,), STALE).cuda() for _ in range(32)]
        del earlier
        assert make(index, values).flatten().tolist() == [0, 0, 0, 0], name
        assert index.tolist() == [0, 1, 2, 3] and values.tolist() == [10, 11, 12, 13], name


def check_uploads():
    x, host = torch.randn(4, 12, 16, device="cuda"), torch.tensor([12, 9, 5, 3])
    lengths = host.cuda()
    mask = torch.arange(12, device="cuda")[None] < lengths[:, None]
    (x * mask[..., None]).sum(), lengths.float().mean(), lengths.max(), lengths.cumsum(0), x[torch.arange(4), lengths - 1]
    assert lengths.tolist() == host.tolist()
    tokens, embedding = torch.randint(1, 50, (2, 8)), torch.nn.Embedding(50, 8).cuda()
    on_device = tokens.cuda()
    embedding(on_device).sum().backward()
    assert torch.equal(on_device.cpu(), tokens)
    attended = torch.tensor([[1, 1, 1, 0], [1, 1, 0, 0]])
    mask = attended.cuda()
    mask.sum(1), mask.bool(), 1 - mask, mask[:, None].expand(2, 4, 4).float(), mask == 0, mask.argmax(1)
    assert torch.equal(mask.cpu(), attended)
    labels, logits = torch.randint(0, 4, (16,)), torch.randn(16, 4, device="cuda", requires_grad=True)
    on_device = labels.cuda()
    F.cross_entropy(logits, on_device).backward()
    (logits.argmax(1) == on_device).sum(), F.one_hot(on_device, 4)
    assert torch.equal(on_device.cpu(), labels)
    layer = torch.nn.LSTM(16, 8, batch_first=True).cuda()
    for _ in range(3):
        packed, _ = layer(pack_padded_sequence(x, torch.tensor([12, 5, 9, 3]), batch_first=True, enforce_sorted=False))
        assert pad_packed_sequence(packed, batch_first=True)[0].shape == (4, 12, 8)


check_results()
check_uploads()
print("ok uploads_read_back")
