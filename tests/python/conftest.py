"""Tests of the Python package against the build: $ZEROSTALL_HOME is the build folder, or unset where the wheel is installed."""
import pathlib

import pytest

pytest_plugins = ["pytester"]
EXAMPLES = pathlib.Path(__file__).parent / "examples"


@pytest.fixture
def examples():
    return EXAMPLES
