"""Recurrent layers and cells."""
from __future__ import annotations

import math
import numbers
import warnings
from typing import Any

from torch_np import _C
from torch_np._C import Tensor, _is_autocast_on
from torch_np.nn import _recurrent
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter
from torch_np.nn.utils.rnn import PackedSequence
# Names that layers of packages import from here.
from torch_np.nn import init as init

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_COMPUTE = {"GRU": _recurrent.gru, "RNN_TANH": _recurrent.rnn_tanh, "RNN_RELU": _recurrent.rnn_relu}


class RNNBase(Module):
    """Base class of RNN, LSTM and GRU.

    The weights of layer k are `weight_ih_lk` (gates * hidden_size, features of its input),
    `weight_hh_lk` and, if `bias`, `bias_ih_lk` and `bias_hh_lk`. Those of the backward direction
    end in `_reverse`. With `proj_size` there is `weight_hr_lk` too.

    Args:
      mode: 'RNN_TANH', 'RNN_RELU', 'LSTM' or 'GRU'
      input_size: features of the input
      hidden_size: features of the state
      num_layers: number of layers
      bias: whether to learn biases
      batch_first: inputs are (N, L, features) instead of (L, N, features)
      dropout: probability of dropout between layers
      bidirectional: also run over the sequence backwards
      proj_size: features to which an LSTM projects its state; 0 for none
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: ValueError for a `dropout` outside [0, 1], sizes below 1, a `proj_size` not below
    `hidden_size`, and an unknown `mode`; TypeError if `hidden_size` is not an int.
    """

    def __init__(self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False,
                 dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
        if dropout > 0 and num_layers == 1:
            warnings.warn("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater than "
                          f"1, but got dropout={dropout} and num_layers={num_layers}", stacklevel=3)
        if not isinstance(hidden_size, int):
            raise TypeError(f"hidden_size should be of type int, got: {type(hidden_size).__name__}")
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        self.mode, self.input_size, self.hidden_size, self.num_layers, self.bias = mode, input_size, hidden_size, num_layers, bias
        self.batch_first, self.dropout, self.bidirectional, self.proj_size = batch_first, float(dropout), bidirectional, proj_size
        directions, gates, output = 1 + bool(bidirectional), _GATES[mode] * hidden_size, proj_size or hidden_size
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[:directions]:
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (gates, output * directions if layer else input_size), "weight_hh": (gates, output)}
                if bias:
                    shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                for kind, shape in shapes.items():
                    setattr(self, f"{kind}_l{layer}{suffix}", Parameter(_C._torch.empty(shape, device=device, dtype=dtype)))
                self._all_weights.append([f"{kind}_l{layer}{suffix}" for kind in shapes])
        self.reset_parameters()

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self) -> list[Parameter]:
        own = self._parameters
        # a parametrised or pruned weight is an attribute, not a parameter
        return [own[name] if name in own else getattr(self, name) for names in self._all_weights for name in names]  # type: ignore[misc]

    def __getstate__(self) -> dict[str, Any]:
        # PyTorch's layers have these lists
        names = [name for layer in self._all_weights for name in layer]
        return {**super().__getstate__(), "_flat_weights_names": names, "_flat_weights": self._flat_weights}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({k: v for k, v in state.items() if k not in ("_flat_weights_names", "_flat_weights", "_flat_weight_refs")})

    def flatten_parameters(self) -> None:
        """Does nothing: the operators use the weights in any layout."""

    def reset_parameters(self) -> None:
        """Fills the parameters with random numbers from the uniform distribution on ±1 /
        sqrt(hidden_size).
        """
        from torch_np.nn import init
        bound = 1.0 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (("proj_size", 0), ("num_layers", 1), ("bias", True), ("batch_first", False), ("dropout", 0), ("bidirectional", False)):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text

    def _check_input(self, input, packed):
        if not packed and input.dim() not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D instead")
        if input.dtype != self.weight_ih_l0.dtype and not _is_autocast_on():
            raise ValueError(f"RNN input dtype ({input.dtype}) does not match weight dtype ({self.weight_ih_l0.dtype}). Convert input: "
                             f"input.to({self.weight_ih_l0.dtype}), or convert model: model.to({input.dtype})")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}")

    def _check_state(self, state, shape, got="Expected hidden size {}, got {}"):
        if tuple(state.shape) != shape:
            raise RuntimeError(got.format(shape, list(state.shape)))

    def _zeros(self, input, batch, size):
        return _C._torch.zeros(self.num_layers * (1 + bool(self.bidirectional)), batch, size, dtype=input.dtype, device=input.device)

    def _states(self, input, batch, hx, batched):
        """The checked initial states, each (layers * directions, batch, size)."""
        sizes = [self.proj_size or self.hidden_size] + [self.hidden_size] * (self.mode == "LSTM")
        if hx is None:
            return [self._zeros(input, batch, size) for size in sizes]
        states = list(hx) if self.mode == "LSTM" else [hx]
        for state in states:
            if state.dim() != (3 if batched else 2):
                if self.mode == "LSTM":
                    raise RuntimeError("For batched 3-D input, hx and cx should also be 3-D but got ({}-D, {}-D) tensors".format(
                        *(s.dim() for s in states)) if batched else
                        "For unbatched 2-D input, hx and cx should also be 2-D but got ({}-D, {}-D) tensors".format(*(s.dim() for s in states)))
                raise RuntimeError(f"For {'batched 3' if batched else 'unbatched 2'}-D input, hx should also be {3 if batched else 2}-D but got "
                                   f"{state.dim()}-D tensor")
        if not batched:
            states = [s.unsqueeze(1) for s in states]
        directions = self.num_layers * (1 + bool(self.bidirectional))
        for state, size, text in zip(states, sizes, ("Expected hidden size {}, got {}" if self.mode != "LSTM" else "Expected hidden[0] size {}, got {}",
                                                     "Expected hidden[1] size {}, got {}"), strict=False):
            self._check_state(state, (directions, batch, size), got=text)
        return states

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The hidden states of the last layer at all steps, and the final states of all layers:
        (output, states).

        Args:
          input: sequences
          hx: initial states, zeros by default

        Shapes: input (L, N, input_size), (N, L, input_size) if `batch_first`, (L, input_size), or a
        PackedSequence; states (layers * directions, N, hidden_size).
        Errors: RuntimeError or ValueError for shapes or dtypes that do not fit.
        """
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        self._check_input(input, packed=False)
        batched = input.dim() == 3
        x = input if batched else input.unsqueeze(int(not self.batch_first))
        states = self._states(x, x.shape[0 if self.batch_first else 1], hx, batched)
        options = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first)
        if self.mode == "LSTM":
            output, *last = _recurrent.lstm(x, tuple(states), *options)
        else:
            output, *last = _COMPUTE[self.mode](x, states[0], *options)
        if not batched:
            output, last = output.squeeze(int(not self.batch_first)), [s.squeeze(1) for s in last]
        return output, tuple(last) if self.mode == "LSTM" else last[0]

    def _forward_packed(self, input, hx):
        data, batch_sizes, sorted_indices, unsorted_indices = input
        self._check_input(data, packed=True)
        if hx is not None and sorted_indices is not None:
            hx = tuple(s.index_select(1, sorted_indices) for s in hx) if self.mode == "LSTM" else hx.index_select(1, sorted_indices)
        states = self._states(data, int(batch_sizes[0]), hx, True)
        options = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        if self.mode == "LSTM":
            output, *last = _recurrent.lstm(data, batch_sizes, tuple(states), *options)
        else:
            output, *last = _COMPUTE[self.mode](data, batch_sizes, states[0], *options)
        if unsorted_indices is not None:
            last = [s.index_select(1, unsorted_indices) for s in last]
        return PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices), tuple(last) if self.mode == "LSTM" else last[0]


class RNN(RNNBase):
    """A recurrent network, `h' = tanh(W_ih x + b_ih + W_hh h + b_hh)`.

    Args:
      args: `input_size`, `hidden_size`, `num_layers`, `nonlinearity` ('tanh' or 'relu'), and the
        further arguments of RNNBase
      kwargs: the same arguments by keyword

    Errors: ValueError for an unknown `nonlinearity`, a `proj_size`, a `dropout` outside [0, 1], and
    sizes below 1; TypeError if `hidden_size` is not an int.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            self_nonlinearity, args = args[3], args[:3] + args[4:]
        else:
            self_nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self_nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self_nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_TANH" if self_nonlinearity == "tanh" else "RNN_RELU", *args, **kwargs)
        self.nonlinearity = self_nonlinearity


