"""Every function torch imports from an NVIDIA library must be exported by the simulated one, under the version node torch asks for.

Usage: exports_check.py TORCH_LIB_DIR SIMULATED_LIB_DIR
"""
import glob
import re
import subprocess
import sys

torch_lib, simulated_lib = sys.argv[1:]
NVIDIA = re.compile(r"_*(cu[A-Z]|cuda[A-Z]|cudnn|cublas|cufft|cusparse|cusolver|curand|cupti|nccl|nvrtc|nvJitLink|cuFile|nvshmem)")


def symbols(paths, flag):
    out = subprocess.run(["nm", "-D", flag, *paths], check=True, capture_output=True, text=True).stdout
    # " w " marks a weak reference, which may stay unresolved
    return {line.split()[-1] for line in out.splitlines() if line.strip() and not line.endswith(":") and " w " not in line}


libraries = glob.glob(f"{torch_lib}/*.so")
simulated = glob.glob(f"{simulated_lib}/*.so*")
wanted = {s for s in symbols(libraries, "--undefined-only") if NVIDIA.match(s)}
# torch defines some functions with such names itself
wanted -= {s.replace("@@", "@") for s in symbols(libraries, "--defined-only")}
exported = set()
for s in symbols(simulated, "--defined-only"):
    name, _, node = s.replace("@@", "@").partition("@")
    exported |= {name, f"{name}@{node}"}
missing = sorted(wanted - exported)
print(f"{len(wanted)} functions imported by torch, {len(missing)} not exported")
for name in missing:
    print("missing:", name)
sys.exit(1 if missing or len(wanted) < 300 else 0)
