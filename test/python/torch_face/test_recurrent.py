"""The native operator of recurrent layers, compared with steps composed of other operators, with
gradients."""
import numpy
import pytest

import torch_np
from torch_np.nn import _recurrent

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def leaves(rng, mode, dtype, rows, inputs, state, steps):
    g = GATES[mode] * state
    shapes = [(steps, rows, inputs), (rows, state), (rows, state), (g, inputs), (g, state), (g,), (g,)]
    return [torch_np.tensor(rng.standard_normal(s).astype(dtype) * (1 if i < 3 else 0.3), requires_grad=True) for i, s in enumerate(shapes)]


# Tolerances: one rounding error per step, through all steps.
@pytest.mark.parametrize("mode", GATES)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("sizes", [(), (37, 37, 20, 20, 5, 1)], ids=["full", "packed"])
@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-10), ("float32", 2e-3)])
def test_layer(mode, reverse, sizes, dtype, tolerance):
    arrays = leaves(numpy.random.default_rng(3), mode, dtype, 37, 9, 50, 6)
    results = []
    for f in (_recurrent._layer, _recurrent._composed):
        x, h, c, *weights = [a.detach().requires_grad_() for a in arrays]
        out, h_n, c_n = f(x, h, c if mode == "lstm" else None, [*weights, None], mode, reverse, sizes)
        (out * out).sum().backward(retain_graph=True)
        (h_n.sum() + (c_n * c_n).sum()).backward()
        grads = [a.grad for a in (x, h, *([c] if mode == "lstm" else []), *weights)]
        results.append([numpy.asarray(t.detach()) for t in (out, h_n, c_n, *grads)])
    for got, expected in zip(*results):
        numpy.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance * max(1, abs(expected).max()))


@pytest.mark.parametrize("mode", GATES)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sixteen_bits(mode, dtype):
    arrays = [a.detach().to(getattr(torch_np, dtype)).requires_grad_() for a in leaves(numpy.random.default_rng(4), mode, "float32", 3, 4, 5, 6)]
    x, h, c, *weights = arrays
    out, h_n, _ = _recurrent._layer(x, h, c if mode == "lstm" else None, [*weights, None], mode, False, ())
    out.sum().backward()
    assert out.dtype == x.dtype and x.grad.dtype == x.dtype and weights[1].grad.shape == weights[1].shape
    assert bool((out[-1] == h_n).all())


def test_projections_and_several_layers():
    rng = numpy.random.default_rng(5)
    params = []
    for inputs in (4, 6):
        for _ in range(2):
            params += [torch_np.tensor(rng.standard_normal(s) * 0.3) for s in ((20, inputs), (20, 3), (20,), (20,), (3, 5))]
    x = torch_np.tensor(rng.standard_normal((7, 2, 4)))
    h, c = torch_np.zeros(4, 2, 3, dtype=torch_np.float64), torch_np.zeros(4, 2, 5, dtype=torch_np.float64)
    out, h_n, c_n = _recurrent.lstm(x, (h, c), params, True, 2, 0.0, False, True, False)
    assert out.shape == (7, 2, 6) and h_n.shape == (4, 2, 3) and c_n.shape == (4, 2, 5)
    numpy.testing.assert_array_equal(numpy.asarray(out[-1, :, :3]), numpy.asarray(h_n[2]))


def test_packed_rows_are_those_of_each_sequence_alone():
    rng = numpy.random.default_rng(6)
    params = [torch_np.tensor(rng.standard_normal(s) * 0.3) for s in ((6, 3), (6, 2), (6,), (6,))] * 2
    sequences = [torch_np.tensor(rng.standard_normal((n, 1, 3))) for n in (4, 2, 1)]
    data = torch_np.cat([torch_np.cat([s[t] for s in sequences if t < s.shape[0]]) for t in range(4)])
    h = torch_np.zeros(2, 3, 2, dtype=torch_np.float64)
    out, h_n = _recurrent.gru(data, torch_np.tensor([3, 2, 1, 1]), h, params, True, 1, 0.0, False, True)
    for i, s in enumerate(sequences):
        alone, last = _recurrent.gru(s, h[:, i:i + 1], params, True, 1, 0.0, False, True, False)
        numpy.testing.assert_allclose(numpy.asarray(h_n[:, i]), numpy.asarray(last[:, 0]), rtol=1e-13)
        places = [[0, 3, 5, 6], [1, 4], [2]][i]
        numpy.testing.assert_allclose(numpy.asarray(out[places]), numpy.asarray(alone[:, 0]), rtol=1e-13)


