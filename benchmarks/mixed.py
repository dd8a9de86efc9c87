"""Layers and training steps in automatic mixed precision, compared with float32 and with PyTorch,
interleaved in one run; and the peak memory of training steps.

    python benchmarks/mixed.py [--only REGEX] [--dtypes float32,bfloat16,float16] [--rounds 5] [--json OUT] [--no-memory]

Rows are measured as those of benchmarks/nn.py. The last columns are the times as parts of PyTorch's
time, and of torch_np's own in float32.
"""
import argparse
import math
import re
import sys

from nn import LIBRARIES, finish, installed, peak_memory, time_row
from nn_workloads import fill, forward, forward_backward, gpt, integers, normal, training

ROWS = {}
DTYPES = "float32", "bfloat16", "float16"


def region(t, dtype, function):
    return function if dtype == "float32" else t.autocast("cpu", getattr(t, dtype))(function)


def row(f):
    """Registers a row for each dtype: `f(t, cast)` returns a closure; `cast(function)` runs in the
    dtype's region."""
    for dtype in DTYPES:
        ROWS[f"{f.__name__}_{dtype}"] = lambda t, dtype=dtype: f(t, lambda function: region(t, dtype, function))
    return f


def layer(f):
    """Rows of one layer, forward and with backward: `f(t)` returns a module and its inputs."""
    for dtype in DTYPES:
        for kind, run in (("forward", forward), ("forward_backward", forward_backward)):
            def make(t, dtype=dtype, run=run):
                module, *inputs = f(t)
                if run is forward:
                    return region(t, dtype, run(t, module, *inputs))
                # The backward pass runs outside of the region.
                inside = region(t, dtype, module)
                step = forward_backward(t, inside, *inputs)
                parameters = list(module.parameters()) if isinstance(module, t.nn.Module) else []

                def clean_step():
                    for p in parameters:
                        p.grad = None
                    return step()
                return clean_step
            ROWS[f"{f.__name__}_{kind}_{dtype}"] = make
    return f


@layer
def linear_512x768x768(t):
    return fill(t, t.nn.Linear(768, 768)), normal(t, 512, 768)


@layer
def linear_1x1024x1024(t):
    return fill(t, t.nn.Linear(1024, 1024)), normal(t, 1, 1024)


@layer
def conv3x3(t):
    return fill(t, t.nn.Conv2d(64, 64, 3, padding=1)), normal(t, 8, 64, 32, 32)


@layer
def conv1x1(t):
    return fill(t, t.nn.Conv2d(128, 128, 1)), normal(t, 8, 128, 28, 28)


@layer
def gru(t):
    return fill(t, t.nn.GRU(128, 256)), normal(t, 35, 20, 128)


@layer
def rnn(t):
    return fill(t, t.nn.RNN(128, 256)), normal(t, 35, 20, 128)


@layer
def attention(t):
    q, k, v = (normal(t, 2, 8, 512, 64, seed=s, scale=0.5) for s in range(3))
    return lambda a, b, c: t.nn.functional.scaled_dot_product_attention(a, b, c, is_causal=True), q, k, v


@row
def mlp_step(t, cast):
    nn = t.nn
    net = fill(t, nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)))
    x, y = normal(t, 128, 784), integers(t, 10, 128)
    return training(t, net, t.optim.SGD(net.parameters(), 0.01), cast(lambda m: nn.functional.cross_entropy(m(x), y)))


def resnet18(t):
    nn = t.nn

    class Block(nn.Module):
        def __init__(self, channels_in, channels, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(channels_in, channels, 3, stride, 1, bias=False)
            self.norm1 = nn.BatchNorm2d(channels)
            self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
            self.norm2 = nn.BatchNorm2d(channels)
            self.shortcut = nn.Identity() if stride == 1 else nn.Sequential(
                nn.Conv2d(channels_in, channels, 1, stride, bias=False), nn.BatchNorm2d(channels))

        def forward(self, x):
            h = nn.functional.relu(self.norm1(self.conv1(x)))
            return nn.functional.relu(self.norm2(self.conv2(h)) + self.shortcut(x))

    blocks = [Block(a, b, s) for a, b, s in ((64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1),
                                             (256, 512, 2), (512, 512, 1))]
    return nn.Sequential(nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU(), *blocks, nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(512, 10))


@row
def resnet18_step(t, cast):
    net = fill(t, resnet18(t))
    x, y = normal(t, 8, 3, 32, 32), integers(t, 10, 8)
    return training(t, net, t.optim.SGD(net.parameters(), 0.01, momentum=0.9), cast(lambda m: t.nn.functional.cross_entropy(m(x), y)))


@row
def gpt_6x384_step(t, cast):
    net = fill(t, gpt(t, layers=6, width=384, heads=6))
    x, y = integers(t, 96, 4, 128), integers(t, 96, 4, 128, seed=1)
    return training(t, net, t.optim.AdamW(net.parameters(), 1e-4),
                    cast(lambda m: t.nn.functional.cross_entropy(m(x).view(-1, 96), y.view(-1))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    parser.add_argument("--no-memory", action="store_true")
    options = parser.parse_args()
    modules, results, wrong = installed(), {}, []
    print(f"{'':44}{'torch':>12}{'torch_np':>12}{'ratio':>8}{'to f32':>8}{'peak MB':>18}")
    for name, make in ROWS.items():
        base, _, dtype = name.rpartition("_")
        if not re.search(options.only, name) or dtype not in options.dtypes.split(","):
            continue
        seconds, numbers = {}, {}
        for library, module in modules.items():  # a library may lack the dtype of a row on this processor
            try:
                make(module)()
            except (NotImplementedError, RuntimeError) as e:
                print(f"{name}: {library}: {type(e).__name__}: {str(e)[:80]}", file=sys.stderr)
                continue
            seconds[library] = math.inf
        seconds, numbers = time_row(make, {n: m for n, m in modules.items() if n in seconds}, options.rounds)
        results[name] = {"seconds": seconds}
        line = f"{name:44}" + "".join(f"{seconds[n] * 1e6:11.1f}u" if n in seconds else f"{'':12}" for n in LIBRARIES)
        ratio = seconds.get("torch_np", math.nan) / seconds.get("torch", math.nan)
        to_float32 = seconds.get("torch_np", math.nan) / results.get(f"{base}_float32", {}).get("seconds", {}).get("torch_np", math.nan)
        line += f"{ratio:8.2f}{to_float32:8.2f}"
        results[name] |= {"ratio": ratio, "to_float32": to_float32}
        tolerance = 1e-3 if dtype == "float32" else 3e-2
        if len(numbers) == 2 and not math.isclose(*numbers.values(), rel_tol=tolerance, abs_tol=1e-3):
            wrong.append(f"{name}: {numbers}")
        if "_step_" in name and not options.no_memory:
            results[name]["peak"] = {n: peak_memory(n, name, "mixed") for n in seconds}
            line += f"{' / '.join(f'{b / 1e6:.1f}' for b in results[name]['peak'].values()):>18}"
        print(line, flush=True)
    return finish(results, wrong, options)


if __name__ == "__main__":
    sys.exit(main())
