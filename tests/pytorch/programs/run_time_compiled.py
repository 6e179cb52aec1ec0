"""Operations whose kernels PyTorch compiles at run time with NVRTC: jiterator, special functions, integer and complex ones."""
import torch

x, i = torch.rand(1000, device="cuda"), torch.randint(1, 100, (1000,), device="cuda")
c = torch.randn(100, dtype=torch.complex64, device="cuda")
CODE = "template <typename T> T my_kernel(T x, T y, T alpha) { return -x + alpha * y; }"


@torch.jit.script
def fused(a, b):
    return torch.relu(a * b + a) * b


CASES = {
    "jiterator": lambda: torch.cuda.jiterator._create_jit_fn(CODE, alpha=1.0)(x, x, alpha=2.0),
    "airy_ai": lambda: torch.special.airy_ai(x),
    "i0": lambda: torch.i0(x),
    "zeta": lambda: torch.special.zeta(x, x),
    "gcd": lambda: torch.gcd(i, i),
    "lcm": lambda: torch.lcm(i, i),
    "complex pow": lambda: c**c,
    "complex prod": lambda: torch.prod(c),
    "complex sigmoid": lambda: torch.sigmoid(c),
    "TorchScript fuser": lambda: [fused(x, x) for _ in range(4)],
}
for name, run in CASES.items():
    run()
    torch.cuda.synchronize()
    print("ok", name, flush=True)
