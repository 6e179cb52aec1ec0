"""clang-tidy over bundles of units."""

import re
import subprocess

from units import ROOT, Bundle, bundles_of, digest

MOST_IN_BUNDLE = 24
FINDING = re.compile(r"^(.+?):(\d+):(\d+): (?:error|warning): (.*) \[([^\]]*)\]$")
# Alone, such an error says that the source does not compile; in a bundle, that it does not go with the others.
BROKEN = "clang-diagnostic-error"
OURS = f"^{re.escape(str(ROOT))}/(profiler|reports|fixes|scenarios|tests)/"


def bundles(units):
    """Those that take longest first."""
    return sorted(bundles_of(units, MOST_IN_BUNDLE), key=lambda bundle: -len(bundle.units))


def bundle_of(units):
    bundle = Bundle(units[0].arguments)
    for unit in units:
        bundle.add(unit)
    return bundle


class Checker:
    def __init__(self, program, build, analyze):
        self.program, self.folder = program, build.resolve() / "lint"
        self.checks = [] if analyze else ["--checks=-clang-analyzer-*"]
        self.version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        self.config = (ROOT / ".clang-tidy").read_text()
        self.folder.mkdir(parents=True, exist_ok=True)

    def check(self, bundle):
        """Findings, one line each."""
        key = digest(bundle.units, self.version, self.config, self.checks)
        answer = self.folder / f"{key}.tidy"
        if answer.is_file():
            return answer.read_text().splitlines()
        lines = self.ask(bundle, key)
        answer.with_suffix(f".{key}").write_text("".join(f"{line}\n" for line in lines))
        answer.with_suffix(f".{key}").rename(answer)
        return lines

    def ask(self, bundle, key):
        source = self.folder / f"{key}.cpp"
        source.write_text("".join(f'#include "{unit.path}"\n' for unit in bundle.units))
        command = [self.program, "--quiet", f"--config-file={ROOT}/.clang-tidy", f"--header-filter={OURS}", *self.checks]
        run = subprocess.run([*command, str(source), "--", *bundle.arguments], capture_output=True, text=True, cwd=ROOT)
        source.unlink()
        found = [match for line in run.stdout.splitlines() if (match := FINDING.match(line))]
        if not found and run.returncode:
            return [f"{bundle.units[0].path}: {self.program} failed with code {run.returncode}: {run.stderr[-300:].strip()}"]
        if len(bundle.units) > 1 and any(BROKEN in match[5] for match in found):
            return self.ask_apart(bundle, {match[1].removeprefix(f"{ROOT}/") for match in found if BROKEN in match[5]})
        return [self.line(match) for match in found]

    def ask_apart(self, bundle, broken):
        """The sources that the compiler stumbled over by themselves, the others together; halves where it names none of them."""
        apart = [unit for unit in bundle.units if unit.path in broken]
        others = [unit for unit in bundle.units if unit.path not in broken]
        half = len(bundle.units) // 2
        groups = [[unit] for unit in apart] + [others] if apart else [others[:half], others[half:]]
        return [line for group in groups if group for line in self.check(bundle_of(group))]

    @staticmethod
    def line(match):
        path, row, column, text, check = match.groups()
        return f"{path.removeprefix(f'{ROOT}/')}:{row}:{column}: {text} [{check.removesuffix(',-warnings-as-errors')}]"
