"""0-d results behave as NumPy's scalars."""
import math
import operator

import numpy
import pytest

import torch_np
import torch_np.numpy as np


def results():
    """0-d arrays of all kinds, as operators return them, and the Python number equal to each."""
    yield np.array([1, 2, 3]).sum(), 6
    yield np.array([1.5, 2.5])[0], 1.5
    yield np.array([True, False]).any(), True
    yield np.array([1 + 2j])[0], 1 + 2j
    yield np.float32(2.5) * np.array(2), 5.0


@pytest.mark.parametrize("result, number", list(results()))
def test_equals_and_hashes_as_the_number(result, number):
    assert result.shape == () and result == number and hash(result) == hash(number)
    assert {number: "found"}[result] == "found"
    assert result.item() == number and type(result.item()) is type(number)


def test_conversion_to_python_numbers():
    assert int(np.array(3)) == 3 and float(np.array(3)) == 3.0 and complex(np.array(3)) == 3 + 0j
    assert int(np.array(2.9)) == 2 and bool(np.array(0.0)) is False
    for f in (int, float, complex):
        with pytest.raises(TypeError, match="only 0-dimensional arrays can be converted to Python scalars"):
            f(np.array([1]))
    for f in (int, float):
        with pytest.raises(TypeError):
            f(np.array(1j))
    assert float(torch_np.ones(1)) == 1.0
    with pytest.raises(RuntimeError):
        float(torch_np.ones(2))


def test_integer_results_are_indices():
    i = np.array([0, 2, 1]).argmax()
    assert [10, 20, 30][i] == 20 and list(range(np.array(3))) == [0, 1, 2] and "ab" * np.array([2])[0] == "abab"
    assert operator.index(i) == 1 and np.arange(5)[i] == 1 and np.zeros(np.array(3)).shape == (3,)
    for bad in (np.array(1.0), np.array([1]), np.array(True)):
        with pytest.raises(TypeError, match="only integer scalar arrays"):
            operator.index(bad)


def test_large_integers_are_exact():
    assert int(np.array(2**63 + 5, dtype="uint64")) == 2**63 + 5
    assert np.array(2**63 + 5, dtype="uint64").item() == 2**63 + 5
    assert operator.index(np.array(-2**63)) == -2**63


def test_text():
    assert f"{np.array(2.5):.2f}" == "2.50" and f"{np.array(7):03d}" == "007" and f"{np.array(0.25):>6.1%}" == " 25.0%"
    assert "%d %s" % (np.array(3), np.array(4)) == "3 4"
    assert str(np.array(2.5)) == "2.5" and f"{np.array(3)}" == "3"
    with pytest.raises(TypeError):
        f"{np.ones(2):.2f}"


def test_rounding():
    assert round(np.array(2.5)) == 2 and type(round(np.array(2.5))) is int
    assert float(round(np.array(2.567), 2)) == 2.57
    assert math.floor(np.array(-1.5)) == -2 and math.ceil(np.array(1.2)) == 2 and math.trunc(np.array(-1.7)) == -1


def test_math_functions_and_builtins():
    x = np.array([3.0, 4.0])
    assert math.sqrt((x * x).sum()) == 5 and max(x) == 4 and min(x[0], 7) == 3 and sum(x) == 7 and abs(np.array(-2)) == 2
    assert sorted(np.array([3, 1, 2])) == [1, 2, 3]
    assert divmod(np.array(7), 2) == (3, 1) and pow(np.array(2), 3) == 8
    assert math.isclose(np.array(0.1) + np.array(0.2), 0.3)


def test_comparison_chains():
    assert 1 < np.array(2) < 3 and not np.array(2) > 3 and (np.array(2) == 2) is not None


def test_python_number_stays_weak_beside_a_zero_dim_array():
    assert (np.array(1, dtype="float32") * 2.0).dtype == numpy.float32
    assert (np.array([1], dtype="int8") + 1).dtype == numpy.int8
    with pytest.raises(OverflowError):
        np.array([1], dtype="int8") + 300


def test_item_with_index():
    x = np.arange(6).reshape(2, 3)
    assert x.item(4) == 4 and x.item(1, 0) == 3 and x.item((0, 2)) == 2 and x.item(-1) == 5
    for args in ((6,), (2, 0), (0, 0, 0), ("a",)):
        with pytest.raises((IndexError, ValueError, TypeError)):
            x.item(*args)
    with pytest.raises(ValueError):
        x.item()


def test_tolist_gives_python_numbers():
    x = np.array([[1, 2], [3, 4]])[:, ::-1]
    assert x.tolist() == [[2, 1], [4, 3]] and type(x.tolist()[0][0]) is int
    assert np.array(2.5).tolist() == 2.5 and np.zeros((0, 2)).tolist() == []
    assert np.array([True]).tolist() == [True]


def test_powers_with_operators_of_their_own_agree_with_numpy():
    for dtype in ("bool", "int8", "int32", "float16", "float32", "float64", "complex64"):
        x = numpy.array([1, 2, 3], dtype=dtype)
        for exponent in (2, 2.0, 0.5, 3, 0, 1):
            expected = x ** exponent
            result = np.asarray(x) ** exponent
            assert result.dtype == expected.dtype, (dtype, exponent)
            numpy.testing.assert_allclose(numpy.asarray(result), expected, rtol=1e-3 if dtype == "float16" else 1e-6)
