"""Recurrent networks and CTC loss through cuDNN, forward and backward."""
import torch
from torch import nn

torch.manual_seed(0)
STEPS, BATCH, WIDTH, HIDDEN = 5, 3, 8, 6


def check(name, run):
    run()
    torch.cuda.synchronize()
    print("ok", name, flush=True)


def trained(kind, dtype=torch.float32, **options):
    def run():
        m = kind(WIDTH, HIDDEN, **options).cuda().to(dtype)
        x = torch.randn(STEPS, BATCH, WIDTH, device="cuda", dtype=dtype, requires_grad=True)
        out, state = m(x)
        directions = 2 if options.get("bidirectional") else 1
        assert tuple(out.shape) == (STEPS, BATCH, (options.get("proj_size") or HIDDEN) * directions), out.shape
        hidden = state[0] if isinstance(state, tuple) else state
        assert hidden.shape[0] == options.get("num_layers", 1) * directions
        out.float().sum().backward()
        assert x.grad.shape == x.shape
        assert all(p.grad.shape == p.shape for p in m.parameters())
    return run


def weights_are_flat():
    """cuDNN's places of the weights must lie side by side in one buffer: PyTorch makes its parameters views of it."""
    m = nn.LSTM(WIDTH, HIDDEN, num_layers=2, bidirectional=True).cuda()
    storages = {p.untyped_storage().data_ptr() for p in m.parameters()}
    assert len(storages) == 1, storages
    spans = sorted((p.data_ptr(), p.data_ptr() + p.numel() * 4) for p in m.parameters())
    assert all(end == begin for (_, end), (begin, _) in zip(spans, spans[1:])), spans
    total = sum(p.numel() for p in m.parameters()) * 4
    assert spans[-1][1] - spans[0][0] == total == next(m.parameters()).untyped_storage().nbytes()


def evaluated():
    m = nn.LSTM(WIDTH, HIDDEN).cuda().eval()
    with torch.no_grad():
        assert tuple(m(torch.randn(STEPS, BATCH, WIDTH, device="cuda"))[0].shape) == (STEPS, BATCH, HIDDEN)


def packed():
    m = nn.GRU(WIDTH, HIDDEN, batch_first=True).cuda()
    x = torch.randn(BATCH, STEPS, WIDTH, device="cuda", requires_grad=True)
    sequence = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([5, 4, 2]), batch_first=True)
    out, _ = nn.utils.rnn.pad_packed_sequence(m(sequence)[0], batch_first=True)
    assert tuple(out.shape) == (BATCH, STEPS, HIDDEN)
    out.sum().backward()


def autocast():
    m = nn.LSTM(WIDTH, HIDDEN, num_layers=2).cuda()
    with torch.autocast("cuda", dtype=torch.float16):
        out, _ = m(torch.randn(STEPS, BATCH, WIDTH, device="cuda"))
    assert out.dtype == torch.float16
    out.float().sum().backward()


def ctc(lengths_of, targets_on="cpu"):
    """cuDNN serves targets and lengths on the CPU, and on the GPU since 9."""
    def run():
        logits = torch.randn(50, 4, 20, device="cuda", requires_grad=True)
        targets = torch.ones(4 * 10, dtype=torch.int32, device=targets_on)
        loss = nn.functional.ctc_loss(logits.log_softmax(2), targets, lengths_of([50] * 4), lengths_of([10] * 4), reduction="sum")
        loss.backward()
        assert logits.grad.shape == logits.shape
    return run



check("lstm", trained(nn.LSTM))
check("lstm layers bidirectional", trained(nn.LSTM, num_layers=2, bidirectional=True))
check("lstm projection", trained(nn.LSTM, num_layers=2, proj_size=4))
check("lstm dropout", trained(nn.LSTM, num_layers=2, dropout=0.5))
check("lstm no bias", trained(nn.LSTM, bias=False))
check("lstm half", trained(nn.LSTM, dtype=torch.half))
check("gru", trained(nn.GRU))
check("gru layers bidirectional", trained(nn.GRU, num_layers=2, bidirectional=True))
check("rnn tanh", trained(nn.RNN))
check("rnn relu", trained(nn.RNN, nonlinearity="relu"))
check("weights are flat", weights_are_flat)
check("evaluation", evaluated)
check("packed sequence", packed)
check("autocast", autocast)
check("ctc loss", ctc(tuple))
check("ctc loss gpu lengths", ctc(lambda n: torch.tensor(n, dtype=torch.int32, device="cuda"), "cuda"))
check("ctc loss native", ctc(tuple, "cuda"))
