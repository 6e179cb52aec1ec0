"""Runs a program on the simulated GPU as a user does, by `zerostall record`, and reads what `zerostall stat` says."""
import json
import os
import pathlib
import subprocess


class Tools:
    def __init__(self, build, device="sim"):
        """device: as of `zerostall record --device`."""
        self.zerostall, self.device = pathlib.Path(build) / "bin/zerostall", device

    def record(self, command, trace, options=(), environment=None, timeout_s=300):
        """Returns the finished process; its output, both streams together, is in stdout."""
        where = ["-o", trace] if trace else ["--no-tracer"]
        line = [self.zerostall, "record", "--device", self.device, "--quiet", *where, *options, "--", *command]
        return subprocess.run(line, env=dict(os.environ, **(environment or {})), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=timeout_s)

    def stat_text(self, trace, warmup=0):
        command = [self.zerostall, "stat", "--json", "--warmup", str(warmup), trace]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    def stat(self, trace, warmup=0):
        return json.loads(self.stat_text(trace, warmup))
