"""Scaled dot product attention through each of PyTorch's ways, forward and backward; cuDNN's among them (capability 9.0 and up)."""
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

torch.manual_seed(0)


def check(name, run):
    run()
    torch.cuda.synchronize()
    print("ok", name, flush=True)


def qkv(dtype, heads=4, keys=64, width=64):
    return [torch.randn(2, heads, n, width, device="cuda", dtype=dtype, requires_grad=True) for n in (64, keys, keys)]


def attention(backend, dtype=torch.bfloat16, keys=64, mask=False, **options):
    def run():
        q, k, v = qkv(dtype, keys=keys)
        if mask:
            options["attn_mask"] = torch.zeros(2, 1, 64, keys, device="cuda", dtype=dtype)
        with sdpa_kernel(backend):
            y = scaled_dot_product_attention(q, k, v, **options)
        assert y.shape == q.shape
        y.float().sum().backward()
        assert all(t.grad.shape == t.shape for t in (q, k, v))
    return run


def inference(backend):
    def run():
        with torch.no_grad(), sdpa_kernel(backend):
            scaled_dot_product_attention(*qkv(torch.half))
    return run


def multihead():
    m = nn.MultiheadAttention(64, 4, batch_first=True).cuda()
    x = torch.randn(2, 16, 64, device="cuda")
    y, weights = m(x, x, x)
    assert tuple(weights.shape) == (2, 16, 16)
    y.sum().backward()
    m.eval()
    with torch.no_grad():
        m(x, x, x, need_weights=False)


def encoder():
    m = nn.TransformerEncoderLayer(64, 4, batch_first=True).cuda()
    x = torch.randn(2, 16, 64, device="cuda")
    m(x).sum().backward()
    m.eval()
    padding = torch.zeros(2, 16, dtype=torch.bool, device="cuda")
    with torch.no_grad():
        assert m(x).shape == x.shape
        assert m(x, src_key_padding_mask=padding).shape == x.shape


if torch.cuda.get_device_capability() >= (9, 0):
    CUDNN = SDPBackend.CUDNN_ATTENTION
    check("cudnn", attention(CUDNN))
    check("cudnn half", attention(CUDNN, torch.half))
    check("cudnn causal", attention(CUDNN, is_causal=True))
    check("cudnn mask", attention(CUDNN, mask=True))
    check("cudnn cross attention", attention(CUDNN, keys=128))
    check("cudnn dropout", attention(CUDNN, dropout_p=0.125))
    check("cudnn inference", inference(CUDNN))
check("flash", attention(SDPBackend.FLASH_ATTENTION))
check("efficient", attention(SDPBackend.EFFICIENT_ATTENTION))
check("math", attention(SDPBackend.MATH, torch.float32))
check("default", attention([SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]))
check("multihead", multihead)
check("encoder", encoder)
