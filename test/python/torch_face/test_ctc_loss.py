"""nn.functional.ctc_loss compared with sums over all alignments of a target, and with the
recurrence in float64. golden/torch has PyTorch's values, samples_losses.py the calls for the check
of gradients against finite differences.

`--device cuda` runs the same tests on the GPU's kernels instead of the CPU's loops.
"""
import itertools

import numpy
import pytest

import torch_np
import torch_np.nn.functional as F


def numbers_of(*case):
    """The same random numbers for each case, in any order of tests."""
    return numpy.random.default_rng([15, *case])


def log_softmax(x):
    shifted = x - x.max(-1, keepdims=True)
    return shifted - numpy.log(numpy.exp(shifted).sum(-1, keepdims=True))


def collapsed(way, blank):
    return [c for c, _ in itertools.groupby(way) if c != blank]


def by_enumeration(log_probs, target, blank):
    """For inputs (steps, classes): the loss, and its gradient by the input of log_softmax."""
    steps, classes = log_probs.shape
    total, of_class = 0.0, numpy.zeros((steps, classes))
    for way in itertools.product(range(classes), repeat=steps):
        if collapsed(way, blank) == list(target):
            p = numpy.exp(log_probs[numpy.arange(steps), way].sum())
            total += p
            of_class[numpy.arange(steps), way] += p
    return -numpy.log(total), numpy.exp(log_probs) - of_class / total


def by_recurrence(log_probs, target, blank):
    """The recurrence in probabilities of the widest float type, scaled at each step."""
    states = [blank]
    for c in target:
        states += [int(c), blank]
    states = numpy.array(states)
    p = numpy.exp(log_probs.astype(numpy.longdouble))[:, states]

    def forward(p, states):
        leaps = numpy.r_[False, False, states[2:] != states[:-2]][:len(states)]
        rows, logarithm = [], numpy.longdouble(0)
        alpha = numpy.where(numpy.arange(len(states)) < 2, p[0], 0)
        for t in range(len(p)):
            if t:
                before = numpy.r_[0, 0, alpha]
                alpha = (alpha + before[1:-1] + numpy.where(leaps, before[:-2], 0)) * p[t]
            scale = alpha.sum()
            alpha = alpha / scale
            logarithm += numpy.log(scale)
            rows.append(alpha)
        return numpy.array(rows), logarithm + numpy.log(alpha[-2:].sum())

    alpha, logarithm = forward(p, states)
    beta = forward(p[::-1, ::-1], states[::-1])[0][::-1, ::-1]
    posterior = alpha * beta / p
    posterior /= posterior.sum(1, keepdims=True)
    of_class = numpy.zeros(log_probs.shape)
    for s, c in enumerate(states):
        of_class[:, c] += posterior[:, s].astype("f8")
    return -float(logarithm), numpy.exp(log_probs) - of_class


def leaf(a, dtype="float64"):
    t = torch_np.tensor(a).to(getattr(torch_np, dtype))
    t.requires_grad = True
    return t


def array(t):
    return numpy.asarray(t.detach().to(torch_np.float64))


def indices(values):
    return torch_np.tensor(numpy.asarray(values, "i8"))


@pytest.mark.parametrize("blank", [0, 2])
@pytest.mark.parametrize("target", [[], [1], [1, 1], [1, 3], [3, 1, 3], [1, 3, 3]], ids=str)
@pytest.mark.parametrize("steps", [1, 3, 5])
def test_all_ways_of_writing_a_target_are_counted(target, steps, blank):
    log_probs = log_softmax(numbers_of(steps, blank, *target).normal(0, 2, (steps, 4)))
    possible = steps >= len(target) + sum(a == b for a, b in zip(target, target[1:]))
    x = leaf(log_probs)
    loss = F.ctc_loss(x, indices(target), indices(steps), indices(len(target)), blank, "none")
    assert loss.shape == ()
    if not possible:
        assert float(loss) == numpy.inf
        return
    loss.backward()
    value, gradient = by_enumeration(log_probs, target, blank)
    numpy.testing.assert_allclose(array(loss), value, rtol=1e-13)
    numpy.testing.assert_allclose(array(x.grad), gradient, atol=1e-13)


# The running values grow to the size of the loss. Each step rounds them, and the roundings add up
# like a random walk. 16-bit floats are computed in float32, and the results rounded.
@pytest.mark.parametrize("dtype, carried, rounded", [("float64", 2.0**-52, 0), ("float32", 2.0**-23, 0), ("float16", 2.0**-23, 2.0**-10),
                                                     ("bfloat16", 2.0**-23, 2.0**-7)])
