"""Pickles: the stored properties, and out-of-band buffers."""
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
    for again in (pickle.loads(data, buffers=buffers), pickle.loads(pickle.dumps(a, protocol=5))):
        assert type(again) is np.ndarray and again.dtype == a.dtype and again.strides == a.strides and again.flags.writeable
        assert again.flags.c_contiguous == a.flags.c_contiguous and again.flags.f_contiguous == a.flags.f_contiguous
        assert numpy.array_equal(numpy.asarray(again), numpy.asarray(a))
    again[...] = 0      # in-band data is not shared
    assert numpy.array_equal(numpy.asarray(a), numpy.asarray(make()))


def test_arrays_with_gaps_or_gradients_are_pickled():
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


@pytest.mark.parametrize("value", [
    torch_np.finfo(torch_np.float16), torch_np.iinfo(torch_np.int8), torch_np.channels_last, torch_np.ones(2).untyped_storage(), torch_np.ones(2).storage(),
    torch_np.unique, torch_np.histogramdd(torch_np.zeros(1, 2), 1)], ids=lambda value: getattr(value, "__name__", type(value).__name__))
def test_pickles_name_what_users_import_and_not_the_file_that_it_is_written_in(value):
    pickled = pickle.dumps(value)
    assert b"torch_np._torch" not in pickled and type(pickle.loads(pickled)) is type(value)
