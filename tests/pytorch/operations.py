"""What an operation of PyTorch makes the host wait for: the table that is tested, and documentation.

Each row: name, code, waits, reason, and perhaps `setup`. `waits` lists the host waits of one execution, in order,
each a word of WAITS below ("" = none). `reason` is the place in PyTorch's sources as "file: function"; where PyTorch
can be made to stop at the wait (set_sync_debug_mode("error")), the test checks that each function named is on the
stack then. Figures hold for PyTorch 2.11.

Rows see these names: torch, F, x y (8 floats on the device), m (4x4 floats there), i (8 int64 there, zeros), mask (8
bools there), s (0-dim float there), n (0-dim int64 there), h (8 floats in ordinary memory), p (8 floats, pinned), net
(two linear layers with gradients), and what their own `setup` makes. Setup and a warm-up run come before, outside of
what is counted.
"""
from collections import namedtuple

# What one wait consists of: calls counted, whether its copy is from or to pageable memory, its direction, how often
# torch.cuda.set_sync_debug_mode("warn") speaks up, and why that is less than what we count.
Wait = namedtuple("Wait", "meaning sync pageable copy warns why")
WAITS = {
    "read": Wait("copy to pinned memory + stream sync", "stream", False, "device to host", 1, ""),
    "down": Wait("copy to pageable memory + stream sync", "stream", True, "device to host", 1, ""),
    "up": Wait("copy from pageable memory + stream sync", "stream", True, "host to device", 1, ""),
    "up-pinned": Wait("copy from pinned memory + stream sync", "stream", False, "host to device", 1, ""),
    "stream": Wait("stream sync alone", "stream", False, None, 1, ""),
    "up-alone": Wait("asynchronous copy from pageable memory", None, True, "host to device", 0,
                     "PyTorch asked for an asynchronous copy; it is the driver that has to stage pageable memory"),
    "down-alone": Wait("asynchronous copy to pageable memory", None, True, "device to host", 0,
                       "PyTorch asked for an asynchronous copy; to pageable memory it returns when it is done"),
    "device": Wait("device sync", "device", False, None, 0,
                   "c10/cuda/CUDAFunctions.cpp: device_synchronize does not ask for the debug mode"),
    "event": Wait("event sync", "event", False, None, 0,
                  "ATen/cuda/CUDAEvent.h: CUDAEvent::synchronize does not ask for the debug mode"),
    "read-event": Wait("copy to pinned memory + event sync", "event", False, "device to host", 0,
                       "ATen/cuda/CUDAEvent.h: CUDAEvent::synchronize does not ask for the debug mode"),
    "thrust": Wait("stream sync inside Thrust", "stream", False, None, 0,
                   "Thrust, a library of the CUDA toolkit, synchronises on its own; PyTorch does not see it"),
    "thrust-read": Wait("copy to pageable memory + stream sync inside Thrust", "stream", True, "device to host", 0,
                        "Thrust, a library of the CUDA toolkit, synchronises on its own; PyTorch does not see it"),
}

Row = namedtuple("Row", "name code waits reason setup needs flags")
OPERATIONS = []


def op(name, code, waits, reason, setup="", needs="", flags=()):
    """needs: a module without which the row is skipped. flags: what 1-byte reads of device memory give, in turn and
    over again, where PyTorch checks its arguments by the result of a kernel (on the simulated GPU that is false)."""
    OPERATIONS.append(Row(name, code, tuple(waits.split()), reason, setup, needs, flags))


