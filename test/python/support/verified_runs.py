"""Runs with TORCH_NP_VERIFY=1 (docs/testing.md): the summary says how much was verified."""
import collections
import os

import pytest


def is_on():
    return os.environ.get("TORCH_NP_VERIFY") == "1"


class Summary:
    """Adds up torch_np.compiler.verification_statistics() over the workers of pytest-xdist. Other processes that tests start are not
    counted."""

    def __init__(self, config):
        self.config = config
        self.total = collections.Counter()

    def pytest_sessionfinish(self):
        import torch_np
        counted = torch_np.compiler.verification_statistics()
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["verification"] = counted
        else:
            self.total.update(counted)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.total.update(getattr(node, "workeroutput", {}).get("verification", {}))

    def pytest_terminal_summary(self, terminalreporter):
        counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in self.total.items())
        terminalreporter.line(f"verification (torch_np.compiler.verification_statistics()): {counts}")
