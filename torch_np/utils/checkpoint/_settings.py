"""Settings of checkpoints."""
from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Settings(threading.local):
    early_stop = True
    debug: bool | None = None


settings = _Settings()


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """A context: whether the second computation of the checkpoints that are made in it ends with the last tensor that backward
    needs.

    Args:
      enable: True, the default, ends it there; with False the function runs to its end, and CheckpointError is raised if it
        saves more tensors than the first time.
    """
    before, settings.early_stop = settings.early_stop, enable
    try:
        yield
    finally:
        settings.early_stop = before


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """A context: whether the checkpoints that are made in it log the functions that they call, for the text of errors.

    Args:
      enabled: True or False, whatever the argument `debug` of the checkpoint is; None leaves it to the argument.
    """
    before, settings.debug = settings.debug, enabled
    try:
        yield
    finally:
        settings.debug = before


class GraphExecGroup:
    """A context for several backward passes through the same checkpoints, which may share the
    second computation in PyTorch. Here each pass computes anew, with the same results.
    """

    def __enter__(self) -> GraphExecGroup:
        return self

    def __exit__(self, *exception: object) -> None:
        pass