@pytest.mark.parametrize("steps, count, classes, longest", [(50, 16, 20, 30), (300, 3, 5, 40), (40, 2, 3000, 16), (1, 70, 3, 1), (30, 1, 2, 8)])
def test_long_sequences(steps, count, classes, longest, dtype, carried, rounded):
    rng = numbers_of(steps, count)
    x = torch_np.tensor(log_softmax(rng.normal(size=(steps, count, classes)))).to(getattr(torch_np, dtype))
    lengths = rng.integers(0, longest + 1, count)
    targets = rng.integers(1, classes, (count, longest))
    needed = [n + sum(row[:n][1:] == row[:n][:-1]) for n, row in zip(lengths, targets)]
    inputs = numpy.array([rng.integers(min(n, steps), steps + 1) for n in needed]).clip(1)
    lengths = numpy.where(needed > inputs, 0, lengths)
    log_probs = array(x)
    expected = [by_recurrence(log_probs[:t, k], targets[k, :n], 0) for k, (t, n) in enumerate(zip(inputs, lengths))]
    scale = torch_np.tensor(rng.uniform(0.5, 2, count)).to(x.dtype)
    x.requires_grad = True
    loss = F.ctc_loss(x, indices(targets), indices(inputs), indices(lengths), reduction="none")
    assert loss.dtype == x.dtype
    losses = numpy.array([e for e, _ in expected])
    bound = carried * (4 + losses.max() * steps**0.5)
    numpy.testing.assert_allclose(array(loss), losses, rtol=rounded, atol=bound)
    (loss * scale).sum().backward()
    gradient = numpy.zeros(x.shape)
    for k, (_, of_one) in enumerate(expected):
        gradient[:inputs[k], k] = of_one * array(scale)[k]
    assert x.grad.dtype == x.dtype
    numpy.testing.assert_allclose(array(x.grad), gradient, rtol=rounded, atol=2 * bound)


def test_a_sequence_knows_nothing_of_the_others():
    rng, steps, count, classes = numbers_of(1), 40, 9, 6
    log_probs, targets = log_softmax(rng.normal(size=(steps, count, classes))), rng.integers(0, 5, (count, 19))
    inputs, lengths = rng.integers(30, steps + 1, count), rng.integers(0, 20, count)

    def outcome(chosen):
        x = leaf(log_probs[:, chosen])
        joined = numpy.concatenate([targets[k, :lengths[k]] for k in chosen])
        loss = F.ctc_loss(x, indices(joined), indices(inputs[chosen]), indices(lengths[chosen]), 5, "none", zero_infinity=True)
        loss.sum().backward()
        return array(loss), array(x.grad)

    loss, gradient = outcome(numpy.arange(count))
    for k in range(count):
        alone = outcome(numpy.array([k]))
        assert alone[0] == loss[k] and (alone[1][:, 0] == gradient[:, k]).all()


def test_rows_of_targets_layouts_and_lengths_of_any_kind():
    rng = numbers_of(2)
    log_probs, targets = log_softmax(rng.normal(size=(12, 3, 5))), rng.integers(1, 5, (3, 4))
    inputs, lengths = [12, 7, 10], [3, 2, 4]
    expected = F.ctc_loss(torch_np.tensor(log_probs), indices(targets), indices(inputs), indices(lengths), reduction="none")
    joined = indices(numpy.concatenate([row[:n] for row, n in zip(targets, lengths)]))
    strided = leaf(log_probs.transpose(2, 0, 1))
    for x, t, i, n in [(torch_np.tensor(log_probs), joined, inputs, tuple(lengths)),
                       (strided.permute(1, 2, 0), torch_np.tensor(targets.T.astype("i4")).T, indices(inputs).to(torch_np.int32), lengths),
                       (torch_np.tensor(log_probs), indices(targets).to(torch_np.float32), indices([inputs]), indices(lengths).to(torch_np.uint8)),
                       (torch_np.tensor(log_probs), indices(numpy.c_[targets, [99, -1, 99]]), inputs, lengths)]:
        assert F.ctc_loss(x, t, i, n, reduction="none").tolist() == expected.tolist()
    assert float(F.ctc_loss(strided.permute(1, 2, 0), joined, inputs, lengths)) == pytest.approx(numpy.mean(array(expected) / lengths))
    loss = F.ctc_loss(strided.permute(1, 2, 0), joined, inputs, lengths, reduction="sum")
    assert float(loss) == pytest.approx(array(expected).sum())
    loss.backward()
    sums = array(strided.grad).sum(0)  # over the classes
    numpy.testing.assert_allclose(sums, 0, atol=1e-14)