# Long paths, shortened.
CUDA = "aten/src/ATen/native/cuda/"
NATIVE = "aten/src/ATen/native/"
SCALAR = CUDA + "CUDAScalar.cu: _local_scalar_dense_cuda"
COPY = CUDA + "Copy.cu: copy_kernel_cuda"
NONZERO = CUDA + "Nonzero.cu: nonzero_out_cuda reads the count"
NEW = "built on the host, then a blocking copy: torch/csrc/utils/"
ARGUMENT = "a host number is wanted: torch/csrc/utils/python_arg_parser.cpp: scalar_slow; "
TRUTH = "aten/src/ATen/native/TensorCompare.cpp: is_nonzero; "
MAKE_INFO = NATIVE + "TensorAdvancedIndexingUtils.h: make_info; "
INDEXING = "torch/csrc/autograd/python_variable_indexing.cpp: "
SLICING = "aten/src/ATen/TensorIndexing.h: "
KERNEL = "kernels only"
HOST = "host only"

# --- reading one value -----------------------------------------------------------------------------------------------
op("item", "s.item()", "read", SCALAR)
op("float", "float(s)", "read", SCALAR)
op("int", "int(n)", "read", SCALAR)
op("if-tensor", "if s > 0: pass", "read", TRUTH + SCALAR)
op("format", "f'{s:.3f}'", "read", "torch/_tensor.py: __format__ calls item")
op("math-isnan", "math.isnan(s)", "read", "Python asks for float(s)", "import math")
op("isnan-any-branch", "if x.isnan().any(): pass", "read", TRUTH + SCALAR)
op("isnan-any", "x.isnan().any()", "", KERNEL)
op("assert-async", "torch._assert_async((i == 0).all())", "",
   CUDA + "TensorCompare.cu: _assert_async_cuda checks on the device")
op("compare-scalars", "min(s, s + 1)", "read", "Python's min branches on a comparison; " + TRUTH + SCALAR)
op("minimum", "torch.minimum(s, s + 1)", "", KERNEL)
op("builtin-max", "max(x)", "read " * 7, "Python's max iterates and branches on each comparison; " + TRUTH)
op("builtin-sum", "sum(x)", "", "Python's sum iterates over views and adds: kernels only")
op("contains", "1.0 in x", "read", "torch/_tensor.py: __contains__ calls item")
op("equal", "torch.equal(x, y)", "read", NATIVE + "cuda/Equal.cpp: cuda_equal")
op("allclose", "torch.allclose(x, y)", "read", NATIVE + "TensorCompare.cpp: allclose")
op("eq-elements", "x == y", "", KERNEL)
op("accuracy-item", "(m.argmax(1) == i[:4]).float().mean().item()", "read", SCALAR)
op("accuracy-on-device", "total += (m.argmax(1) == i[:4]).sum()", "", KERNEL, "total = torch.zeros((), device='cuda')")
op("losses-stacked", "torch.stack([s, s, s]).mean().item()", "read", "one read for many steps; " + SCALAR)
op("losses-one-by-one", "[value.item() for value in (s, s, s)]", "read read read", SCALAR)
op("count-nonzero", "x.count_nonzero()", "", KERNEL)

# --- reading many values ---------------------------------------------------------------------------------------------
op("tolist", "x.tolist()", "down", "torch/csrc/utils/tensor_list.cpp: tensor_to_list copies to the CPU")
op("cpu", "x.cpu()", "down", COPY)
op("numpy", "x.cpu().numpy()", "down", COPY + "; numpy() itself shares the memory", needs="numpy")
op("to-cpu", "x.to('cpu')", "down", COPY)
op("to-cpu-non-blocking", "x.to('cpu', non_blocking=True)", "",
   NATIVE + "TensorConversions.cpp: _to_copy makes the target pinned")
op("deferred-read", "t = x.to('cpu', non_blocking=True); e.record(); e.synchronize()", "read-event",
   "an event sync instead of a stream sync: still one wait", "e = torch.cuda.Event()")
op("copy-to-pageable", "h.copy_(x)", "down", COPY)
op("copy-to-pageable-non-blocking", "h.copy_(x, non_blocking=True)", "down-alone", COPY)
op("copy-to-pinned", "p.copy_(x)", "read", COPY)
op("copy-to-pinned-non-blocking", "p.copy_(x, non_blocking=True)", "", COPY)
op("print-floats", "repr(torch.zeros(4, device='cuda'))", "read down",
   "torch/_tensor_str.py: _tensor_str; _Formatter selects the finite non-zero values, then _vector_str calls tolist")
