"""Five training scripts: the planted wait is found at its line, and the fixed one does not wait."""
import pathlib
import sys

import pytest

import zerostall

EXAMPLES = pathlib.Path(__file__).parent / "examples"
STEPS = {"ddp": 16}  # DistributedDataParallel times its first 10 iterations, and waits for that; else 6
WARMUP = {"ddp": 11}


def planted_lines(script):
    return [number for number, text in enumerate(script.read_text().splitlines(), 1) if "# planted" in text]


def run(script, *arguments, **how):
    command = [sys.executable, script, *arguments]
    if script.name == "ddp.py":
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", script, *arguments]
        how["gpus"] = 2
    return zerostall.record(command, device="sim", warmup=WARMUP.get(script.stem, 2), capture=True, timeout=120, **how)


@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda script: script.stem)
class TestExample:
    @pytest.fixture(autouse=True)
    def few_steps(self, monkeypatch, script):
        monkeypatch.setenv("ZEROSTALL_STEPS", str(STEPS.get(script.stem, 6)))

    def test_the_planted_wait_is_found_at_its_line(self, script):
        found = run(script)
        assert len(found.steps) == STEPS.get(script.stem, 6)
        judged = [site for site in found.sites if site.waits_per_step and site.waits_per_step.max > 0]
        lines = {(pathlib.Path(site.file or "").name, site.line) for site in judged}
        (planted,) = planted_lines(script)
        assert (script.name, planted) in lines, found.table()
        assert lines == {(script.name, planted)}, "nothing else waits"

    def test_fixed_it_waits_no_more(self, script):
        run(script, "--fixed").assert_waits_per_step(0)
