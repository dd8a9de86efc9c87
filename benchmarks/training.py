"""Microseconds per training step of the digits network of examples/digits.py.

The network has layers 64 - 128 - 10 and batches of 64; a step is forward, backward and an update
with momentum. The step runs in PyTorch style on PyTorch and torch_np, and in NumPy style on
torch_np.numpy, ours also compiled. Interleaved in one run.

    python benchmarks/training.py [--rounds 15] [--steps 200]
"""
import argparse
import importlib.util
import math
import time

import numpy

import torch_np
import torch_np.numpy as np

MOMENTUM, RATE = 0.9, 0.1


def numbers():
    """Images, one-hot labels, parameters and velocities, as NumPy arrays."""
    rng = numpy.random.default_rng(0)
    shapes = ((64, 128), (128,), (128, 10), (10,))
    parameters = [(rng.standard_normal(s) * math.sqrt(2 / s[0]) if len(s) == 2 else numpy.zeros(s)).astype("f4") for s in shapes]
    one_hot = numpy.eye(10, dtype="f4")[rng.integers(0, 10, 64)]
    return rng.standard_normal((64, 64)).astype("f4"), one_hot, parameters, [numpy.zeros(s, "f4") for s in shapes]


def torch_step(t):
    def step(x, one_hot, parameters, velocities):
        w1, b1, w2, b2 = parameters
        log_p = t.log_softmax(t.relu(x @ w1 + b1) @ w2 + b2, 1)
        loss = -(log_p * one_hot).sum() / 64
        loss.backward()
        with t.no_grad():
            for p, v in zip(parameters, velocities, strict=True):
                v.mul_(MOMENTUM).add_(p.grad)
                p.sub_(RATE * v)
                p.grad = None
        return loss

    x, one_hot, parameters, velocities = numbers()
    return step, (t.from_numpy(x), t.from_numpy(one_hot), [t.from_numpy(p).requires_grad_() for p in parameters], [t.from_numpy(v) for v in velocities])


def numpy_step():
    def step(x, one_hot, parameters, velocities):
        w1, b1, w2, b2 = parameters
        logits = np.maximum(x @ w1 + b1, 0) @ w2 + b2
        shifted = logits - logits.max(axis=1, keepdims=True)
        log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        loss = -(log_p * one_hot).sum() / 64
        loss._backward()
        with torch_np.no_grad():
            for p, v in zip(parameters, velocities, strict=True):
                v *= MOMENTUM
                v += p._grad
                p -= RATE * v
                p._grad = None
        return loss

    x, one_hot, parameters, velocities = numbers()
    return step, (np.array(x), np.array(one_hot), [np.array(p, _requires_grad=True) for p in parameters], [np.array(v) for v in velocities])


def all_steps():
    """Functions with their arguments, by name."""
    found = {}
    if importlib.util.find_spec("torch"):
        import torch
        found["torch"] = torch_step(torch)
    for name, make in (("torch_np", lambda: torch_step(torch_np)), ("torch_np.numpy", numpy_step)):
        found[name] = make()
        for mode in (None, "max"):
            step, arguments = make()
            found[f"{name}, compiled" + (f", mode={mode!r}" if mode else "")] = torch_np.compile(step, mode=mode, fullgraph=True), arguments
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    steps, best, loss = all_steps(), {}, {}
    for _ in range(options.rounds):
        for name, (step, arguments) in steps.items():
            begin = time.perf_counter()
            for _ in range(options.steps):
                loss[name] = step(*arguments)
            best[name] = min(best.get(name, math.inf), (time.perf_counter() - begin) / options.steps)
    for name, seconds in best.items():
        whole = best[name.partition(",")[0]]
        print(f"{name:36s}{seconds * 1e6:8.1f} us, loss {float(loss[name]):.6f}" + (f", {seconds / whole:.2f} of the time as it is" if whole != seconds else ""))
    if "torch" in best:
        print(f"torch_np takes {best['torch_np'] / best['torch']:.2f} of PyTorch's time")


if __name__ == "__main__":
    main()
