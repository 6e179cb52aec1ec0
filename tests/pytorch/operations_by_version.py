"""Rows of operations.py that other versions of torch execute otherwise, each with the reason.

A bound is the oldest of the tested versions (2.6, 2.9, 2.11, 2.15) that behaves as the table says, so the change may have come with a
version in between.
"""
from collections import namedtuple

from operations import COPY, CUDA, MAKE_INFO, NATIVE
from versions import fits

Otherwise = namedtuple("Otherwise", "row versions waits reason")
OTHERWISE = [
    Otherwise("index-cpu-mask", "<2.9", "up",
              "nonzero on the CPU into pageable memory, moved by " + MAKE_INFO + COPY),
    Otherwise("ctc-loss-numbers", "<2.11", "up up up up",
              "whether cuDNN can do it is seen without reading the targets; lengths and offsets to the device: " + NATIVE
              + "LossCTC.cpp: ctc_loss; " + COPY),
    Otherwise("histc", ">=2.15", "read read", CUDA + "SummaryOps.cu: _histc_cuda reads minimum and maximum, each as one value"),
    Otherwise("assign-number", ">=2.15", "", "the number stays one, and is filled in: aten/src/ATen/TensorIndexing.h: copy_to"),
    Otherwise("normal-tensor-deviation", ">=2.15", "",
              "checked on the device: " + NATIVE + "DistributionTemplates.h: CHECK_NORMAL_TENSOR_STD"),
]


def for_version(row, version):
    """The row as this version of torch executes it."""
    for other in OTHERWISE:
        if other.row == row.name and fits(version, other.versions):
            return row._replace(waits=tuple(other.waits.split()), reason=other.reason)
    return row
