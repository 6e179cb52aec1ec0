"""Generates the public entry points of the CUDA runtime or driver from the toolkit's own headers.

For each function: a declaration of its behaviour (`sim_<name>`, written by hand in runtime/ or driver/), a weak default that
answers "not supported", and the exported symbol that brackets the behaviour with its CUPTI callback (id, versioned name,
parameter struct). A behaviour with a wrong signature does not compile; one that is missing is reported when it is called.

Usage: gen_api.py runtime|driver INCLUDE_DIR OUT_HEADER OUT_SOURCE NAMES_FILE   (NAMES_FILE: the manifest's functions; those the
headers describe no parameters for are exported as "not supported")
"""
import os
import re
import sys

# Functions of the runtime without parameters have no struct in the headers.
NO_PARAMETERS = ["cudaDeviceSynchronize", "cudaDeviceReset", "cudaGetLastError", "cudaPeekAtLastError", "cudaProfilerStart",
                 "cudaProfilerStop", "cudaCtxResetPersistingL2Cache", "cudaThreadSynchronize", "cudaThreadExit"]
# Written by hand, without a callback: not API calls, or called by the thousand before main.
HAND_WRITTEN = {"cudaGetErrorString", "cudaGetErrorName", "cudaCreateChannelDesc", "cudaGetExportTable",
                "cuGetErrorString", "cuGetErrorName", "cuGetExportTable"}
# These return an earlier error: it must not be remembered again.
REPORT_LAST_ERROR = {"cudaGetLastError", "cudaPeekAtLastError"}
LAUNCHES = {"cudaLaunchKernel": "func", "cudaLaunchKernelExC": "func", "cudaLaunchCooperativeKernel": "func",
            "cuLaunchKernel": "f", "cuLaunchKernelEx": "f", "cuLaunchCooperativeKernel": "f"}


def read(include, name):
    with open(f"{include}/{name}") as f:
        return f.read()


def fields_of(body):
    """[(type, name)] of a struct body, or None if a field is an array (no by-value signature can be made of it)."""
    fields = []
    for line in filter(None, (part.strip() for part in body.split(";"))):
        if "[" in line or "(" in line:
            return None
        match = re.match(r"(.*?)(\w+)$", line, re.S)
        fields.append((match.group(1).strip(), match.group(2)))
    return fields


def runtime_functions(include):
    """{name: (versioned name, cbid, fields or None)}"""
    ids = {}
    for name, version, cbid in re.findall(r"CBID_(\w+?)_v(\d+)\s*=\s*(\d+)", read(include, "cupti_runtime_cbid.h")):
        ids[name, int(version)] = int(cbid)
    found = {}
    for name, version, body in re.findall(r"typedef struct (cuda\w+?)_v(\d+)_params_st \{(.*?)\}",
                                          read(include, "generated_cuda_runtime_api_meta.h"), re.S):
        key = (name, int(version))
        if key in ids and fields_of(body) is not None and (name not in found or int(version) > found[name][1]):
            found[name] = (f"{name}_v{version}", int(version), fields_of(body))
    out = {n: (versioned, ids[n, version], fields) for n, (versioned, version, fields) in found.items()}
    for name in NO_PARAMETERS:
        versions = [v for n, v in ids if n == name]
        if versions:
            out[name] = (f"{name}_v{max(versions)}", ids[name, max(versions)], [])
    return out


def driver_functions(include):
    ids = dict((n, int(i)) for n, i in
               re.findall(r"CUPTI_DRIVER_TRACE_CBID_(cu\w+)\s*=\s*(\d+)", read(include, "cupti_driver_cbid.h")))
    meta = read(include, "generated_cuda_meta.h")
    out = {}
    for name, body in re.findall(r"typedef struct (cu\w+)_params_st \{(.*?)\}", meta, re.S):
        fields = fields_of(body)
        if name in ids and fields is not None and not re.search(r"_v1\b", body):
            out[name] = (name, ids[name], fields)
    for name in ("cuCtxSynchronize", "cuProfilerStart", "cuProfilerStop"):
        if name in ids and name not in out:
            out[name] = (name, ids[name], [])
    return out


