"""Fourier transforms through cuFFT, sparse matrices through cuSPARSE and cuSPARSELt. Results are zeros; nothing may raise."""
import warnings

import torch

warnings.filterwarnings("ignore", message=".*(beta state|prototype).*")
torch.manual_seed(0)


def check(name, run):
    run()
    torch.cuda.synchronize()
    print("ok", name, flush=True)


def fourier():
    x = torch.ones(4, 16, 16, device="cuda", requires_grad=True)
    assert torch.fft.fft(x).shape == x.shape and tuple(torch.fft.rfft(x).shape) == (4, 16, 9)
    assert torch.fft.irfft(torch.fft.rfft(x)).shape == x.shape
    torch.fft.ifft2(torch.fft.fft2(x)).real.sum().backward()
    assert x.grad.shape == x.shape


def fourier_types():
    x = torch.ones(4, 16, 16, device="cuda")
    for dtype in (torch.half, torch.double):
        assert tuple(torch.fft.rfft2(x.to(dtype)).shape) == (4, 16, 9)
    assert torch.fft.fftn(x.to(torch.complex128)).dtype == torch.complex128
    assert torch.fft.fft(x, n=100, dim=1).shape == (4, 100, 16)
    assert torch.fft.hfft(x).shape == (4, 16, 30)


def short_time():
    window = torch.ones(8, device="cuda")
    spectrum = torch.stft(torch.ones(2, 64, device="cuda"), 8, return_complex=True, window=window)
    assert tuple(spectrum.shape) == (2, 5, 33)


def coo(n=8, dtype=torch.float32):
    index = torch.arange(n)
    # Coalescing on the device would ask it how many entries there are.
    return torch.sparse_coo_tensor(torch.stack([index, index]), torch.ones(n, dtype=dtype), (n, n), is_coalesced=True).cuda()


def csr(n=8, dtype=torch.float32, index=torch.int32):
    rows, columns = torch.arange(n + 1, dtype=index), torch.arange(n, dtype=index)
    return torch.sparse_csr_tensor(rows.cuda(), columns.cuda(), torch.ones(n, dtype=dtype).cuda(), (n, n))


def bsr():
    rows, columns = torch.arange(5, dtype=torch.int32), torch.arange(4, dtype=torch.int32)
    return torch.sparse_bsr_tensor(rows.cuda(), columns.cuda(), torch.ones(4, 2, 2).cuda(), (8, 8))


def dense(dtype=torch.float32):
    return torch.ones(8, 8, dtype=dtype, device="cuda")


def products():
    for dtype in (torch.float32, torch.float64, torch.half, torch.bfloat16, torch.complex64):
        assert (csr(dtype=dtype) @ dense(dtype)).shape == (8, 8)
        assert (csr(dtype=dtype) @ dense(dtype)[0]).shape == (8,)
    assert torch.addmm(dense(), csr(), dense()).shape == (8, 8)
    assert torch.sparse.mm(coo(), dense()).shape == (8, 8)
    assert torch.addmv(dense()[0], csr(), dense()[0]).shape == (8,)


def blocked_products():
    assert (bsr() @ dense()).shape == (8, 8)
    assert torch.addmv(dense()[0], bsr(), dense()[0]).shape == (8,)


def backward():
    a = coo().requires_grad_()
    b = dense().requires_grad_()
    torch.sparse.mm(a, b).sum().backward()
    assert b.grad.shape == b.shape and a.grad.is_sparse


def of_two_sparse():
    """The number of nonzeros comes back from the library."""
    result = csr() @ csr()
    assert result.layout == torch.sparse_csr and result.values().numel() == 8, result.values().numel()
    total = torch.add(csr(), csr())
    assert total.values().numel() == 16, total.values().numel()


def sampled():
    result = torch.sparse.sampled_addmm(csr(), dense(), dense())
    assert result.values().numel() == 8


def triangular():
    assert torch.triangular_solve(dense(), csr(), upper=True)[0].shape == (8, 8)
    assert torch.triangular_solve(dense(), bsr(), upper=True)[0].shape == (8, 8)


def conversions():
    assert coo().to_sparse_csr().values().numel() == 8
    assert csr().to_dense().shape == (8, 8)
    assert csr().to_sparse_coo().layout == torch.sparse_coo


def embedding():
    m = torch.nn.Embedding(16, 4, sparse=True).cuda()
    m(torch.tensor([1, 2, 3], device="cuda")).sum().backward()
    assert m.weight.grad.is_sparse
    torch.optim.SparseAdam(m.parameters()).step()


def structured():
    """2:4 sparsity through cuSPARSELt."""
    a = torch.ones(64, 64, dtype=torch.half, device="cuda")
    compressed = torch._cslt_compress(a)
    assert compressed.dtype == torch.half and compressed.numel() > 64 * 32
    assert torch._cslt_sparse_mm(compressed, a).shape == (64, 64)
    algorithm, *_ = torch._C._cusparselt.mm_search(compressed, a, None, None, None, False)
    torch._cslt_sparse_mm(compressed, a, alg_id=algorithm)


check("fft", fourier)
check("fft types", fourier_types)
check("stft", short_time)
check("sparse products", products)
check("blocked products", blocked_products)
check("sparse backward", backward)
check("sparse by sparse", of_two_sparse)
check("sampled product", sampled)
check("sparse triangular solve", triangular)
check("sparse conversions", conversions)
check("sparse embedding", embedding)
check("structured sparsity", structured)
