"""The functions written by hand must take and return what NVIDIA's headers declare: as many parameters, each passed in the same way
(pointer, 32 or 64 bit integer, float, double). Their own headers come only with large downloads, so the sources declare the
functions themselves; this check runs where a toolkit is installed, else it is skipped (exit code 77).

Usage: abi_check.py COMPILER SOURCE_ROOT CUDA_INCLUDE     (CUDA_INCLUDE: also the folder searched for cublas_api.h and so on)
"""
import glob
import os
import re
import subprocess
import sys

# folder of profiler/simgpu -> headers that declare its functions
HEADERS = {"blas": ["cublas_api.h"], "blaslt": ["cublasLt.h"], "fft": ["cufft.h", "cufftXt.h"],
           "dnn": ["cudnn_graph.h", "cudnn_ops.h", "cudnn_cnn.h", "cudnn_adv.h"], "solver": ["cusolverDn.h", "cusolver_common.h"],
           "sparse": ["cusparse.h"], "sparselt": ["cusparseLt.h"], "rand": ["curand.h"]}
# Typedefs of the headers that are not 32-bit enumerations or opaque pointers.
PLAIN = {"double": "f64", "float": "f32", "signed char": "i32", "char": "i32", "size_t": "i64", "int64_t": "i64", "uint64_t": "i64",
         "long long int": "i64", "long long": "i64", "unsigned long long": "i64", "unsigned long": "i64", "long": "i64",
         "unsigned": "i32", "unsigned int": "i32", "int": "i32", "uint32_t": "i32", "int32_t": "i32", "cufftHandle": "i32",
         "bool": "i32", "void": "void", "std::size_t": "i64", "std::int64_t": "i64", "std::uint64_t": "i64", "std::uint32_t": "i32",
         "std::int32_t": "i32"}


def pointer_typedefs(text):
    """Names of typedefs for pointers: `typedef struct x* name;`, `typedef void *name;`, and pointers to functions."""
    plain = r"typedef\s+(?:\w*DEPRECATED\w*\s+)?(?:const\s+)?(?:struct\s+)?\w+\s*(?:const\s*)?\*\s*(\w+)\s*(?:\w*DEPRECATED\w*)?\s*;"
    names = set(re.findall(plain, text))
    return names | set(re.findall(r"typedef[^;{}()]*\(\s*\*\s*(\w+)\s*\)", text)) | {"cudaStream_t"}


def passed_as(parameter, pointers):
    text = re.sub(r"\s+", " ", parameter).strip()
    if "*" in text or "[" in text:
        return "ptr"
    text = re.sub(r"\b(const|enum|struct)\b", " ", text).strip()
    text = re.sub(r"\s+", " ", text)
    for candidate in (text, text.rsplit(" ", 1)[0]):  # with and without a parameter name
        if candidate in PLAIN:
            return PLAIN[candidate]
        if candidate in pointers:
            return "ptr"
    return "i32"  # an enumeration


def signature(result, parameters, pointers):
    items = [p for p in parameters.split(",") if p.strip() not in ("", "void")]
    return [passed_as(result, pointers)] + [passed_as(p, pointers) for p in items]


def declared(include, headers):
    text = "".join(open(f"{include}/{h}").read() for h in headers)
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    pointers = pointer_typedefs(text)
    text = re.sub(r"^[ \t]*#.*$", "", text.replace("\\\n", " "), flags=re.M)
    found = {}
    for result, name, parameters in re.findall(r"([\w\s*]+?[\s*]+)(cu\w+)\s*\(([^;{}()]*)\)\s*;", text):
        if re.search(r"\breturn\b", result):
            continue  # a call inside an inline function
        result = re.sub(r"\b(CUDNN_DEPRECATED|\w*WINAPI|\w*API|CUSPARSE_DEPRECATED\w*|CUBLASWINAPI|extern)\b", " ", result)
        found[name] = signature(result, parameters, pointers)
    return found


def written(compiler, root, include, source):
    text = subprocess.run([compiler, "-std=c++20", "-E", "-P", "-I", root, "-isystem", include, source], check=True,
                          capture_output=True, text=True).stdout
    pattern = r'extern "C" __attribute__\(\(visibility\("default"\)\)\) ([\w\s:*]+?[\s*]+)(cu\w+)\s*\(([^{}()]*)\)\s*\{'
    # Types of this file's own are classes behind pointers, or other names of plain types; enumerations are passed as int.
    for name, plain in re.findall(r"using (\w+) = ([\w:]+);", open(source).read()):
        PLAIN[name] = PLAIN.get(plain, "i32")
    return {name: signature(result, parameters, set()) for result, name, parameters in re.findall(pattern, text)}


def main():
    compiler, root, include = sys.argv[1:]
    checked, wrong = 0, []
    for folder, headers in HEADERS.items():
        if not all(os.path.exists(f"{include}/{h}") for h in headers):
            continue
        truth = declared(include, headers)
        for source in sorted(glob.glob(f"{root}/profiler/simgpu/{folder}/*.cpp")):
            for name, ours in written(compiler, root, include, source).items():
                if name not in truth:
                    print(f"{os.path.basename(source)}: {name}: not in the headers of this toolkit")
                    continue
                checked += 1
                if ours != truth[name]:
                    wrong.append(f"{os.path.basename(source)}: {name}\n   ours    {ours}\n   headers {truth[name]}")
    print(f"{checked} functions compared, {len(wrong)} differ")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0 if checked else 77)


main()