def test_wrong_shapes_raise():
    x, h = torch_np.rand(3, 2, 4), torch_np.rand(2, 5)
    for w_ih, w_hh, mode in ((torch_np.rand(5, 3), torch_np.rand(5, 5), "rnn_tanh"), (torch_np.rand(5, 4), torch_np.rand(5, 4), "rnn_tanh"),
                             (torch_np.rand(7, 4), torch_np.rand(7, 5), "gru"), (torch_np.rand(20, 4), torch_np.rand(20, 5), "lstm")):
        with pytest.raises(RuntimeError):
            _recurrent._recurrent_layer(x, h, None, w_ih, w_hh, None, None, mode, False, [])
    with pytest.raises(RuntimeError, match="batch_sizes"):
        _recurrent._recurrent_layer(x, h, None, torch_np.rand(5, 4), torch_np.rand(5, 5), None, None, "rnn_tanh", False, [1, 2, 2])


@pytest.mark.parametrize("mode", GATES)
@pytest.mark.parametrize("rows, inputs, state", [(1, 1, 1), (5, 0, 16), (29, 33, 65), (3, 300, 256)])
def test_sizes_with_and_without_a_derivative_to_come(mode, rows, inputs, state):
    x, h, c, *weights = leaves(numpy.random.default_rng(7), mode, "float32", rows, inputs, state, 3)
    arguments = [x, h, c if mode == "lstm" else None, [*weights, None], mode, True, ()]
    kept = _recurrent._layer(*arguments)
    with torch_np.no_grad():
        unkept, composed = _recurrent._layer(*arguments), _recurrent._composed(*arguments)
    for a, b, expected in zip(kept, unkept, composed):
        assert bool((a == b).all())
        # Tolerances: sums of a few hundred products of numbers of order 1, through three steps.
        numpy.testing.assert_allclose(numpy.asarray(b), numpy.asarray(expected), rtol=1e-4, atol=1e-4 * float(abs(expected).max()))


def test_an_input_without_gradient_gets_none():
    x, h, c, *weights = leaves(numpy.random.default_rng(8), "lstm", "float64", 3, 4, 5, 6)
    grads = []
    for wanted in (True, False):
        x.requires_grad_(wanted)
        out, _, _ = _recurrent._layer(x, h, c, [*weights, None], "lstm", False, ())
        grads.append(torch_np.autograd.grad(out.sum(), [h, c, *weights]))
    assert all(bool((a == b).all()) for a, b in zip(*grads))


def plain_lstm_cell(input_gates, state_gates, c):
    i, f, g, o = (input_gates + state_gates).chunk(4, -1)
    c = torch_np.sigmoid(f) * c + torch_np.sigmoid(i) * torch_np.tanh(g)
    return torch_np.sigmoid(o) * torch_np.tanh(c), c


def plain_gru_cell(input_gates, state_gates, h):
    (xr, xz, xn), (hr, hz, hn) = input_gates.chunk(3, -1), state_gates.chunk(3, -1)
    n = torch_np.tanh(xn + torch_np.sigmoid(xr + hr) * hn)
    return n + torch_np.sigmoid(xz + hz) * (h - n),


