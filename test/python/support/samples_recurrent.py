"""Samples of recurrent layers."""
from samples import Case

from torch_np._C._torch import _gru_cell, _lstm_cell, _recurrent_layer


def _of(mode, gates, with_cells=False, reverse=False, batch_sizes=()):
    def call(make, *arrays):
        x, h, *rest = [make.torch(a) for a in arrays]
        c = rest.pop(0) if with_cells else None
        results = _recurrent_layer(x, h, c, *rest, mode, reverse, list(batch_sizes))
        results = results if with_cells else results[:2]
        return tuple(r if make.face == "Tensor" else r._np_compat() for r in results)

    def case(make):
        inputs = [make(3, 2, 3), make(2, 2), *([make(2, 2)] if with_cells else []), make(gates * 2, 3), make(gates * 2, 2), make(gates * 2),
                  make(gates * 2)]
        return Case(inputs, lambda *arrays: call(make, *arrays), "real")
    return case


_CASES = [_of("lstm", 4, True), _of("lstm", 4, True, True, (2, 2, 1)), _of("gru", 3), _of("gru", 3, False, True), _of("rnn_tanh", 1),
          _of("rnn_relu", 1, batch_sizes=(2, 1, 1))]



def _cell(function, results, gates):
    def call(make, *arrays):
        values = function(*(make.torch(a) for a in arrays))[:results]
        return tuple(r if make.face == "Tensor" else r._np_compat() for r in values)

    return lambda make: [Case([make(*leading, gates * 3), make(*leading, gates * 3), make(*leading, 3)], lambda *arrays: call(make, *arrays), "real")
                         for leading in ((2,), ())]


SAMPLES = {"recurrent_steps": lambda make: [case(make) for case in _CASES], "_lstm_cell": _cell(_lstm_cell, 2, 4),
           "_gru_cell": _cell(_gru_cell, 1, 3)}
REAL_ONLY = {"recurrent_steps", "_lstm_cell", "_gru_cell"}
