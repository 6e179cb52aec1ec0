"""Calls one function of a file: python -m zerostall._call FILE FUNCTION. For the fixture `zerostall_run`."""
import importlib.util
import os
import sys


def main() -> None:
    file, function = sys.argv[1:3]
    sys.path.insert(0, os.path.dirname(file))
    name = os.path.splitext(os.path.basename(file))[0]
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    getattr(module, function)()


main()