# Tolerances: functions of a few numbers, a few roundings each. float16 gradients are rounded from
# float32 once, composed ones at each step.
@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-13), ("float32", 1e-5), ("float16", 1e-2), ("bfloat16", 6e-2)])
@pytest.mark.parametrize("shape", [(7,), (5, 1), (3, 70), (2, 3, 33), (0, 4), (4, 0)])
@pytest.mark.parametrize("gates", [4, 3])
def test_cells(gates, shape, dtype, tolerance):
    rng = numpy.random.default_rng(9)
    sizes = [(*shape[:-1], gates * shape[-1])] * 2 + [shape]
    arrays = [torch_np.tensor(rng.standard_normal(s)).to(getattr(torch_np, dtype)) for s in sizes]
    weights = [torch_np.tensor(rng.standard_normal(shape)).to(getattr(torch_np, dtype)) for _ in range(2)]
    fused, plain = (_recurrent._lstm_cell, plain_lstm_cell) if gates == 4 else (_recurrent._gru_cell, plain_gru_cell)
    found = []
    for f in (fused, plain):
        leaves = [a.detach().requires_grad_() for a in arrays]
        results = f(*leaves)[:2 if gates == 4 else 1]
        torch_np.autograd.backward(results, weights[:len(results)])
        found.append([*results, *(leaf.grad for leaf in leaves)])
    for got, expected in zip(*found):
        assert got.dtype == arrays[0].dtype and got.shape == expected.shape
        numpy.testing.assert_allclose(*(numpy.asarray(t.detach().to(torch_np.float64)) for t in (got, expected)), rtol=tolerance, atol=tolerance)


def test_cells_whose_states_are_not_all_used():
    rng = numpy.random.default_rng(10)
    arrays = [torch_np.tensor(rng.standard_normal((3, n)), requires_grad=True) for n in (20, 20, 5)]
    for k in range(2):
        first, second = (torch_np.autograd.grad(f(*arrays)[k].sum(), arrays) for f in (_recurrent._lstm_cell, plain_lstm_cell))
        for a, b in zip(first, second):
            numpy.testing.assert_allclose(numpy.asarray(a), numpy.asarray(b), rtol=1e-12, atol=1e-14)


def test_cells_of_wrong_shapes_raise():
    for cell, gates in ((_recurrent._lstm_cell, 4), (_recurrent._gru_cell, 3)):
        for shapes in (((2, 5 * gates), (2, 5 * gates), (3, 5)), ((2, 5 * gates), (1, 5 * gates), (2, 5)), ((2, 5), (2, 5), (2, 5)), ((gates,), (gates,), ())):
            with pytest.raises(RuntimeError):
                cell(*(torch_np.zeros(s) for s in shapes))


# For second derivatives, both compose the steps of the same operators.
@pytest.mark.parametrize("mode", GATES)
@pytest.mark.parametrize("reverse, sizes", [(False, ()), (True, ()), (False, (3, 2, 2, 0)), (True, (3, 2, 1, 1))])
def test_second_and_third_derivatives(mode, reverse, sizes):
    results = []
    for f in (_recurrent._layer, _recurrent._composed):
        x, h, c, *weights = leaves(numpy.random.default_rng(9), mode, "float64", 3, 2, 4, 4)
        wanted = [x, h, *([c] if mode == "lstm" else []), *weights]
        out, h_n, c_n = f(x, h, c if mode == "lstm" else None, [*weights, None], mode, reverse, sizes)
        value, found = (out * out).sum() + h_n.sum() + (c_n ** 3).sum(), []
        for _ in range(3):
            grads = torch_np.autograd.grad(value, wanted, create_graph=True, allow_unused=True)
            found += [torch_np.zeros_like(w) if g is None else g.detach() for g, w in zip(grads, wanted)]
            value = sum((g * g).sum() for g in grads if g is not None)
        results.append(found)
    for got, expected in zip(*results):
        numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(expected), rtol=1e-9, atol=1e-9 * max(1, float(abs(expected).max())))


def test_create_graph_gives_the_first_derivatives_too():
    for dtype in ("float64", "float16"):
        first = []
        for create_graph in (False, True):
            arrays = [a.detach().to(getattr(torch_np, dtype)).requires_grad_() for a in leaves(numpy.random.default_rng(4), "gru", "float32", 3, 4, 5, 6)]
            x, h, _, *weights = arrays
            out, _, _ = _recurrent._layer(x, h, None, [*weights, None], "gru", False, ())
            first.append(torch_np.autograd.grad(out.sum(), [x, *weights], create_graph=create_graph))
        for a, b in zip(*first):
            assert a.dtype == b.dtype and not a.requires_grad and b.requires_grad
            tolerance = 1e-12 if dtype == "float64" else 4e-3  # a few units of the last digit of float16
            numpy.testing.assert_allclose(numpy.asarray(a.float()), numpy.asarray(b.detach().float()), rtol=tolerance, atol=4 * tolerance)
