"""Recurrent layers, packed sequences included: the order of an unsorted batch goes to the device with a wait.
# expect: waits=2 h2d_stalls=1
"""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

layer = nn.LSTM(16, 32, num_layers=2, dropout=0.1, bidirectional=True, batch_first=True).cuda()
gru, plain = nn.GRU(64, 32, batch_first=True).cuda(), nn.RNN(32, 8, batch_first=True).cuda()
head = nn.Linear(8, 4).cuda()
parameters = [p for module in (layer, gru, plain, head) for p in module.parameters()]
optimizer = torch.optim.Adam(parameters)
x, lengths = torch.randn(4, 12, 16, device="cuda"), torch.tensor([12, 5, 9, 3])
for number in range(6):
    torch.cuda.nvtx.range_push(f"step {number}")
    packed, _ = layer(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
    output, _ = pad_packed_sequence(packed, batch_first=True)  # reads the order back: the second wait
    output, hidden = plain(gru(output)[0])
    head(output).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    torch.cuda.nvtx.range_pop()
assert output.shape == (4, 12, 8) and hidden.shape == (1, 4, 8)
print("ok lstm")
