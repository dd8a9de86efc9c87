"""torch_np.func.rearrange: dimensions by patterns of names."""
import pytest

import torch_np as torch
from torch_np.func import rearrange

X = torch.arange(2 * 3 * 4 * 6).reshape(2, 3, 4, 6)


@pytest.mark.parametrize(("pattern", "lengths", "expected"), [
    ("a b c d -> a b c d", {}, X),
    ("a b c d -> d b a c", {}, X.permute(3, 1, 0, 2)),
    ("a b c d -> (b a) (d c)", {}, X.permute(1, 0, 3, 2).reshape(6, 24)),
    ("... -> (...)", {}, X.flatten()),
    ("a ... d -> d ... a", {}, X.permute(3, 1, 2, 0)),
    ("a ... -> a (...)", {}, X.flatten(1)),
    ("... d -> (... d)", {}, X.flatten()),
    ("a b c (d1 d2) -> a b d2 c d1", {"d1": 2}, X.reshape(2, 3, 4, 2, 3).permute(0, 1, 4, 2, 3)),
    ("a b c (d1 d2) -> a 1 b d2 (c d1) 1", {"d2": 3}, X.reshape(2, 3, 4, 2, 3).permute(0, 1, 4, 2, 3).reshape(2, 1, 3, 3, 8, 1)),
    ("a b c d -> a b c () d", {}, X.unsqueeze(3)),
])
def test_patterns(pattern, lengths, expected):
    made = rearrange(X, pattern, **lengths)
    assert made.shape == expected.shape
    assert torch.equal(made, expected)


def test_other_inputs():
    assert torch.equal(rearrange([X, X + 1], "n ... -> ... n"), torch.stack([X, X + 1], -1))
    assert rearrange(torch.tensor(1), " -> ").shape == ()
    assert rearrange(torch.zeros(2, 1, 3), "a 1 b -> b a").shape == (3, 2)
    assert rearrange(torch.zeros(2, 0, 3), "a b c -> (a b) c").shape == (0, 3)
    assert rearrange(X, "a b c d -> d c b a").data_ptr() == X.data_ptr()  # a view
    leaf = torch.ones(2, 3, requires_grad=True)
    (rearrange(leaf, "a b -> (b a)") * torch.arange(6.)).sum().backward()
    assert leaf.grad.tolist() == [[0, 2, 4], [1, 3, 5]]


@pytest.mark.parametrize(("pattern", "lengths"), [
    ("a b c d", {}), ("a b -> a b", {}), ("a b c d e -> a b c d e", {}), ("a b c d e ... -> a b c d e ...", {}),
    ("a b c (...) -> a b c ...", {}), ("a b c d -> a b c", {}), ("a a b c -> a b c", {}), ("a b c d -> a ((b c) d)", {}),
    ("a b c d -> (a b c d", {}), ("a b c d) -> a b c d", {}), ("a b c 2 -> a b c", {}), ("a b c 1 -> a b c", {}),
    ("a b c (d e) -> a b c d e", {}), ("a b c (d e) -> a b c d e", {"d": 4}), ("a b c d -> a b c d", {"d": 5}),
    ("a b c d -> a b c d", {"z": 5}), ("_a b c d -> _a b c d", {}), ("a b c (d e) -> a b c d e", {"d": -2}),
])
def test_malformed_patterns_and_lengths(pattern, lengths):
    with pytest.raises(ValueError, match=r"rearrange\(\)"):
        rearrange(X, pattern, **lengths)


def test_length_of_another_type():
    with pytest.raises(TypeError, match="the length of d must be an integer, got float"):
        rearrange(X, "a b c d -> a b c d", d=6.0)
