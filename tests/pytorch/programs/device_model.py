"""What a program can ask of the device it is on: the runtime (by PyTorch), the driver and NVML give the same answers.
# expect-calls: cudaDeviceSynchronize=1
"""
import ctypes

import torch

torch.zeros(8, device="cuda")
properties = torch.cuda.get_device_properties(0)
driver, nvml = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL("libnvidia-ml.so.1")


def ask(function, *arguments, kind=ctypes.c_int):
    """The value that `function` writes through its first parameter."""
    value = kind()
    assert function(ctypes.byref(value), *arguments) == 0, function
    return value.value


MULTIPROCESSORS, MAJOR, MINOR, L2_BYTES = 16, 75, 76, 38
attribute = {number: ask(driver.cuDeviceGetAttribute, number, 0) for number in (MULTIPROCESSORS, MAJOR, MINOR, L2_BYTES)}
assert attribute[MULTIPROCESSORS] == properties.multi_processor_count
assert (attribute[MAJOR], attribute[MINOR]) == (properties.major, properties.minor) == torch.cuda.get_device_capability()
assert attribute[L2_BYTES] == properties.L2_cache_size
assert ask(driver.cuDeviceTotalMem_v2, 0, kind=ctypes.c_size_t) == properties.total_memory
assert torch.cuda.mem_get_info()[1] == properties.total_memory > torch.cuda.mem_get_info()[0]

assert nvml.nvmlInit_v2() == 0
assert ask(nvml.nvmlDeviceGetCount_v2) == torch.cuda.device_count()
device, name = ctypes.c_void_p(), ctypes.create_string_buffer(96)
assert nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)) == 0
assert nvml.nvmlDeviceGetName(device, name, len(name)) == 0
assert name.value.decode() == properties.name == torch.cuda.get_device_name()
major, minor = ctypes.c_int(), ctypes.c_int()
assert nvml.nvmlDeviceGetCudaComputeCapability(device, ctypes.byref(major), ctypes.byref(minor)) == 0
assert (major.value, minor.value) == torch.cuda.get_device_capability()
memory = (ctypes.c_ulonglong * 3)()  # total, free, used
assert nvml.nvmlDeviceGetMemoryInfo(device, memory) == 0
assert memory[0] >= properties.total_memory and memory[1] + memory[2] == memory[0], list(memory)
print("device:", properties.name, f"{properties.major}.{properties.minor}")
torch.cuda.synchronize()
print("ok device_model")
