"""Linear algebra: cuBLAS and cuSOLVER. Results are zeros; nothing may raise."""
import os
import pathlib

# eig asks the device whether its input is finite, and raises if not: a kernel's answer, which has to be supplied.
os.environ.setdefault("ZEROSTALL_SIM_VALUES", str(pathlib.Path(__file__).with_suffix(".values.json")))

import torch

torch.manual_seed(0)


def check(name, run):
    run()
    torch.cuda.synchronize()
    print("ok", name, flush=True)


def matrix(n=8, dtype=torch.float32, batch=()):
    return (torch.eye(n, dtype=dtype) + 1).expand(*batch, n, n).contiguous().cuda()


def every_type(run, *batches):
    """`run` on each number type, on one matrix and on batches."""
    def all_of_them():
        for dtype in (torch.float32, torch.float64, torch.complex64, torch.complex128):
            for batch in ((), (3,), *batches):
                run(matrix(dtype=dtype, batch=batch))
    return all_of_them


def differentiable(function):
    def run():
        x = matrix().requires_grad_()
        out = function(x)
        out = out if isinstance(out, torch.Tensor) else out[0]
        out.abs().sum().backward()
        assert x.grad.shape == x.shape
    return run


def products():
    for dtype in (torch.float32, torch.float64, torch.half, torch.bfloat16, torch.complex64, torch.complex128):
        a, b = matrix(16, dtype), matrix(16, dtype, (4,))
        a @ a, a @ a[0], b @ b, torch.addmm(a, a, a), torch.baddbmm(b, b, b), torch.addmv(a[0], a, a[1]), torch.outer(a[0], a[0])
        torch.dot(a[0], a[0]), torch.vdot(a[0], a[0]), torch.linalg.vecdot(a, a), torch.nn.functional.linear(a, a, a[0])
    a = torch.ones(32, 32, dtype=torch.int8, device="cuda")
    assert torch._int_mm(a, a).dtype == torch.int32


def scaled_product():
    if torch.cuda.get_device_capability() < (8, 9):
        return
    a = torch.zeros(32, 64, device="cuda").to(torch.float8_e4m3fn)
    one = torch.ones((), device="cuda")
    assert tuple(torch._scaled_mm(a, a.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16).shape) == (32, 32)
    rows = torch.ones(32, 1, device="cuda")
    torch._scaled_mm(a, a.t(), scale_a=rows, scale_b=rows.t(), out_dtype=torch.bfloat16)


def lstsq():
    for dtype in (torch.float32, torch.complex64):
        for batch in ((), (3,)):
            a = torch.ones(*batch, 12, 8, dtype=dtype, device="cuda")
            assert torch.linalg.lstsq(a, a[..., :2]).solution.shape == (*batch, 8, 2)


def lu_solve():
    for n, batch in ((8, ()), (8, (3,)), (600, ())):
        a = matrix(n, batch=batch)
        factors, pivots = torch.linalg.lu_factor(a)
        torch.linalg.lu_solve(factors, pivots, a)


def svd_drivers():
    for driver in ("gesvd", "gesvdj", "gesvda"):
        for batch in ((), (3,)):
            a = torch.ones(*batch, 12, 8, device="cuda")
            assert torch.linalg.svd(a, full_matrices=False, driver=driver).S.shape == (*batch, 8)
    torch.linalg.svdvals(matrix(40))


def ldl():
    factors, pivots, _ = torch.linalg.ldl_factor_ex(matrix())
    torch.linalg.ldl_solve(factors, pivots, matrix())


# The functions that linalg.values.json names.
def real_eig(a):
    return L.eig(a)


def complex_eig(a):
    return L.eig(a)


def eig_on_cpu(a):
    return L.eig(a)


def eig(a):
    on_cpu = tuple(map(int, torch.__version__.split(".")[:2])) < (2, 10)  # PyTorch brought the matrix to the CPU then
    run = eig_on_cpu if on_cpu else complex_eig if a.is_complex() else real_eig
    values, vectors = run(a)
    assert values.is_complex() and vectors.shape == a.shape


L = torch.linalg
check("products", products)
check("scaled product", scaled_product)
check("inv", every_type(L.inv))
check("inv backward", differentiable(L.inv))
check("solve", every_type(lambda a: L.solve(a, a), (2, 2)))
check("solve backward", differentiable(lambda a: L.solve(a, a)))
check("cholesky", every_type(L.cholesky))
check("cholesky backward", differentiable(L.cholesky))
check("cholesky_solve", every_type(lambda a: torch.cholesky_solve(a, a)))
check("cholesky_inverse", every_type(torch.cholesky_inverse))
check("qr", every_type(L.qr))
check("qr backward", differentiable(L.qr))
check("householder_product", every_type(lambda a: L.householder_product(*torch.geqrf(a))))
check("ormqr", lambda: torch.ormqr(*torch.geqrf(matrix()), matrix()))
check("svd", every_type(L.svd))
check("svd drivers", svd_drivers)
check("eigh", every_type(L.eigh))
check("eigh large", lambda: L.eigh(matrix(200)))
check("eigvalsh backward", differentiable(L.eigvalsh))
check("eig", every_type(eig))
check("eigvals", every_type(L.eigvals))
check("lu", every_type(L.lu))
check("lu_solve", lu_solve)
check("ldl", ldl)
check("lstsq", lstsq)
check("pinv", every_type(L.pinv))
check("matrix_norm", every_type(lambda a: (L.matrix_norm(a), L.matrix_norm(a, 2), L.matrix_norm(a, "nuc"))))
check("cond", every_type(L.cond))
check("matrix_rank", every_type(L.matrix_rank))
check("matrix_exp", lambda: torch.matrix_exp(matrix()))
check("solve_triangular", every_type(lambda a: L.solve_triangular(a, a, upper=True)))
# Products of all elements are a kernel that PyTorch compiles at run time.
check("det", every_type(L.det))
check("slogdet", every_type(L.slogdet))
