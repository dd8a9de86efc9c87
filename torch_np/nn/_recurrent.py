"""Recurrent networks, of public operators: what comes from the inputs is one product for all steps, what comes from the state one a step."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn import functional as F

State = tuple[Tensor, ...]  # (h,), or (h, c) of an LSTM
Step = Callable[[Tensor, State, "_Weights"], State]


class _Weights:
    """Those of one direction of one layer: `weight_ih` (gates hidden, input), `weight_hh` (gates hidden, hidden), the biases or None, and
    `weight_hr` (projected, hidden) or None."""

    def __init__(self, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor | None = None, bias_hh: Tensor | None = None,
                 weight_hr: Tensor | None = None) -> None:
        self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh, self.weight_hr = weight_ih, weight_hh, bias_ih, bias_hh, weight_hr


def _tanh_step(from_input: Tensor, state: State, w: _Weights) -> State:
    """h' = tanh(W x + b + U h + c)."""
    return ((from_input + F.linear(state[0], w.weight_hh, w.bias_hh)).tanh(),)


def _relu_step(from_input: Tensor, state: State, w: _Weights) -> State:
    """h' = max(W x + b + U h + c, 0)."""
    return ((from_input + F.linear(state[0], w.weight_hh, w.bias_hh)).relu(),)


def _lstm_step(from_input: Tensor, state: State, w: _Weights) -> State:
    """Hochreiter and Schmidhuber (1997), with Gers' forget gate: c' = f c + i g, h' = o tanh(c'), projected if there is a `weight_hr`."""
    gates = from_input + F.linear(state[0], w.weight_hh, w.bias_hh)
    i, f, g, o = gates.chunk(4, -1)
    cell = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
    hidden = o.sigmoid() * cell.tanh()
    return (hidden if w.weight_hr is None else F.linear(hidden, w.weight_hr)), cell


def _gru_step(from_input: Tensor, state: State, w: _Weights) -> State:
    """Cho et al. (2014), with the reset gate behind the product, as cuDNN has it: h' = n + z (h - n), n = tanh(W x + b + r (U h + c))."""
    from_state = F.linear(state[0], w.weight_hh, w.bias_hh)
    r, z, n = from_input.chunk(3, -1)
    r_of_state, z_of_state, n_of_state = from_state.chunk(3, -1)
    new = (n + (r + r_of_state).sigmoid() * n_of_state).tanh()
    return (new + (z + z_of_state).sigmoid() * (state[0] - new),)


def _forwards(step, inputs, state, w):
    """Outputs of all steps, and the last state of each sequence. Sequences of a packed batch end before others: the last ones first."""
    outputs, ended = [], []
    for x in inputs:
        if x.shape[0] < state[0].shape[0]:
            ended.append(tuple(s[x.shape[0]:] for s in state))
            state = tuple(s[:x.shape[0]] for s in state)
        state = step(x, state, w)
        outputs.append(state[0])
    if ended:
        state = tuple(_C._torch.cat(parts) for parts in zip(state, *reversed(ended), strict=True))
    return outputs, state


def _backwards(step, inputs, initial, w):
    """The same from the last step on, which the longest sequences of a packed batch begin alone."""
    outputs = []
    state = tuple(s[:inputs[-1].shape[0]] for s in initial)
    for x in reversed(inputs):
        n = state[0].shape[0]
        if x.shape[0] > n:
            state = tuple(_C._torch.cat((s, first[n:x.shape[0]])) for s, first in zip(state, initial, strict=True))
        state = step(x, state, w)
        outputs.append(state[0])
    return outputs[::-1], state


def _layers(step: Step, input: Tensor, batch_sizes: Sequence[int] | None, state: State, weights: Sequence[Sequence[_Weights]],
            dropout: float, training: bool) -> tuple[Tensor, State]:
    """All layers and directions. `input`: (steps, batch, features), or the steps of a packed batch one after the other, of `batch_sizes`
    rows each; `state`: each (layers directions, batch, hidden); `weights`: of each layer those of its directions. Returns the outputs, as
    the input is laid out, and the last states."""
    if input.shape[0] == 0:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    first_states = list(zip(*(s.unbind(0) for s in state), strict=True))
    last_states: list[State] = []
    for k, directions in enumerate(weights):
        results: list[Tensor] = []
        for w in directions:
            of_input = F.linear(input, w.weight_ih, w.bias_ih)
            inputs = of_input.unbind(0) if batch_sizes is None else of_input.split(list(batch_sizes))
            run = _backwards if len(results) == 1 else _forwards
            outputs, last = run(step, inputs, first_states[len(last_states)], w)
            last_states.append(last)
            results.append(_C._torch.stack(tuple(outputs)) if batch_sizes is None else _C._torch.cat(tuple(outputs)))
        input = results[0] if len(results) == 1 else _C._torch.cat(tuple(results), -1)
        if dropout > 0 and training and k < len(weights) - 1:
            input = F.dropout(input, dropout, True)
    return input, tuple(_C._torch.stack(parts) for parts in zip(*last_states, strict=True))