op("print-integers", "repr(torch.zeros(4, dtype=torch.long, device='cuda'))", "read read read read down",
   "torch/_tensor_str.py: _tensor_str; its _Formatter formats each integer, then _vector_str calls tolist")
op("state-dict-to-cpu", "{k: v.cpu() for k, v in net.state_dict().items()}", "down down down down", COPY)
op("torch-save", "torch.save(x, io.BytesIO())", "down", "torch/serialization.py: _save copies each storage to the CPU",
   "import io")
op("deepcopy", "copy.deepcopy(net)", "", "device to device", "import copy")

# --- building tensors ------------------------------------------------------------------------------------------------
op("tensor-list", "torch.tensor([1.0, 2.0], device='cuda')", "up", NEW + "tensor_new.cpp: tensor_ctor")
op("tensor-scalar", "torch.tensor(1.0, device='cuda')", "up", NEW + "tensor_new.cpp: tensor_ctor")
op("as-tensor-list", "torch.as_tensor([1.0, 2.0], device='cuda')", "up", NEW + "tensor_new.cpp: as_tensor")
op("as-tensor-same", "torch.as_tensor(x, device='cuda')", "", "already there")
op("new-tensor", "x.new_tensor([1.0, 2.0])", "up", NEW + "tensor_new.cpp: new_tensor")
op("scalar-tensor", "torch.scalar_tensor(1.0, device='cuda')", "", "a fill on the device")
op("full", "torch.full((4,), 1.0, device='cuda')", "", "a fill on the device")
op("full-device-scalar", "torch.full((4,), s, device='cuda')", "read", ARGUMENT + SCALAR)
op("new-full", "x.new_full((4,), 2.0)", "", "a fill on the device")
op("zeros-on-device", "torch.zeros(4, device='cuda')", "", "a memset or fill on the device")
op("zeros-then-cuda", "torch.zeros(4).cuda()", "up", COPY)
op("arange", "torch.arange(4, device='cuda')", "", KERNEL)
op("arange-device-end", "torch.arange(n, device='cuda')", "read", ARGUMENT + SCALAR)
op("linspace", "torch.linspace(0, 1, 5, device='cuda')", "", KERNEL)
op("tril-indices", "torch.tril_indices(3, 3, device='cuda')", "", KERNEL)

# --- moving to the device --------------------------------------------------------------------------------------------
op("to-pageable", "h.to('cuda')", "up", COPY)
op("to-pageable-non-blocking", "h.to('cuda', non_blocking=True)", "up-alone", COPY)
op("to-pinned", "p.to('cuda')", "up-pinned", COPY)
op("to-pinned-non-blocking", "p.to('cuda', non_blocking=True)", "", COPY)
op("to-pinned-and-dtype", "p.to('cuda', torch.half, non_blocking=True)", "",
   CUDA + "Copy.cu: converts on the device if non-blocking")
op("to-pinned-transposed", "q.t().to('cuda', non_blocking=True).contiguous()", "",
   "`to` keeps the strides, so that the copy is one piece", "q = torch.ones(4, 4).pin_memory()")
op("copy-pinned-transposed", "m.copy_(q.t(), non_blocking=True)", "up-alone",
   CUDA + "Copy.cu: the contiguous copy made first is in pageable memory", "q = torch.ones(4, 4).pin_memory()")
op("to-dtype", "x.to(torch.bfloat16)", "", KERNEL)
op("cuda-already", "x.cuda()", "", "already there")
op("pin-memory", "h.pin_memory()", "", "aten/src/ATen/core/CachingHostAllocator.h: a cached block; host copy")
op("copy-device", "x.copy_(y)", "", "device to device")
op("module-to-device", "net.cpu(); net.to('cuda')", "down down down down up up up up",
   "one copy per parameter; " + COPY, "net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 1)).cuda()")
