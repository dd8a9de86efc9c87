"""Recurrent networks as functions, called by the layers of nn that hold their weights. The
operators are defined in native_functions/recurrent.yaml.

    rnn_tanh(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
        -> (output, h_n)
    rnn_relu, gru: the same signature as rnn_tanh
    lstm(input, (h_0, c_0), params, ...) -> (output, h_n, c_n)
    all four also accept the parts of a PackedSequence: (data, batch_sizes, hx, params, has_biases,
        num_layers, dropout, train, bidirectional)
    rnn_tanh_cell, rnn_relu_cell, gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None) -> h
    lstm_cell(input, (h, c), w_ih, w_hh, b_ih=None, b_hh=None) -> (h, c)

`input` is (t, n, k), or (n, t, k) if `batch_first`. States are (layers * directions, n, h).
`params` holds, for each layer and direction, w_ih, w_hh, b_ih and b_hh if `has_biases`, and w_hr
for an LSTM with projections. One native operator computes the forward pass of a layer, and one its
backward pass. Layers with projections, and second derivatives, are composed of other operators step
by step.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_autocast_on
from torch_np._C._torch import _gru_cell, _lstm_cell, _recurrent_layer
from torch_np._C._torch_nn_functional import linear
from torch_np.nn._attention import _dropped

States = tuple[Tensor, Tensor]


def _rnn_cell(input: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None) -> Tensor:
    return linear(input, w_ih, b_ih) + linear(h, w_hh, b_hh)


def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step of a recurrent network: the tanh of `input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh`.

    Shapes: `input` (n, k), `hx` (n, h), or both without n.
    Dtypes: floats, the same for all.
    """
    return torch_np.tanh(_rnn_cell(input, hx, w_ih, w_hh, b_ih, b_hh))


def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step of a recurrent network: the ReLU of `input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh`.

    Shapes: `input` (n, k), `hx` (n, h), or both without n.
    Dtypes: floats, the same for all.
    """
    return torch_np.relu(_rnn_cell(input, hx, w_ih, w_hh, b_ih, b_hh))


def lstm_cell(input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
              b_hh: Tensor | None = None) -> States:
    """One step of an LSTM: the new states (h, c).

    Shapes: `input` (n, k), states (n, h), or all without n.
    Dtypes: floats, the same for all.
    """
    h, c = hx
    h_n, c_n, _ = _lstm_cell(linear(input, w_ih, b_ih), linear(h, w_hh, b_hh), c)
    return h_n, c_n


def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step of a GRU, which applies the reset gate after the product with the state.

    Shapes: `input` (n, k), `hx` (n, h), or both without n.
    Dtypes: floats, the same for all.
    """
    return _gru_cell(linear(input, w_ih, b_ih), linear(hx, w_hh, b_hh), hx)[0]


_CELLS = {"rnn_tanh": rnn_tanh_cell, "rnn_relu": rnn_relu_cell, "gru": gru_cell}