def _grouped(flat, has_biases, num_layers, directions, projected):
    """Weights of each layer and direction, of a list of all."""
    n = (4 if has_biases else 2) + projected
    if len(flat) != n * num_layers * directions:
        raise RuntimeError(f"expected {n * num_layers * directions} weights of {num_layers} layers and {directions} directions, got {len(flat)}")
    made = []
    for k in range(0, len(flat), n):
        ih, hh, *rest = flat[k:k + n]
        b_ih, b_hh = rest[:2] if has_biases else (None, None)
        made.append(_Weights(ih, hh, b_ih, b_hh, rest[-1] if projected else None))
    return [made[k:k + directions] for k in range(0, len(made), directions)]


def _run(step, input, rest):
    """What is common to the networks: `rest` begins with the batch sizes of a packed batch, or ends in batch_first."""
    batch_sizes, batch_first = None, False
    if isinstance(rest[2], bool):  # has_biases
        *rest, batch_first = rest
    else:
        batch_sizes, *rest = rest
    hx, flat, has_biases, num_layers, dropout, training, bidirectional = rest
    state = tuple(hx) if isinstance(hx, (tuple, list)) else (hx,)
    projected = len(state) == 2 and state[0].shape[-1] != state[1].shape[-1]
    weights = _grouped(list(flat), has_biases, num_layers, 2 if bidirectional else 1, projected)
    sizes = None if batch_sizes is None else batch_sizes.tolist()
    outputs, last = _layers(step, input.transpose(0, 1) if batch_first else input, sizes, state, weights, dropout, training)
    return (outputs.transpose(0, 1) if batch_first else outputs), *last


def lstm(input: Tensor, *args: Any) -> tuple[Tensor, Tensor, Tensor]:
    """lstm(input, (h, c), weights, has_biases, num_layers, dropout, train, bidirectional, batch_first), or of a packed batch
    lstm(data, batch_sizes, (h, c), weights, has_biases, num_layers, dropout, train, bidirectional): outputs, last h, last c.

    Shapes: `input` (steps, batch, features), or (batch, steps, features) if `batch_first`; h and c (layers directions, batch, hidden).
    `weights`: of each layer and direction w_ih, w_hh, with biases b_ih, b_hh, with a projection w_hr. Errors: RuntimeError for no steps,
    or another number of weights.
    """
    return _run(_lstm_step, input, args)


def gru(input: Tensor, *args: Any) -> tuple[Tensor, Tensor]:
    """gru(input, h, ...), with the arguments of lstm: outputs, last h."""
    return _run(_gru_step, input, args)


def rnn_tanh(input: Tensor, *args: Any) -> tuple[Tensor, Tensor]:
    """rnn_tanh(input, h, ...), with the arguments of lstm: outputs, last h."""
    return _run(_tanh_step, input, args)


def rnn_relu(input: Tensor, *args: Any) -> tuple[Tensor, Tensor]:
    """rnn_relu(input, h, ...), with the arguments of lstm: outputs, last h."""
    return _run(_relu_step, input, args)


def _one_step(step, input, state, w_ih, w_hh, b_ih, b_hh):
    if input.shape[1] != w_ih.shape[1]:
        raise RuntimeError(f"input has inconsistent input_size: got {input.shape[1]} expected {w_ih.shape[1]}")
    for h in state:
        if h.shape[0] != input.shape[0]:
            raise RuntimeError(f"Input batch size {input.shape[0]} doesn't match hidden batch size {h.shape[0]}")
        if h.shape[1] != w_hh.shape[1]:
            raise RuntimeError(f"hidden has inconsistent hidden_size: got {h.shape[1]}, expected {w_hh.shape[1]}")
    return step(F.linear(input, w_ih, b_ih), state, _Weights(w_ih, w_hh, b_ih, b_hh))


def lstm_cell(input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
              b_hh: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """One step from (batch, features) and `hx`, (h, c), each (batch, hidden), to the next two. Errors: RuntimeError for sizes that do not
    fit."""
    return _one_step(_lstm_step, input, tuple(hx), w_ih, w_hh, b_ih, b_hh)


def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step from (batch, features) and `hx` (batch, hidden) to the next. Errors: as lstm_cell."""
    return _one_step(_gru_step, input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]


def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step from (batch, features) and `hx` (batch, hidden) to the next. Errors: as lstm_cell."""
    return _one_step(_tanh_step, input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]


def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step from (batch, features) and `hx` (batch, hidden) to the next. Errors: as lstm_cell."""
    return _one_step(_relu_step, input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]