op("state-on-cpu-used-on-device", "x + h.to(x.device)", "up", COPY)
op("cpu-scalar-operand", "x * torch.tensor(2.0)", "", "TensorIterator passes a CPU scalar to the kernel as an argument")
op("loader-pinned", "next(batches)[0].to('cuda', non_blocking=True)", "", COPY,
   "batches = iter(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(64, 8)), 8, pin_memory=True))")
op("loader-pageable", "next(batches)[0].to('cuda')", "up", COPY,
   "batches = iter(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(64, 8)), 8))")

# --- shapes that depend on values ------------------------------------------------------------------------------------
op("nonzero", "x.nonzero()", "read", NONZERO)
op("nonzero-static", "x.nonzero_static(size=8)", "", CUDA + "Nonzero.cu: nonzero_static_cuda knows the size")
op("argwhere", "torch.argwhere(x)", "read", NONZERO)
op("where-one-argument", "torch.where(mask)", "read", NONZERO)
op("where-three-arguments", "torch.where(mask, x, 0.0)", "", KERNEL)
op("index-by-mask", "x[mask]", "read", MAKE_INFO + NONZERO)
op("index-by-mask-backward", "v[mask].sum().backward()", "read read",
   "the gradient is put at the mask's places, which are counted again, on the autograd thread; " + NONZERO,
   "v = x.clone().requires_grad_()")
op("masked-select", "x.masked_select(mask)", "read", CUDA + "IndexKernel.cpp: masked_select_out_cuda_impl; " + NONZERO)
op("masked-fill", "x.masked_fill(mask, 0.0)", "", KERNEL)
op("masked-scatter", "x.masked_scatter(mask, y)", "", KERNEL)
op("assign-by-mask", "x[mask] = 0.0", "",
   "becomes a masked fill: aten/src/ATen/native/TensorAdvancedIndexingUtils.h: canDispatchToMaskedFill")
op("assign-by-mask-device-scalar", "x[mask] = s", "read",
   NATIVE + "TensorAdvancedIndexing.cpp: _index_put_impl_; a masked fill wants the value on the CPU; " + NONZERO)
op("unique", "i.unique()", "read", CUDA + "Unique.cu: _unique2_cuda reads the count")
op("unique-counts", "i.unique(return_counts=True)", "read", CUDA + "Unique.cu: _unique2_cuda reads the count")
op("unique-consecutive", "i.unique_consecutive()", "read", CUDA + "Unique.cu: unique_consecutive_cuda reads the count")
op("bincount", "i.bincount()", "down read", CUDA + "SummaryOps.cu: _bincount_cuda reads minimum and maximum")
op("bincount-minlength", "i.bincount(minlength=8)", "down read", "minlength saves neither read; see bincount")
op("one-hot", "F.one_hot(i)", "read", NATIVE + "Onehot.cpp: one_hot reads the maximum")
op("one-hot-classes", "F.one_hot(i, 8)", "", KERNEL)
op("repeat-interleave-size", "x.repeat_interleave(i, output_size=0)", "",
   CUDA + "Repeat.cu: repeat_interleave_cuda knows the size")
op("repeat-interleave", "x.repeat_interleave(i)", "read read",
   "the size, and whether all are positive: " + NATIVE + "Repeat.cpp: repeat_interleave_symint; " + SCALAR,
   flags=(True,))
op("repeat-interleave-number", "x.repeat_interleave(2)", "", NATIVE + "Repeat.cpp: repeats is a host number")
op("slice-device-end", "x[:n]", "read",
   "Python asks for an index: tools/autograd/templates/python_variable_methods.cpp: THPVariable_index_scalar; "
   + SCALAR)
op("narrow-device-start", "x.narrow(0, n, 2)", "read", NATIVE + "TensorShape.cpp: narrow_tensor_symint")
op("split-sizes", "x.split(sizes.tolist())", "down", "torch/csrc/utils/tensor_list.cpp: tensor_to_list",
   "sizes = torch.tensor([3, 5]).cuda()")
