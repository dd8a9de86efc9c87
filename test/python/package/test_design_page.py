"""The graph in docs/design.md: its passes are those of plan(), and its example is true."""
from __future__ import annotations

import re
from pathlib import Path

import numpy
import pytest

import torch_np
import torch_np.numpy as np

pytestmark = [pytest.mark.same_on_devices("reads the tree"), pytest.mark.same_when_pending("reads the tree")]

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/design.md").read_text()


def test_the_passes_are_those_of_plan():
    plan = (ROOT / "aten/compiler/plan.cpp").read_text()
    table = plan[plan.index("kPasses[] = {"):plan.index("\n};", plan.index("kPasses[] = {"))]
    paragraph = PAGE[PAGE.index("**Passes** run in this order"):]
    listed = re.findall(r"`([a-z_]+)`", paragraph[:paragraph.index("With\n`TORCH_NP_VERIFY=1`")])
    assert listed == re.findall(r'\{"(\w+)",', table)


def test_the_example_of_the_graph():
    def spread(x, m):
        d = x - m
        return abs(-(d * d)).sum(axis=1)
    compiled = torch_np.compile(spread)
    x, m = np.array(numpy.random.default_rng(0).normal(size=(400, 300))), np.arange(300.0)
    for _ in range(2):
        assert compiled(x, m).tolist() == spread(x, m).tolist()
    plan = str(compiled.lower(x, m)).splitlines()[1]
    assert f"\n{plan}\n" in PAGE
