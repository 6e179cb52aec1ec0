"""Runs a program on the simulated GPU under the tracer, and reads what `zerostall stat` says of it."""
import json
import os
import pathlib
import subprocess


class Tools:
    """Where things are in a build folder."""

    def __init__(self, build):
        build = pathlib.Path(build)
        self.zerostall = build / "bin/zerostall"
        self.library = build / "lib/zerostall"

    def environment(self, trace, model="h200"):
        tracer = str(self.library / "libzerostall_tracer.so")
        return dict(os.environ, LD_PRELOAD=str(self.library / "simgpu/libzerostall_simgpu.so"), ZEROSTALL_SIM_MODEL=model,
                    CUDA_INJECTION64_PATH=tracer, NVTX_INJECTION64_PATH=tracer, ZEROSTALL_TRACE=str(trace))

    def run(self, command, trace, timeout_s=300, **more):
        """Returns the finished process; its output, both streams together, is in stdout."""
        pathlib.Path(trace).unlink(missing_ok=True)
        environment = self.environment(trace) | {key: str(value) for key, value in more.items()}
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=timeout_s)

    def stat(self, trace, warmup=0):
        return json.loads(self.stat_text(trace, warmup))

    def stat_text(self, trace, warmup=0):
        command = [self.zerostall, "stat", "--json", "--warmup", str(warmup), trace]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
