"""Programs whose graphs test_fx.py compares with PyTorch's, which data/golden/fx.txt holds. PyTorch wrote them: with `torch_np` standing
for torch, the file has `str(symbolic_trace(program).graph)` and `.code` of each program.
"""
import operator

import torch_np as torch
from torch_np import nn


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.param = nn.Parameter(torch.ones(3, 4))
        self.linear = nn.Linear(4, 5)
        self.seq = nn.Sequential(nn.Linear(5, 5), nn.ReLU())
        self.register_buffer("buf", torch.ones(5))

    def forward(self, x, y=None, *, scale: float = 2.0):
        a = self.linear(x + self.param).clamp(min=0.0, max=1.0)
        b = self.seq(a) + self.buf
        b = torch.relu(b).transpose(0, 1)
        c = torch.cat([b, b], dim=0)[0, 1:]
        d = c.shape[0]
        e = torch.nn.functional.gelu(c) * scale
        g = -(1 - e)
        h = g ** 2 // 3
        i = h.T
        h = h + 1
        q, _ = torch.max(b, 0)
        return {"out": h, "n": (d, i, q), "c": torch.tensor([1.0]) + h}


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.conv = nn.Conv2d(size, size, 3, padding=1)
        self.bn = nn.BatchNorm2d(size)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        shortcut = x
        x = self.act(self.bn(self.conv(x)))
        x += shortcut
        return x


class Blocks(nn.Module):
    """Blocks in lists and sequences, as torchvision's and timm's networks have them."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 1)
        self.layer1 = nn.Sequential(Block(4), Block(4))
        self.heads = nn.ModuleList([nn.Linear(4, 2), nn.Linear(4, 3)])

    def forward(self, x):
        x = self.layer1(self.stem(x))
        x = torch.flatten(nn.functional.adaptive_avg_pool2d(x, (1, 1)), 1)
        return [head(x) for head in self.heads]


def many(*args, **kw):
    return args[0] + kw["a"]


def literals(x):
    return (x, [x, {"a": x}], slice(x, None), x.foo, x.foo(), x[...], torch.float32, x.to(torch.float32), None, range(3), torch.Size([1]),
            float("inf"), x.bar.baz(1), x(2), getattr(x, "shape"), ~x, x @ x, x << 1, x < 1, x.type, x == 1, x[1:, None], "text", 1j)


def functions(x, y):
    a = torch.matmul(x, y)
    b = torch.stack([a, a.mul(2)], dim=-1).mean(dim=(0, 1), keepdim=True)
    c, d = torch.unbind(b, dim=-1)
    e = torch.where(c > 0, c, d)
    return torch.softmax(e, dim=-1).sum(), operator.mul(3, e) % 2, 2 ** e, 1 / e


PROGRAMS = {"Network": Network(), "Blocks": Blocks(), "many": many, "literals": literals, "functions": functions}