def _composed(input: Tensor, h: Tensor, c: Tensor | None, weights: Sequence[Tensor | None], mode: str, reverse: bool,
              batch_sizes: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
    """Computes a layer step by step from other operators, with the results of _recurrent_layer;
    with projections (w_hr), the states h are the projected ones.
    """
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    assert w_ih is not None and w_hh is not None
    rows = h.shape[0]
    outputs: list[Tensor] = []
    steps = range(input.shape[0])
    for t in reversed(steps) if reverse else steps:
        active = batch_sizes[t] if batch_sizes else rows
        x = input[t, :active]
        if c is not None:
            new, cells = lstm_cell(x, (h[:active], c[:active]), w_ih, w_hh, b_ih, b_hh)
            if w_hr is not None:
                new = linear(new, w_hr)
            c = cells if active == rows else torch_np.cat([cells, c[active:]])
        else:
            new = _CELLS[mode](x, h[:active], w_ih, w_hh, b_ih, b_hh)
        h = new if active == rows else torch_np.cat([new, h[active:]])
        outputs.append(new if active == rows else torch_np.cat([new, torch_np.zeros_like(h[active:])]))
    out = torch_np.stack(outputs[::-1] if reverse else outputs)
    return out, h, h if c is None else c


def _layer(input: Tensor, h: Tensor, c: Tensor | None, weights: Sequence[Tensor | None], mode: str, reverse: bool,
           batch_sizes: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    if w_hr is not None or input.shape[0] == 0:
        return _composed(input, h, c, weights, mode, reverse, batch_sizes)
    assert w_ih is not None and w_hh is not None
    return _recurrent_layer(input, h, c, w_ih, w_hh, b_ih, b_hh, mode, reverse, list(batch_sizes))


def _weights(params: Sequence[Tensor], index: int, count: int, has_biases: bool) -> list[Tensor | None]:
    own: list[Tensor | None] = list(params[index * count:(index + 1) * count])
    if not has_biases:
        own[2:2] = [None, None]
    return own if len(own) == 5 else [*own, None]


def _network(mode: str, input: Tensor, h_0: Tensor, c_0: Tensor | None, params: Sequence[Tensor], has_biases: bool, num_layers: int,
             dropout: float, train: bool, bidirectional: bool, batch_sizes: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
    directions = 2 if bidirectional else 1
    count = len(params) // (num_layers * directions)
    if count * num_layers * directions != len(params) or count not in ((4, 5) if has_biases else (2, 3)):
        raise RuntimeError(f"{mode}: params has {len(params)} weights, the wrong number for {num_layers} layers of {directions} directions")
    hs, cs = [], []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            i = layer * directions + direction
            out, h, c = _layer(input, h_0[i], None if c_0 is None else c_0[i], _weights(params, i, count, has_biases), mode, direction == 1,
                               batch_sizes)
            outputs.append(out)
            hs.append(h)
            cs.append(c)
        input = outputs[0] if directions == 1 else torch_np.cat(outputs, -1)
        if dropout and train and layer + 1 < num_layers:
            input = _dropped(input, dropout)
    return input, torch_np.stack(hs), torch_np.stack(cs) if c_0 is not None else hs[0]


def _dense(mode: str, input: Tensor, h_0: Tensor, c_0: Tensor | None, params: Sequence[Tensor], has_biases: bool, num_layers: int,
           dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> tuple[Tensor, Tensor, Tensor]:
    if batch_first:
        input = input.transpose(0, 1)
    out, h, c = _network(mode, input, h_0, c_0, params, has_biases, num_layers, dropout, train, bidirectional, ())
    return out.transpose(0, 1) if batch_first else out, h, c


def _packed(mode: str, data: Tensor, batch_sizes: Tensor | Sequence[int], h_0: Tensor, c_0: Tensor | None, params: Sequence[Tensor],
            has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool) -> tuple[Tensor, Tensor, Tensor]:
    sizes: list[int] = batch_sizes.tolist() if isinstance(batch_sizes, Tensor) else list(batch_sizes)
    rows, first = sizes[0], 0
    # `padding`: source row of each padded row (0 for rows beyond a sequence's end). `places`:
    # indices of the packed rows in the padded result.
    padding, places = [], []
    for t, n in enumerate(sizes):
        padding += [first + r if r < n else 0 for r in range(rows)]
        places += [t * rows + r for r in range(n)]
        first += n
    padded = data[torch_np.tensor(padding, device=data.device)].reshape(len(sizes), rows, data.shape[1])
    out, h, c = _network(mode, padded, h_0, c_0, params, has_biases, num_layers, dropout, train, bidirectional, sizes)
    return out.reshape(len(sizes) * rows, out.shape[2])[torch_np.tensor(places, device=data.device)], h, c


def _call(mode: str, input: Tensor, arguments: Sequence[Any]) -> tuple[Tensor, Tensor, Tensor]:
    packed = not isinstance(arguments[1], (list, tuple)) if mode != "lstm" else isinstance(arguments[0], Tensor)
    states, rest = arguments[packed], arguments[packed + 1:]
    h, c = states if mode == "lstm" else (states, None)
    if packed:
        return _packed(mode, input, arguments[0], h, c, *rest)
    return _dense(mode, input, h, c, *rest)


def rnn_tanh(input: Tensor, *arguments: Any) -> States:
    """A recurrent network with tanh: (output, h_n). The module's docstring describes the arguments.

    Shapes: `input` (t, n, k), or (n, t, k) if `batch_first`; h_0 and h_n (layers * directions, n,
    h); output (t, n, directions * h), or (n, t, ...). Weights are (h, k) and (h, h), biases (h,); k
    is directions * h after the first layer.
    Errors: RuntimeError for a wrong number of weights.
    """
    return _call("rnn_tanh", input, arguments)[:2]


def rnn_relu(input: Tensor, *arguments: Any) -> States:
    """A recurrent network with ReLU: (output, h_n). The module's docstring describes the arguments.

    Shapes: `input` (t, n, k), or (n, t, k) if `batch_first`; h_0 and h_n (layers * directions, n,
    h); output (t, n, directions * h), or (n, t, ...). Weights are (h, k) and (h, h), biases (h,); k
    is directions * h after the first layer.
    Errors: RuntimeError for a wrong number of weights.
    """
    return _call("rnn_relu", input, arguments)[:2]


def gru(input: Tensor, *arguments: Any) -> States:
    """A network of gated recurrent units: (output, h_n). The module's docstring describes the
    arguments.

    Shapes: `input` (t, n, k), or (n, t, k) if `batch_first`; h_0 and h_n (layers * directions, n,
    h); output (t, n, directions * h), or (n, t, ...). Weights are (3 h, k) and (3 h, h), biases (3
    h,); k is directions * h after the first layer.
    Errors: RuntimeError for a wrong number of weights.
    """
    out, h = _call("gru", input, arguments)[:2]
    state = arguments[1] if isinstance(arguments[1], Tensor) else arguments[0]
    if _is_autocast_on() and not input.is_cuda and state.dtype == torch_np.float32:  # a GRU's state keeps its dtype in autocast
        return out.to(torch_np.float32), h.to(torch_np.float32)
    return out, h


def lstm(input: Tensor, *arguments: Any) -> tuple[Tensor, Tensor, Tensor]:
    """A long short-term memory network: (output, h_n, c_n). The module's docstring describes the
    arguments.

    Shapes: `input` (t, n, k), or (n, t, k) if `batch_first`; states (layers * directions, n, h);
    output (t, n, directions * h), or (n, t, ...). Weights are (4 h, k) and (4 h, h), biases (4 h,);
    k is directions * h after the first layer. With projections to size p, w_hr is (p, h), and p
    replaces h in h_0, h_n, the output and (4 h, p).
    Errors: RuntimeError for a wrong number of weights.
    """
    return _call("lstm", input, arguments)