op("chunk", "x.chunk(2)", "", "views")
op("histc", "x.histc(4)", "down down", CUDA + "SummaryOps.cu: _histc_cuda reads minimum and maximum")
op("histc-range", "x.histc(4, min=0, max=1)", "", KERNEL)
op("isin", "torch.isin(i, i[:2])", "", "few test elements: compared one by one on the device")
op("to-sparse", "x.to_sparse()", "read", NONZERO)

# --- indexing --------------------------------------------------------------------------------------------------------
op("index-number", "x[3]", "", "a view")
op("index-device-scalar", "x[n]", "read",
   SLICING + "handleDimInMultiDimIndexing reads a 0-dim integer tensor and selects a view")
op("index-list", "x[[0, 2]]", "up",
   INDEXING + "applySlicing; torch/csrc/utils/tensor_new.cpp: indexing_tensor_from_data; " + COPY)
op("index-cpu-tensor", "x[torch.tensor([0, 2])]", "up", MAKE_INFO + COPY)
op("index-cpu-mask", "x[torch.tensor([True, False] * 4)]", "",
   "nonzero on the CPU into pinned memory, then asynchronously: aten/src/ATen/native/IndexingUtils.h: expandTensors")
op("index-device-tensor", "x[i]", "", KERNEL)
op("index-select", "x.index_select(0, i)", "", KERNEL)
op("assign-number", "x[0] = 1.0", "up",
   "the number becomes a CPU tensor, which is copied: " + SLICING + "set_item; " + COPY)
op("assign-number-to-slice", "x[:1] = 1.0", "",
   "the shapes differ, so that it is a fill: aten/src/ATen/TensorIndexing.h: copy_to")
op("assign-cpu-scalar", "x[0] = torch.tensor(1.0)", "up", "equal shapes are copied: " + SLICING + "set_item; " + COPY)
op("assign-cpu-scalar-to-slice", "x[:2] = torch.tensor(1.0)", "", SLICING + "copy_to fills with a CPU scalar")
op("fill-device-scalar", "x.fill_(s)", "", "device to device")
op("masked-fill-device-scalar", "x.masked_fill(mask, s)", "read", CUDA + "Indexing.cu: masked_fill__cuda; " + SCALAR)
op("where-device-scalar", "torch.where(mask, s, x)", "", KERNEL)
op("index-fill-device-scalar", "x.index_fill(0, i, s)", "read",
   NATIVE + "TensorAdvancedIndexing.cpp: index_fill_; " + SCALAR)
op("add-alpha-device-scalar", "x.add(y, alpha=s)", "read", ARGUMENT + SCALAR)
op("index-put-accumulate", "x.index_put_((i,), y, accumulate=True)", "",
   CUDA + "Indexing.cu: index_put_with_sort_kernel")
op("scatter-add", "x.scatter_add(0, i, y)", "", KERNEL)
op("gather", "x.gather(0, i)", "", KERNEL)
op("take-along-dim", "x.take_along_dim(i)", "", KERNEL)

# --- layers and losses -----------------------------------------------------------------------------------------------
op("embedding", "F.embedding(i, m)", "", KERNEL)
op("embedding-backward", "F.embedding(i, w).sum().backward()", "", KERNEL, "w = m.clone().requires_grad_()")
op("embedding-sparse-backward", "w.grad = None; F.embedding(i, w, sparse=True).sum().backward()", "", KERNEL,
   "w = m.clone().requires_grad_()")
op("sparse-gradient-coalesce", "w.grad.coalesce()", "thrust thrust thrust thrust thrust-read",
   "aten/src/ATen/native/sparse/cuda/SparseCUDATensor.cu: coalesce_sparse_cuda sorts and counts with Thrust",
   "w = m.clone().requires_grad_(); F.embedding(i, w, sparse=True).sum().backward()")
op("embedding-max-norm", "F.embedding(i, m.clone(), max_norm=1.0)", "",
   CUDA + "Embedding.cu: embedding_renorm_cuda_ leaves the count on the device")