class LSTM(RNNBase):
    """A long short-term memory network (Hochreiter and Schmidhuber, 1997), with gates in the order
    i, f, g, o.

    Args:
      args: the arguments of RNNBase without `mode`
      kwargs: the same arguments by keyword

    Errors: ValueError for a `dropout` outside [0, 1], sizes below 1, and a `proj_size` not below
    `hidden_size`; TypeError if `hidden_size` is not an int.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """A network of gated recurrent units (Cho et al., 2014), with gates in the order r, z, n.

    Args:
      args: the arguments of RNNBase without `mode` and `proj_size`
      kwargs: the same arguments by keyword

    Errors: ValueError for a `proj_size`, a `dropout` outside [0, 1], and sizes below 1; TypeError
    if `hidden_size` is not an int.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


class RNNCellBase(Module):
    """Base class of recurrent cells, with `weight_ih` (num_chunks * hidden_size, input_size),
    `weight_hh` and, if `bias`, `bias_ih` and `bias_hh`.

    Args:
      input_size: features of the input
      hidden_size: features of the state
      bias: whether to learn biases
      num_chunks: number of gates
      device: device of the parameters
      dtype: dtype of the parameters
    """

    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(_C._torch.empty((rows, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(_C._torch.empty((rows, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(_C._torch.empty(rows, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Fills the parameters with random numbers from the uniform distribution on ±1 /
        sqrt(hidden_size).
        """
        from torch_np.nn import init
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _prepared(self, input, hx):
        """The batched input, a function that adds a batch axis to a state, and whether the input
        was batched.
        """
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for state in () if hx is None else hx if isinstance(hx, tuple) else (hx,):
            if state.dim() not in (1, 2):
                raise ValueError(f"{name}: Expected hidden to be 1D or 2D, got {state.dim()}D instead")
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        return x, (lambda s: s if batched else s.unsqueeze(0)), batched

    def _zeros(self, x):
        return _C._torch.zeros(x.shape[0], self.hidden_size, dtype=x.dtype, device=x.device)

    def _weights(self):
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh


class RNNCell(RNNCellBase):
    """One step of a recurrent network, `h' = tanh(W_ih x + b_ih + W_hh h + b_hh)`.

    Args:
      input_size: features of the input
      hidden_size: features of the state
      bias: whether to learn biases
      nonlinearity: 'tanh' or 'relu'
      device: device of the parameters
      dtype: dtype of the parameters
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state.

        Args:
          input: input
          hx: state, zeros by default

        Shapes: (N, input_size) and (N, hidden_size), or without N.
        Errors: ValueError unless `input` has 1 or 2 axes, RuntimeError for an unknown
        `nonlinearity`.
        """
        x, batch, batched = self._prepared(input, hx)
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        cell = _recurrent.rnn_tanh_cell if self.nonlinearity == "tanh" else _recurrent.rnn_relu_cell
        h = cell(x, self._zeros(x) if hx is None else batch(hx), *self._weights())
        return h if batched else h.squeeze(0)


class LSTMCell(RNNCellBase):
    """One step of a long short-term memory network.

    Args:
      input_size: features of the input
      hidden_size: features of the state
      bias: whether to learn biases
      device: device of the parameters
      dtype: dtype of the parameters
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """The next states (h, c).

        Args:
          input: input
          hx: states (h, c), zeros by default

        Shapes: (N, input_size) and (N, hidden_size), or without N.
        Errors: ValueError unless `input` has 1 or 2 axes.
        """
        x, batch, batched = self._prepared(input, hx)
        states = (self._zeros(x), self._zeros(x)) if hx is None else (batch(hx[0]), batch(hx[1]))
        h, c = _recurrent.lstm_cell(x, states, *self._weights())
        return (h, c) if batched else (h.squeeze(0), c.squeeze(0))


class GRUCell(RNNCellBase):
    """One step of a network of gated recurrent units.

    Args:
      input_size: features of the input
      hidden_size: features of the state
      bias: whether to learn biases
      device: device of the parameters
      dtype: dtype of the parameters
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state.

        Args:
          input: input
          hx: state, zeros by default

        Shapes: (N, input_size) and (N, hidden_size), or without N.
        Errors: ValueError unless `input` has 1 or 2 axes.
        """
        x, batch, batched = self._prepared(input, hx)
        h = _recurrent.gru_cell(x, self._zeros(x) if hx is None else batch(hx), *self._weights())
        return h if batched else h.squeeze(0)
