"""lint.py on a small tree of its own: mistakes are found, each once, and what is no mistake is not."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# A parameter that is copied for nothing: a finding of performance-unnecessary-value-param.
HEAVY = """// A thing that is costly to copy.
#pragma once
struct Heavy {
  Heavy();
  Heavy(const Heavy& other);
  ~Heavy();
  int size() const;
};
"""
COPIES = "int copies(Heavy heavy) { return heavy.size(); }\n"


class Tree:
    def __init__(self, folder):
        self.root = Path(folder).resolve()
        (self.root / "tests").mkdir()
        shutil.copytree(HERE, self.root / "tests/lint", ignore=shutil.ignore_patterns("*.pyc", "__pycache__"))
        for name in (".clang-tidy", ".clang-format"):
            shutil.copy(ROOT / name, self.root)
        self.units = []
        (self.root / ".ci").mkdir()
        for name in ("dev", ".ci/run"):
            self.write(name, "#!/bin/sh\ntrue\n")
        self.write("profiler/heavy.h", HEAVY)
        self.write("profiler/heavy.cpp", '#include "profiler/heavy.h"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if name.endswith(".cpp"):
            command = f"g++ -I{self.root} -std=c++20 -O2 -o x.o -c {path}"
            self.units.append({"directory": str(self.root), "file": str(path), "command": command})

    def lint(self, *arguments, **environment):
        build = self.root / "build"
        build.mkdir(exist_ok=True)
        (build / "compile_commands.json").write_text(json.dumps(self.units))
        command = [sys.executable, "-B", str(self.root / "tests/lint/lint.py"), "--build", str(build), *arguments]
        run = subprocess.run(command, capture_output=True, text=True, cwd=self.root, env={**os.environ, **environment})
        return run.returncode, [line for line in run.stdout.splitlines() if not line.startswith("[lint] ")], run


class LintTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Tree(folder.name)

    def findings(self, *arguments):
        code, lines, run = self.tree.lint(*arguments)
        if code == 77:
            self.skipTest(run.stdout.strip())
        self.assertEqual(code, 1 if lines else 0, run.stdout + run.stderr)
        return lines

    def test_clean_tree(self):
        for part in ("format", "shell", "python", "headers", "tidy"):
            self.assertEqual(self.findings("--only", part), [])

    def test_finding_of_a_source_in_a_bundle_names_the_source(self):
        self.tree.write("profiler/a.cpp", '#include "profiler/heavy.h"\n\n' + COPIES)
        [line] = self.findings("--only", "tidy", "--quick")
        self.assertRegex(line, r"^profiler/a\.cpp:3:\d+: .*\[performance-unnecessary-value-param\]$")
        self.assertEqual(self.findings("--only", "tidy", "--quick"), [line], "the kept answer")
        self.assertEqual(self.findings("--only", "tidy", "profiler/heavy.cpp"), [])
        self.tree.write("profiler/heavy.h", HEAVY.replace("  Heavy(const Heavy& other);\n", "").replace("  ~Heavy();\n", ""))
        self.assertEqual(self.findings("--only", "tidy", "--quick"), [], "the header has changed: asked again")

    def test_finding_in_a_header_is_told_once(self):
        self.tree.write("profiler/b.h", '// B.\n#pragma once\n#include "profiler/heavy.h"\n\ninline ' + COPIES)
        self.tree.write("profiler/a.cpp", '#include "profiler/b.h"\nenum { kSame = 1 };\n')
        self.tree.write("profiler/b.cpp", '#include "profiler/b.h"\nenum { kSame = 2 };\n')
        [line] = self.findings("--only", "tidy")
        self.assertTrue(line.startswith("profiler/b.h:5:"), line)

    def test_sources_that_do_not_go_together_are_no_finding(self):
        self.tree.write("profiler/a.cpp", "namespace {\nstruct Row {};\n}  // namespace\nstatic Row a;\nRow& first() { return a; }\n")
        self.tree.write("profiler/b.cpp", "namespace {\nstruct Row {\n  int x;\n};\n}  // namespace\nint second() { return Row{2}.x; }\n")
        # No name at the start of a line: only the compiler sees it.
        self.tree.write("profiler/c.cpp", "enum { kSame = 1 };\nint third() { return kSame; }\n")
        self.tree.write("profiler/d.cpp", "enum { kSame = 2 };\nint fourth() { return kSame; }\n")
        self.assertEqual(self.findings("--only", "tidy", "--quick"), [])
        self.tree.write("profiler/e.cpp", "int fifth() { return unknown_name; }\n")
        [line] = self.findings("--only", "tidy", "--quick")
        self.assertRegex(line, r"^profiler/e\.cpp:1:.*unknown_name.*\[clang-diagnostic-error\]$")

    def test_quick_leaves_out_tests(self):
        self.tree.write("tests/a.cpp", '#include "profiler/heavy.h"\n\n' + COPIES)
        self.assertEqual(self.findings("--only", "tidy", "--quick"), [])
        self.assertEqual(len(self.findings("--only", "tidy")), 1)

    def test_header_that_needs_another_before_it(self):
        self.tree.write("profiler/needs.h", "// Needs heavy.h.\n#pragma once\ninline int needs(const Heavy& h) { return h.size(); }\n")
        self.tree.write("profiler/a.cpp", '#include "profiler/heavy.h"\n#include "profiler/needs.h"\n')
        [line] = self.findings("--only", "headers", "--quick")
        self.assertTrue(line.startswith("profiler/needs.h: does not compile alone: "), line)

    def test_format_shell_python(self):
        self.tree.write("reports/a.cpp", "int  a( ){return 1;}\n")
        self.assertRegex(self.findings("--only", "format")[0], r"reports/a\.cpp:1:")
        self.tree.write("tests/a.sh", "#!/bin/sh\ncd $1\n")
        self.assertRegex(" ".join(self.findings("--only", "shell")), r"tests/a\.sh:2:")
        self.tree.write("tests/a.py", "import os\n")
        self.assertRegex(" ".join(self.findings("--only", "python")), r"tests/a\.py:1:")

    def test_missing_tool_is_said(self):
        for part in ("format", "tidy", "shell", "python"):
            code, _, run = self.tree.lint("--only", part, PATH=str(self.tree.root))
            self.assertEqual(code, 77, run.stderr)
            self.assertIn("is not installed", run.stdout)

    def test_no_build(self):
        self.tree.units = []
        code, _, run = self.tree.lint("--only", "tidy")
        self.assertEqual(code, 4)
        self.assertIn("./dev build", run.stdout)


if __name__ == "__main__":
    unittest.main()
