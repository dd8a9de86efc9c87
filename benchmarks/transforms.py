"""Functions of functions compared with torch.func, interleaved in one run.

    python benchmarks/transforms.py [--only REGEX] [--rounds 5] [--json OUT]

Rows are measured as those of benchmarks/nn.py. The ratio is the time as a part of PyTorch's. Exit
status 1 if results differ.
"""
import argparse
import re
import sys

import numpy
from nn import finish, installed, print_mean, time_row

LIBRARIES = "torch", "torch_np"
ROWS = {}


def row(f):
    """Registers a row: `f(t)` returns a closure for the library `t`."""
    ROWS[f.__name__] = f
    return f


def tensor(t, *shape, seed=0, dtype="float32"):
    return t.from_numpy(numpy.random.default_rng(seed).standard_normal(shape).astype(dtype))


def loss_of_network(t):
    """The loss of one image by weights, and the weights."""
    weights = [tensor(t, *shape, seed=i) * 0.1 for i, shape in enumerate([(8, 1, 3, 3), (8,), (16, 8, 3, 3), (16,), (10, 16 * 49), (10,)])]
    f = t.nn.functional

    def loss(w, x, y):
        x = f.max_pool2d(f.relu(f.conv2d(x[None], w[0], w[1], padding=1)), 2)
        x = f.max_pool2d(f.relu(f.conv2d(x, w[2], w[3], padding=1)), 2)
        return f.cross_entropy(x.flatten(1) @ w[4].T + w[5], y[None])
    return loss, weights


@row
def per_sample_gradients(t):
    """Gradients of a CNN for each of 64 images."""
    loss, weights = loss_of_network(t)
    images, classes = tensor(t, 64, 1, 28, 28), t.arange(64) % 10
    gradients = t.func.vmap(t.func.grad(loss), (None, 0, 0))
    return lambda: gradients(weights, images, classes)[2]


@row
def hessian(t):
    """Second derivatives of an MLP's output by its 200 inputs."""
    first, second = tensor(t, 64, 200) * 0.1, tensor(t, 64, seed=1)
    return lambda x=tensor(t, 200, seed=2): t.func.hessian(lambda x: (t.tanh(first @ x) * second).sum())(x)


@row
def many_starts(t):
    """200 steps of Euler's method for a pendulum, from 1,000 starts."""
    def solve(state):
        for _ in range(200):
            state = state + 0.01 * t.stack([state[1], -t.sin(state[0])])
        return state
    return lambda starts=tensor(t, 1000, 2): t.func.vmap(solve)(starts)


@row
def cholesky_solve(t):
    """Gradients of 256 solutions of systems with 32 unknowns by their matrices."""
    roots, sides = tensor(t, 256, 32, 32, dtype="float64"), tensor(t, 256, 32, seed=1, dtype="float64")

    def loss(root, side):
        factor = t.linalg.cholesky(root @ root.T + t.eye(32, dtype=t.float64))
        return (t.cholesky_solve(side[:, None], factor) ** 2).sum()
    return lambda: t.func.vmap(t.func.grad(loss))(roots, sides)


@row
def ensemble(t):
    """16 MLPs with other weights, on the same 128 inputs."""
    weights = [tensor(t, 16, *shape, seed=i) * 0.1 for i, shape in enumerate([(64, 256), (64,), (10, 64), (10,)])]
    f = t.nn.functional

    def model(w, x):
        return f.linear(f.relu(f.linear(x, w[0], w[1])), w[2], w[3])
    return lambda x=tensor(t, 128, 256, seed=9): t.func.vmap(model, (0, None))(weights, x)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    modules, results, wrong = installed(), {}, []
    print(f"{'':24}{'torch':>14}{'torch_np':>14}{'ratio':>8}")
    for name, make in ROWS.items():
        if not re.search(options.only, name):
            continue
        seconds, numbers = time_row(make, modules, options.rounds)
        line = f"{name:24}" + "".join(f"{seconds[n] * 1e3:12.2f}ms" if n in seconds else f"{'':14}" for n in LIBRARIES)
        results[name] = {"seconds": seconds}
        if "torch" in seconds:
            results[name]["ratio"] = seconds["torch_np"] / seconds["torch"]
            line += f"{results[name]['ratio']:8.2f}"
            if not numpy.isclose(numbers["torch"], numbers["torch_np"], rtol=1e-3):
                wrong.append(f"{name}: {numbers}")
        print(line, flush=True)
    print_mean(results, 52)
    return finish(results, wrong, options)


if __name__ == "__main__":
    sys.exit(main())
