"""Step marks through the public callbacks of training frameworks; each imports its framework only when it is made.

    Trainer(callbacks=[zerostall.integrations.lightning()])                 Lightning
    Trainer(..., callbacks=[zerostall.integrations.transformers()])         Hugging Face Transformers
    for batch in zerostall.integrations.accelerate(accelerator, loader):    Accelerate: one step per optimizer update

A step is one optimizer update: with gradient accumulation several batches.
"""
from __future__ import annotations

from typing import Any, Iterable, Iterator, TypeVar

from .._marks import StepMarks, steps

T = TypeVar("T")


def lightning() -> Any:
    """A Lightning callback that marks each optimizer update of `fit` as a step. Needs `lightning` or `pytorch_lightning`."""
    try:
        from lightning.pytorch.callbacks import Callback
    except ImportError:
        from pytorch_lightning.callbacks import Callback

    class ZerostallSteps(Callback):  # type: ignore[misc]
        def __init__(self) -> None:
            self._marks = StepMarks()

        def on_train_batch_start(self, trainer: Any, module: Any, batch: Any, batch_idx: int) -> None:
            self._marks.begin(trainer.global_step)

        def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
            self._marks.end_unless(trainer.global_step)

        def on_train_end(self, trainer: Any, module: Any) -> None:
            self._marks.end()

        def on_exception(self, trainer: Any, module: Any, exception: BaseException) -> None:
            self._marks.end()

    return ZerostallSteps()


def transformers() -> Any:
    """A TrainerCallback that marks each optimizer update as a step. Needs `transformers`."""
    from transformers import TrainerCallback

    class ZerostallSteps(TrainerCallback):  # type: ignore[misc]
        def __init__(self) -> None:
            self._marks = StepMarks()

        def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self._marks.begin(state.global_step)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self._marks.end()

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self._marks.end()

    return ZerostallSteps()


def accelerate(accelerator: Any, loader: Iterable[T]) -> Iterator[T]:
    """The batches of a prepared loader; a step ends with the batch whose gradients are synchronised (accelerator.sync_gradients)."""
    if getattr(accelerator, "gradient_accumulation_steps", 1) == 1:
        yield from steps(loader)
        return
    marks, number = StepMarks(), 0
    try:
        for batch in loader:
            marks.begin(number)
            yield batch
            if accelerator.sync_gradients:
                marks.end()
                number += 1
    finally:
        marks.end()
