"""Pickles: what they keep, and buffers out of band."""
import pickle
import sys

import numpy
import pytest

import torch_np
import torch_np.numpy as np


@pytest.mark.parametrize("make", [lambda: np.arange(24.).reshape(2, 3, 4), lambda: np.arange(24.).reshape(2, 3, 4, order="F"),
                                  lambda: np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2), lambda: np.zeros((0, 3)),
                                  lambda: np.ones(3, dtype=complex)])
def test_protocol_5_gives_dense_arrays_out_of_band(make):
    a, buffers = make(), []
    data = pickle.dumps(a, protocol=5, buffer_callback=buffers.append)
    assert len(buffers) == 1 and buffers[0].raw().nbytes == a.nbytes
    numpys = pickle.loads(pickle.dumps(numpy.asarray(a), protocol=5))
    for again in (pickle.loads(data, buffers=[bytearray(b) for b in buffers]), pickle.loads(pickle.dumps(a, protocol=5))):
        assert type(again) is np.ndarray and again.dtype == a.dtype and str(again.flags) == str(numpys.flags)
        assert numpy.array_equal(numpy.asarray(again), numpy.asarray(a)) and again.strides == a.strides
        again[...] = 0
    assert numpy.array_equal(numpy.asarray(a), numpy.asarray(make()))


@pytest.mark.parametrize("make", [lambda: np.arange(6.), lambda: np.ones((2, 3), dtype=np.bfloat16, order="F"), lambda: torch_np.arange(6.),
                                  lambda: torch_np.ones(3, dtype=torch_np.bfloat16), lambda: torch_np.nn.Parameter(torch_np.ones(3))])
def test_buffers_are_copied_in_neither_direction(make):
    a, buffers = make(), []
    data = pickle.dumps(a, protocol=5, buffer_callback=buffers.append)
    again = pickle.loads(data, buffers=buffers)
    assert type(again) is type(a) and again.dtype == a.dtype and again.shape == a.shape
    plain, same = (x._torch() if isinstance(x, np.ndarray) else x for x in (a, again))
    assert plain.data_ptr() == same.data_ptr() and plain.stride() == same.stride() and plain.requires_grad == same.requires_grad
    same.detach().fill_(5)
    assert plain.detach().float().flatten().tolist() == [5.0] * plain.numel()


def test_buffers_that_are_read_only_give_arrays_that_are():
    buffers = []
    data = pickle.dumps(np.arange(3.), protocol=5, buffer_callback=buffers.append)
    again = pickle.loads(data, buffers=[bytes(b) for b in buffers])
    assert again.tolist() == [0, 1, 2] and not again.flags.writeable


def test_states_of_earlier_versions_are_read():
    values = numpy.arange(6.0)
    for face, state in ((np.ndarray, (1, (2, 3), "float64", values.tobytes(), False, None, True)),
                        (np.ndarray, (2, (2, 3), "float64", values.tobytes(), False, None, (1, 0))),
                        (torch_np.Tensor, (1, (3, 2), "float64", values.tobytes(), True, {"name": "w"}, False))):
        array = torch_np._C._reconstruct(face)
        array.__setstate__(state)
        if face is np.ndarray:
            assert array.tolist() == [[0, 2, 4], [1, 3, 5]]
        else:
            assert array.tolist() == [[0, 1], [2, 3], [4, 5]] and array.requires_grad and array.name == "w"


def test_arrays_with_gaps_or_gradients_are_pickled_by_value():
    buffers = []
    for a in (np.arange(10.)[::2], np.ones(3, _requires_grad=True)):
        again = pickle.loads(pickle.dumps(a, protocol=5, buffer_callback=buffers.append), buffers=buffers)
        assert again.tolist() == a.tolist() and again._requires_grad == a._requires_grad


def test_the_size_of_an_array_is_that_of_its_elements_and_of_a_view_not():
    a = np.zeros(1000)
    assert sys.getsizeof(a) > a.nbytes > sys.getsizeof(a[...]) and sys.getsizeof(a[:10]) < 500


def test_the_struct_interface_is_numpys_and_keeps_the_memory():
    class Holder:
        __array_struct__ = np.arange(5.).__array_struct__
    assert numpy.asarray(Holder()).tolist() == [0., 1., 2., 3., 4.]
