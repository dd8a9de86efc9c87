"""The error texts of an operator without a loop for its operands, in the terms of each face."""
import numpy
import pytest

import torch_np
import torch_np.numpy as np


def complaint(call):
    with pytest.raises(Exception) as caught:
        call()
    return caught.type, str(caught.value)


@pytest.mark.parametrize("name, operands", [("subtract", 2), ("negative", 1), ("positive", 1), ("sign", 1)])
def test_bools_are_refused_in_numpys_words(name, operands):
    def call(xp):
        return complaint(lambda: getattr(xp, name)(*[xp.asarray([True, False])] * operands))
    (kind, text), (expected_kind, expected) = call(np), call(numpy)
    assert issubclass(kind, TypeError) and issubclass(expected_kind, TypeError)
    assert expected in text


@pytest.mark.parametrize("call", [
    lambda xp: xp.bitwise_and(xp.asarray([1.0]), xp.asarray([2.0])), lambda xp: xp.left_shift(xp.asarray([1.5]), 1),
    lambda xp: xp.bitwise_and(xp.asarray([1]), xp.asarray([2]), dtype="f8"),
])
def test_operands_of_another_kind_are_refused_in_numpys_words(call):
    (kind, text), (_, expected) = complaint(lambda: call(np)), complaint(lambda: call(numpy))
    assert issubclass(kind, TypeError) and expected in text


def test_torch_has_words_of_its_own():
    flags = torch_np.tensor([True, False])
    for call, words in ((lambda: flags - flags, "Subtraction, the `-` operator, with a bool tensor"),
                        (lambda: -flags, "Negation, the `-` operator, on a bool tensor"),
                        (lambda: torch_np.bitwise_and(torch_np.ones(2), torch_np.ones(2)), "not implemented for float32")):
        kind, text = complaint(call)
        assert kind is NotImplementedError and words in text and "numpy" not in text