def per_thread_base(name, functions):
    """The function that `name` is when the null stream is the per-thread one (suffix _ptds or _ptsz), or None."""
    base = re.sub(r"_pt(ds|sz)$", "", name)
    if base == name or base not in functions:
        return None
    same = [[t for t, _ in functions[n][2]] for n in (name, base)]
    return base if same[0] == same[1] else None


def emit(api, functions, extra):
    status = "cudaError_t" if api == "runtime" else "CUresult"
    unsupported = "cudaErrorNotSupported" if api == "runtime" else "CUDA_ERROR_NOT_SUPPORTED"
    domain = 2 if api == "runtime" else 1
    head, source = [], []
    for name, (versioned, cbid, fields) in sorted(functions.items()):
        if name in HAND_WRITTEN:
            continue
        signature = ", ".join(f"{t} {n}" for t, n in fields)
        arguments = ", ".join(n for _, n in fields)
        head.append(f"{status} sim_{name}({signature});")
        params, pointer = "", "nullptr"
        if fields:
            params, pointer = f"{versioned}_params params{{{arguments}}};\n  ", "&params"
        result = f"call.fault() ? static_cast<{status}>(call.fault()) : sim_{name}({arguments})"
        if name not in REPORT_LAST_ERROR:
            result = f"remember({result})"
        base = per_thread_base(name, functions)
        launched = LAUNCHES.get(base or name)
        symbol = f"symbol_of({fields[[n for _, n in functions[base or name][2]].index(launched)][1]})" if launched else "nullptr"
        default = f"""  report_unsupported("{name}");
  return {unsupported};"""
        if base:
            default = f"""  const DefaultStreamPerThread null_is_per_thread;
  return sim_{base}({arguments});"""
        source.append(f"""__attribute__((weak)) {status} sim_{name}({signature}) {{
{default}
}}
__attribute__((visibility("default"))) {status} entry_{name}({signature}) __asm__("{name}");
{status} entry_{name}({signature}) {{
  static constinit Counter counter{{"{name}"}};
  {params}ApiCall call({domain}, {cbid}, "{versioned}", {pointer}, {symbol}, &counter);
  return call.finish({result});
}}
""")
    for name in sorted(set(extra) - set(functions) - HAND_WRITTEN):
        source.append(f"""__attribute__((weak, visibility("default"))) {status} entry_{name}() __asm__("{name}");
__attribute__((weak)) {status} entry_{name}() {{
  report_unsupported("{name}");
  return remember({unsupported});
}}
""")
    return head, source


def main():
    api, include, out_header, out_source, names_file = sys.argv[1:]
    extra = read(*os.path.split(names_file)).split()
    functions = runtime_functions(include) if api == "runtime" else driver_functions(include)
    head, source = emit(api, functions, extra)
    meta = "generated_cuda_runtime_api_meta.h" if api == "runtime" else "generated_cuda_meta.h"
    with open(out_header, "w") as f:
        # The parameter structs of the driver's oldest functions need types that cuda.h shows only to itself.
        internal = "#ifndef __CUDA_API_VERSION_INTERNAL\n#define __CUDA_API_VERSION_INTERNAL\n#endif\n" if api == "driver" else ""
        f.write("// Generated by gen_api.py: behaviours of the API functions. A missing one answers \"not supported\".\n#pragma once\n"
                f"{internal}#include <{meta}>\n\nextern \"C\" {{\n" + "\n".join(head) + "\n}\n")
    with open(out_source, "w") as f:
        f.write("// Generated by gen_api.py.\n"
                f"#include \"{out_header.split('/')[-1]}\"\n"
                "#include \"profiler/simgpu/core/hooks.h\"\n"
                f"#include \"profiler/simgpu/{api}/support.h\"\n\n"
                "using namespace zerostall::simgpu;\n\nextern \"C\" {\n\n" + "\n".join(source) + "}\n")


main()