def test_what_cannot_be_written_is_infinite_or_nothing():
    log_probs, targets = log_softmax(numbers_of(3).normal(size=(4, 4, 3))), indices([[1, 1, 1], [1, 2, 1], [0, 0, 0], [1, 1, 1]])
    inputs, lengths = indices([4, 4, 0, 0]), indices([3, 3, 0, 1])
    x = leaf(log_probs)
    loss = F.ctc_loss(x, targets, inputs, lengths, reduction="none")
    assert numpy.isinf(array(loss)).tolist() == [True, False, False, True] and float(loss[2]) == 0
    loss.sum().backward()
    assert numpy.isnan(array(x.grad)).all((0, 2)).tolist() == [True, False, False, False]
    x = leaf(log_probs)
    loss = F.ctc_loss(x, targets, inputs, lengths, reduction="none", zero_infinity=True)
    assert (array(loss) == 0).tolist() == [True, False, True, True]
    loss.sum().backward()
    assert (array(x.grad) == 0).all((0, 2)).tolist() == [True, False, True, True]


def test_a_second_derivative_says_that_there_is_none():
    x = leaf(numbers_of(4).normal(size=(4, 1, 3)))
    first, = torch_np.autograd.grad(F.ctc_loss(x.log_softmax(2), indices([[1, 2]]), (4,), (2,)), [x], create_graph=True)
    with pytest.raises(NotImplementedError, match="ctc_loss has first derivatives only"):
        torch_np.autograd.grad((first * first).sum(), [x])


def test_on_meta():
    x = torch_np.zeros(5, 2, 3, device="meta")
    x.requires_grad = True
    loss = F.ctc_loss(x, indices([[1, 2], [2, 2]]), (5, 5), (2, 1), reduction="none")
    loss.backward(torch_np.zeros(2, device="meta"))
    assert (loss.shape, loss.dtype, x.grad.shape) == ((2,), torch_np.float32, (5, 2, 3))


@pytest.mark.parametrize("call, error, message", [
    (lambda x, t: F.ctc_loss(x, t, (5, 6), (2, 2)), RuntimeError, "input_lengths must be from 0 to 5, the steps of log_probs, but one is 6"),
    (lambda x, t: F.ctc_loss(x, t, (5, 5), (2, 4)), RuntimeError, r"targets of shape \(2, 3\) have no room for a target of length 4"),
    (lambda x, t: F.ctc_loss(x, t, (5, 5), (2, -1)), RuntimeError, "target_lengths must not be negative, but one is -1"),
    (lambda x, t: F.ctc_loss(x, t[0], (5, 5), (2, 2)), RuntimeError, "targets are 3 numbers, fewer than target_lengths add up to"),
    (lambda x, t: F.ctc_loss(x, t[0], (5, 5), (2, 0)), RuntimeError, "targets are 3 numbers, but target_lengths add up to 2"),
    (lambda x, t: F.ctc_loss(x, t[0], (5, 5), (2**62, 2**62)), RuntimeError, "targets are 3 numbers"),
    (lambda x, t: F.ctc_loss(x, t, (5,), (2, 2)), RuntimeError, "input_lengths must be of size batch_size, 2, but are 1 numbers"),
    (lambda x, t: F.ctc_loss(x, t, (5, 5.0), (2, 2)), RuntimeError, "input_lengths must be integral, but are of float32"),
    (lambda x, t: F.ctc_loss(x, t, (5, 5), (2, 2), blank=4), RuntimeError, "blank must be in label range, from 0 to 3, but is 4"),
    (lambda x, t: F.ctc_loss(x, t + 2, (5, 5), (2, 2)), RuntimeError, "Target 4 is out of bounds: there are 4 classes"),
    (lambda x, t: F.ctc_loss(x, t - 2, (5, 5), (2, 2)), RuntimeError, "Target -1 is out of bounds: there are 4 classes"),
    (lambda x, t: F.ctc_loss(x[0, 0], t, (5, 5), (2, 2)), RuntimeError, r"log_probs of shape \(4,\) must have 2 or 3 axes"),
    (lambda x, t: F.ctc_loss(x[:0], t, (0, 0), (2, 2)), RuntimeError, r"log_probs of shape \(0, 2, 4\) must not be empty"),
    (lambda x, t: F.ctc_loss(t, t, (5, 5), (2, 2)), NotImplementedError, "not implemented for int64"),
])
def test_errors_name_the_argument(call, error, message):
    with pytest.raises(error, match=message):
        call(torch_np.ones(5, 2, 4), indices([[1, 2, 2], [1, 1, 1]]))