op("cross-entropy", "F.cross_entropy(m, i[:4])", "", KERNEL)
op("nll-ignore-index", "F.nll_loss(m, i[:4], ignore_index=0)", "", KERNEL)
op("dropout", "F.dropout(x)", "", KERNEL)
op("attention", "F.scaled_dot_product_attention(q, q, q)", "", KERNEL, "q = torch.ones(1, 2, 16, 8, device='cuda')")
op("checkpoint", "checkpoint(net, x, use_reentrant=False).sum().backward()", "", "the random state is host memory",
   "from torch.utils.checkpoint import checkpoint")
op("backward", "net(x).sum().backward()", "", KERNEL)
op("anomaly-mode", "with torch.autograd.detect_anomaly(): (v * 2).sum().backward()", "read read",
   "torch/csrc/autograd/engine.cpp: evaluate_function checks each gradient for NaN, on the autograd thread",
   "v = x.clone().requires_grad_()")
op("pad-sequence", "torch.nn.utils.rnn.pad_sequence([x, y[:3]])", "", KERNEL)
op("pack-sorted", "pack(m[None], torch.tensor([4]), batch_first=True)", "", "lengths must be on the CPU",
   "from torch.nn.utils.rnn import pack_padded_sequence as pack")
op("pack-unsorted", "pack(m[None], torch.tensor([4]), batch_first=True, enforce_sorted=False)", "up",
   "torch/nn/utils/rnn.py: pack_padded_sequence moves the order to the device",
   "from torch.nn.utils.rnn import pack_padded_sequence as pack")
op("ctc-loss-numbers", "F.ctc_loss(logits, targets, (8,), (3,))", "down up up up up",
   "the targets to the CPU, to see whether cuDNN could do it; lengths and offsets to the device: " + NATIVE
   + "LossCTC.cpp: ctc_loss; " + COPY,
   "logits = torch.zeros(8, 1, 4, device='cuda'); targets = torch.ones(1, 3, dtype=torch.long, device='cuda')")

# --- optimizers ------------------------------------------------------------------------------------------------------
op("clip-grad-norm", "clip(net.parameters(), 1.0)", "", "the coefficient stays on the device",
   "from torch.nn.utils import clip_grad_norm_ as clip")
op("clip-grad-norm-nonfinite", "clip(net.parameters(), 1.0, error_if_nonfinite=True)", "read",
   "torch/nn/utils/clip_grad.py: _get_total_norm branches on the norm",
   "from torch.nn.utils import clip_grad_norm_ as clip")
op("clip-grad-value", "torch.nn.utils.clip_grad_value_(net.parameters(), 1.0)", "", KERNEL)
op("zero-grad", "o.zero_grad(set_to_none=False)", "", KERNEL, "o = torch.optim.SGD(net.parameters(), 0.1)")
STEP = "o.step()"
op("sgd", STEP, "", KERNEL, "o = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)")
op("sgd-single-tensor", STEP, "", KERNEL, "o = torch.optim.SGD(net.parameters(), 0.1, foreach=False)")
op("sgd-fused", STEP, "", KERNEL, "o = torch.optim.SGD(net.parameters(), 0.1, fused=True)")
op("adam", STEP, "", "foreach; step counters live on the CPU", "o = torch.optim.Adam(net.parameters())")
op("adam-single-tensor", STEP, "", "step counters live on the CPU",
   "o = torch.optim.Adam(net.parameters(), foreach=False)")
op("adam-fused", STEP, "", KERNEL, "o = torch.optim.Adam(net.parameters(), fused=True)")
op("adam-capturable", STEP, "", "step counters live on the device",
   "o = torch.optim.Adam(net.parameters(), capturable=True)")
