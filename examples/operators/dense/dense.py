"""An operator with a weight, written in Python, and a block that holds the weight: y = x W^T + bias.

    python dense.py [STEPS]

fits a block to samples of a linear function, and prints the error before and after.
"""
import math
import sys

import torch_np as torch
from torch_np import nn


class Dense(torch.operator.CustomOp):
    """Computes the operator, and the gradients of data and weight."""

    def __init__(self, bias):
        self._bias = bias

    def forward(self, is_train, req, in_data, out_data, aux):
        x, weight = in_data
        self.assign(out_data[0], req[0], x @ weight.T + self._bias)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        x, weight = in_data
        dy = out_grad[0]
        self.assign(in_grad[0], req[0], dy @ weight)
        self.assign(in_grad[1], req[1], dy.T @ x)


@torch.operator.register("dense")
class DenseProp(torch.operator.CustomOpProp):
    """Declares the operator's arguments; attributes arrive as text."""

    def __init__(self, bias):
        super().__init__(need_top_grad=True)
        self._bias = float(bias)

    def list_arguments(self):
        return ["data", "weight"]

    def infer_shape(self, in_shapes):
        data, weight = in_shapes
        return (data, weight), ((data[0], weight[0]),), ()

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Dense(self._bias)


class DenseBlock(nn.Module):
    """A layer with the operator, its constant bias, and the weight, which is trained and saved like
    that of any other layer."""

    def __init__(self, in_channels, channels, bias):
        super().__init__()
        self.bias = bias
        self.weight = nn.Parameter(torch.randn(channels, in_channels) / math.sqrt(in_channels))

    def forward(self, x):
        return torch.Custom(x, self.weight, bias=self.bias, op_type="dense")

    def extra_repr(self):
        channels, in_channels = self.weight.shape
        return f"{in_channels}, {channels}, bias={self.bias}"


def main(steps):
    torch.manual_seed(0)
    block = DenseBlock(3, 5, 0.1)
    x = torch.randn(64, 3)
    wanted = x @ torch.randn(3, 5) + 0.1
    print(block)
    for step in range(steps + 1):
        loss = ((block(x) - wanted) ** 2).mean()
        if step in (0, steps):
            print(f"step {step}: mean squared error {float(loss):.2e}")
        block.zero_grad()
        loss.backward()
        with torch.no_grad():
            assert block.weight.grad is not None
            block.weight -= block.weight.grad


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
