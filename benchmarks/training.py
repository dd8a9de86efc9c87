"""Seconds per training step of the digits network (64 - 128 - 64 - 10, batch 64: forward, backward, update), in the style
of PyTorch on PyTorch and on torch_np, interleaved in one run.

    python benchmarks/training.py [--rounds 7] [--steps 200]
"""
import argparse
import importlib
import math
import time

import numpy


def make_step(t):
    """A closure that does one step on the library `t`, and one that gives the loss."""
    rng = numpy.random.default_rng(0)

    def tensor(*shape, scale=1.0, grad=False):
        x = t.from_numpy((rng.standard_normal(shape) * scale).astype("float32"))
        return x.requires_grad_() if grad else x

    x = tensor(64, 64)
    labels = rng.integers(0, 10, 64)
    one_hot = t.from_numpy(numpy.eye(10, dtype="float32")[labels])
    sizes = [64, 128, 64, 10]
    parameters = []
    for a, b in zip(sizes, sizes[1:], strict=False):
        parameters += [tensor(a, b, scale=math.sqrt(2 / a), grad=True), t.zeros(b).requires_grad_()]
    last = []

    def step():
        w1, b1, w2, b2, w3, b3 = parameters
        hidden = t.relu(x @ w1 + b1)
        hidden = t.relu(hidden @ w2 + b2)
        log_p = t.log_softmax(hidden @ w3 + b3, 1)
        loss = -(log_p * one_hot).sum() / 64
        loss.backward()
        with t.no_grad():
            for p in parameters:
                p -= 0.01 * p.grad
                p.grad = None
        last[:] = [loss]

    return step, lambda: float(last[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    steps, best = {}, {}
    for name in ("torch", "torch_np"):
        try:
            steps[name] = make_step(importlib.import_module(name))
        except ImportError:
            print(f"{name} is not installed")
    for _ in range(options.rounds):
        for name, (step, _) in steps.items():
            begin = time.perf_counter()
            for _ in range(options.steps):
                step()
            best[name] = min(best.get(name, math.inf), (time.perf_counter() - begin) / options.steps)
    for name, seconds in best.items():
        print(f"{name:10s}{seconds * 1e6:10.1f} us per step, loss {steps[name][1]():.6f}")
    if len(best) == 2:
        print(f"torch_np takes {best['torch_np'] / best['torch']:.2f} of PyTorch's time")


if __name__ == "__main__":
    main()