op("adamw", STEP, "", "as adam", "o = torch.optim.AdamW(net.parameters(), weight_decay=0.1)")
op("adamw-fused", STEP, "", KERNEL, "o = torch.optim.AdamW(net.parameters(), fused=True)")
op("adafactor", STEP, "read " * 8, "torch/optim/_adafactor.py: _single_tensor_adafactor reads two norms per parameter",
   "o = torch.optim.Adafactor(net.parameters())")
RATE = "o.param_groups[0]['lr'] = torch.tensor(1e-3).cuda()"
op("rate-on-cpu", STEP, "", "the rate is read on the CPU",
   "o = torch.optim.Adam(net.parameters(), lr=torch.tensor(1e-3))")
op("rate-on-device", STEP, "read read read read",
   "torch/optim/adam.py: _single_tensor_adam passes the step size to addcdiv_ as a host Scalar, once per parameter",
   f"o = torch.optim.Adam(net.parameters()); {RATE}")
op("rate-on-device-fused", STEP, "", KERNEL, f"o = torch.optim.Adam(net.parameters(), fused=True); {RATE}")
op("rate-on-device-capturable", STEP, "", KERNEL, f"o = torch.optim.Adam(net.parameters(), capturable=True); {RATE}")
op("scheduler", "schedule.step()", "", HOST,
   "schedule = torch.optim.lr_scheduler.StepLR(torch.optim.SGD(net.parameters(), 0.1), 2); schedule.optimizer.step()")
op("scheduler-on-plateau", "schedule.step(s)", "read", "torch/optim/lr_scheduler.py: step calls float(metrics)",
   "schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(torch.optim.SGD(net.parameters(), 0.1))")
SCALE = "scaler = torch.amp.GradScaler('cuda'); scaler.scale(s)\n"
op("scaler-scale", "scaler.scale(s)", "", KERNEL, SCALE)
op("scaler-step", "scaler.step(o); scaler.update()", "read",
   "torch/amp/grad_scaler.py: _maybe_opt_step reads found_inf", SCALE + "o = torch.optim.SGD(net.parameters(), 0.1)")
op("scaler-step-fused", "scaler.step(o); scaler.update()", "",
   "torch/amp/grad_scaler.py: the optimizer's kernel reads found_inf",
   SCALE + "o = torch.optim.SGD(net.parameters(), 0.1, fused=True)")
op("scaler-unscale", "scaler.unscale_(o); scaler.update()", "", KERNEL,
   SCALE + "o = torch.optim.SGD(net.parameters(), 0.1)")
op("scaler-get-scale", "scaler.get_scale()", "read", "torch/amp/grad_scaler.py: get_scale calls item", SCALE)
op("ema-on-cpu", "for a, b in zip(ema, net.parameters()): a.lerp_(b.detach().cpu(), 0.1)", "down down down down", COPY,
   "ema = [b.detach().cpu() for b in net.parameters()]")
op("ema-on-device", "torch._foreach_lerp_(ema, [b.detach() for b in net.parameters()], 0.1)", "", KERNEL,
   "ema = [b.detach().clone() for b in net.parameters()]")
op("averaged-model", "average.update_parameters(net)", "up read",
   "torch/optim/swa_utils.py: update_parameters moves its counter to the device, and lerp reads the weight made of it",
   "average = torch.optim.swa_utils.AveragedModel(net)")
op("averaged-model-ema", "average.update_parameters(net)", "up",
   "torch/optim/swa_utils.py: update_parameters moves its counter to the device",
   "average = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))")

# --- random numbers --------------------------------------------------------------------------------------------------
op("randn", "torch.randn(4, device='cuda')", "", KERNEL)
op("randperm", "torch.randperm(8, device='cuda')", "", CUDA + "Randperm.cu: randperm_out_cuda")
op("bernoulli", "x.bernoulli(0.5)", "", KERNEL)
op("normal-tensor-mean", "torch.normal(x, 1.0)", "", KERNEL)
op("multinomial-replacement", "torch.multinomial(x, 2, replacement=True)", "",
   CUDA + "MultinomialKernel.cu: checks on the device")
