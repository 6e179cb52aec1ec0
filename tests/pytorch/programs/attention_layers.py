"""PyTorch's own transformer layers, trained and evaluated (the fast path included).
# expect: waits=0
"""
import torch
from torch import nn

attention = nn.MultiheadAttention(64, 4, batch_first=True).cuda()
SIZES = dict(d_model=64, nhead=4, dim_feedforward=128, batch_first=True)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(**SIZES), 2, enable_nested_tensor=False).cuda()
decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**SIZES), 1).cuda()
parameters = [p for module in (attention, encoder, decoder) for p in module.parameters()]
optimizer = torch.optim.AdamW(parameters)
x, padding = torch.randn(2, 16, 64, device="cuda"), torch.zeros(2, 16, dtype=torch.bool, device="cuda")
causal = nn.Transformer.generate_square_subsequent_mask(16, device="cuda")
for number in range(5):
    torch.cuda.nvtx.range_push(f"step {number}")
    y, weights = attention(x, x, x, key_padding_mask=padding)
    memory = encoder(y)
    decoder(x, memory, tgt_mask=causal, tgt_is_causal=True).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    torch.cuda.nvtx.range_pop()
assert weights.shape == (2, 16, 16)
for module in (attention, encoder):
    module.eval()
with torch.no_grad():
    attention(x, x, x, need_weights=False)
    assert encoder(x).shape == x.shape
    for backend in (nn.attention.SDPBackend.FLASH_ATTENTION, nn.attention.SDPBackend.EFFICIENT_ATTENTION,
                    nn.attention.SDPBackend.MATH):
        with nn.attention.sdpa_kernel(backend):
            q = torch.randn(2, 4, 32, 64, device="cuda", dtype=torch.bfloat16)
            assert nn.functional.scaled_dot_product_attention(q, q, q).shape == q.shape
torch.cuda.synchronize()
print("ok attention_layers")
