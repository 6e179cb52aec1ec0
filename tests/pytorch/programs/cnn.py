"""Convolutional networks through cuDNN: every kind of convolution forward and backward, normalization, pooling, mixed precision."""
import torch
from torch import nn

torch.manual_seed(0)


def check(name, run):
    run()
    torch.cuda.synchronize()
    print("ok", name, flush=True)


def trained(module, *shape, channels_last=None, dtype=torch.float32, expect=None):
    """One forward and backward pass; the gradients must have the parameters' shapes."""
    def run():
        m = module.cuda().to(dtype)
        x = torch.randn(*shape, device="cuda", dtype=dtype, requires_grad=True)
        if channels_last:
            m, x = m.to(memory_format=channels_last), x.detach().to(memory_format=channels_last).requires_grad_()
        y = m(x)
        if expect:
            assert tuple(y.shape) == expect, y.shape
        if channels_last:
            assert y.is_contiguous(memory_format=channels_last), y.stride()
        y.float().sum().backward()
        assert x.grad.shape == x.shape
        assert all(p.grad.shape == p.shape for p in m.parameters())
    return run


def amp(dtype):
    def run():
        model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                              nn.Linear(16 * 64, 10)).cuda()
        scaler = torch.amp.GradScaler("cuda", enabled=dtype == torch.float16)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        for _ in range(2):
            with torch.autocast("cuda", dtype=dtype):
                scores = model(torch.randn(4, 3, 16, 16, device="cuda"))
                loss = nn.functional.cross_entropy(scores, torch.zeros(4, device="cuda", dtype=torch.long))
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
        assert loss.item() == 0.0
    return run


def benchmarked():
    torch.backends.cudnn.benchmark = True
    try:
        trained(nn.Conv2d(3, 8, 3), 2, 3, 20, 20, expect=(2, 8, 18, 18))()
        trained(nn.Conv2d(3, 8, 3), 2, 3, 20, 20)()  # from the cache
    finally:
        torch.backends.cudnn.benchmark = False


def deterministic():
    with torch.backends.cudnn.flags(enabled=True, deterministic=True, benchmark=False, allow_tf32=False):
        trained(nn.Conv2d(3, 8, 3), 2, 3, 21, 21)()


def fused():
    """cudnn_convolution_relu and its sum with another tensor, as inference graphs use them."""
    x, w, b = (torch.randn(s, device="cuda") for s in ((2, 3, 16, 16), (8, 3, 3, 3), (8,)))
    with torch.no_grad():
        y = torch.cudnn_convolution_relu(x, w, b, [1, 1], [0, 0], [1, 1], 1)
        assert tuple(y.shape) == (2, 8, 14, 14)
        torch.cudnn_convolution_add_relu(x, w, y, 1.0, b, [1, 1], [0, 0], [1, 1], 1)


def evaluated():
    m = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AvgPool2d(2)).cuda().eval()
    with torch.no_grad():
        assert tuple(m(torch.randn(2, 3, 16, 16, device="cuda")).shape) == (2, 8, 7, 7)


def grid_sample():
    x = torch.randn(2, 3, 8, 8, device="cuda", requires_grad=True)
    theta = torch.randn(2, 2, 3, device="cuda", requires_grad=True)
    grid = nn.functional.affine_grid(theta, (2, 3, 8, 8), align_corners=True)
    nn.functional.grid_sample(x, grid, align_corners=True).sum().backward()
    assert theta.grad.shape == theta.shape


def captured():
    """The libraries' kernels go into a CUDA graph."""
    m = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU()).cuda()
    x = torch.randn(2, 3, 8, 8, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        m(x).sum().backward()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        m(x).sum().backward()
    graph.replay()


assert torch.backends.cudnn.is_available() and torch.backends.cudnn.version() >= 90100
check("conv1d", trained(nn.Conv1d(4, 8, 3), 2, 4, 32, expect=(2, 8, 30)))
check("conv2d", trained(nn.Conv2d(3, 8, 3, stride=2, padding=1), 2, 3, 16, 16, expect=(2, 8, 8, 8)))
check("conv2d dilated", trained(nn.Conv2d(3, 8, 3, dilation=2), 2, 3, 16, 16, expect=(2, 8, 12, 12)))
check("conv2d grouped", trained(nn.Conv2d(8, 8, 3, groups=4), 2, 8, 16, 16, expect=(2, 8, 14, 14)))
check("conv2d depthwise", trained(nn.Conv2d(8, 8, 3, groups=8), 2, 8, 16, 16, expect=(2, 8, 14, 14)))
check("conv2d half", trained(nn.Conv2d(8, 8, 3), 2, 8, 16, 16, dtype=torch.half))
check("conv2d bfloat16", trained(nn.Conv2d(8, 8, 3), 2, 8, 16, 16, dtype=torch.bfloat16))
check("conv2d channels_last", trained(nn.Conv2d(8, 8, 3), 2, 8, 16, 16, dtype=torch.half, channels_last=torch.channels_last))
check("conv3d", trained(nn.Conv3d(3, 8, 3), 2, 3, 8, 8, 8, expect=(2, 8, 6, 6, 6)))
check("conv3d channels_last", trained(nn.Conv3d(8, 8, 3), 2, 8, 8, 8, 8, dtype=torch.half, channels_last=torch.channels_last_3d))
check("conv_transpose1d", trained(nn.ConvTranspose1d(8, 4, 2, stride=2), 2, 8, 16, expect=(2, 4, 32)))
check("conv_transpose2d", trained(nn.ConvTranspose2d(8, 4, 2, stride=2), 2, 8, 8, 8, expect=(2, 4, 16, 16)))
check("conv_transpose3d", trained(nn.ConvTranspose3d(8, 4, 2, stride=2), 2, 8, 4, 4, 4, expect=(2, 4, 8, 8, 8)))
check("batch_norm", trained(nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU()), 2, 3, 16, 16))
check("batch_norm channels_last", trained(nn.Sequential(nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8)), 2, 8, 16, 16,
                                         channels_last=torch.channels_last))
check("group_norm", trained(nn.Sequential(nn.Conv2d(3, 8, 3), nn.GroupNorm(2, 8)), 2, 3, 16, 16))
check("max_pool2d", trained(nn.Sequential(nn.Conv2d(3, 8, 3), nn.MaxPool2d(2)), 2, 3, 16, 16, expect=(2, 8, 7, 7)))
check("adaptive_avg_pool2d", trained(nn.Sequential(nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1)), 2, 3, 16, 16, expect=(2, 8, 1, 1)))
check("evaluation", evaluated)
check("autocast float16", amp(torch.float16))
check("autocast bfloat16", amp(torch.bfloat16))
check("benchmark", benchmarked)
check("deterministic", deterministic)
check("fused convolution", fused)
check("grid_sample", grid_sample)
check("captured", captured)