op("multinomial", "torch.multinomial(x, 2)", "", "the probabilities are checked on the device")
op("normal-tensor-deviation", "torch.normal(x, y)", "read read", "twice whether all are positive; " + SCALAR,
   flags=(True,))
op("distribution-checked", "torch.distributions.Normal(x, y).rsample()", "read read",
   "torch/distributions/distribution.py: __init__ checks both parameters; " + SCALAR, flags=(True,))
op("distribution-unchecked", "torch.distributions.Normal(x, y, validate_args=False).rsample()", "", KERNEL)
op("manual-seed", "torch.cuda.manual_seed(1)", "", "the generator's state is host memory")
op("rng-state", "torch.cuda.set_rng_state(torch.cuda.get_rng_state())", "", "the generator's state is host memory")

# --- sorting and searching -------------------------------------------------------------------------------------------
op("sort", "x.sort()", "", KERNEL)
op("topk", "x.topk(2)", "", KERNEL)
op("argmax", "x.argmax()", "", KERNEL)
op("cumsum", "x.cumsum(0)", "", KERNEL)
op("median", "x.median()", "", KERNEL)
op("quantile", "x.quantile(0.5)", "", KERNEL)
op("searchsorted", "torch.searchsorted(x, y)", "", KERNEL)
op("unique-dim", "m.unique(dim=0)", "thrust thrust thrust-read",
   CUDA + "Unique.cu: unique_dim_cuda_template sorts and counts with Thrust")
op("mode", "x.mode()", "", KERNEL)

# --- no wait at all --------------------------------------------------------------------------------------------------
op("shape", "x.shape, len(x), x.numel(), x.view(2, 4).t().stride(), x.dtype, x.device", "", HOST)
op("data-ptr", "x.data_ptr(), x.is_contiguous(), x.is_pinned()", "", HOST)
op("detach", "x.detach(), x[None], x.unbind()", "", "views")
op("matmul", "m @ m", "", KERNEL)
op("autocast", "with torch.autocast('cuda', torch.bfloat16): net(x)", "", KERNEL)

# --- memory, streams, events -----------------------------------------------------------------------------------------
op("synchronize", "torch.cuda.synchronize()", "device", "c10/cuda/CUDAFunctions.cpp: device_synchronize")
op("stream-synchronize", "torch.cuda.current_stream().synchronize()", "stream", "c10/cuda/CUDAStream.h: synchronize")
op("stream-query", "torch.cuda.current_stream().query()", "", "asks and returns")
op("event-synchronize", "e.record(); e.synchronize()", "event", "ATen/cuda/CUDAEvent.h: synchronize",
   "e = torch.cuda.Event()")
op("event-query", "e.record(); e.query()", "", "asks and returns", "e = torch.cuda.Event()")
op("event-wait", "e.record(); e.wait()", "", "orders streams; the host goes on", "e = torch.cuda.Event()")
TIMED = "a, b = (torch.cuda.Event(enable_timing=True) for _ in range(2)); a.record(); b.record(); b.synchronize()"
op("elapsed-time", "a.elapsed_time(b)", "", "of events that are done", TIMED)
op("wait-stream", "side.wait_stream(torch.cuda.current_stream())", "", "orders streams; the host goes on",
   "side = torch.cuda.Stream()")
op("record-stream", "x.clone().record_stream(side)", "", HOST, "side = torch.cuda.Stream()")
op("use-stream", "with torch.cuda.stream(side): x + 1", "", KERNEL, "side = torch.cuda.Stream()")
op("empty-cache", "big = torch.empty(1 << 25, device='cuda'); del big; torch.cuda.empty_cache()", "",
   "c10/cuda/CUDACachingAllocator.cpp: cudaFree may synchronise, reported apart as `implicit`")
op("memory-stats", "torch.cuda.memory_stats(), torch.cuda.memory_allocated(), torch.cuda.mem_get_info()", "", HOST)
op("sync-debug-mode", "torch.cuda.get_sync_debug_mode()", "", HOST)
