"""Convolutions keep a copy of a weight in their kernel's layout (Note [Kept weights]). Every way of
changing the weight must be detected."""
import ctypes
import threading

import numpy
import pytest
from worker_threads import together

import torch_np
import torch_np.nn.functional as F


def numbers(*shape, seed):
    torch_np.manual_seed(seed)
    return torch_np.randn(*shape)


def by_numpy(t):
    t.numpy()[...] *= 2


def by_a_numpy_array_that_stays(t):
    held = t.numpy()
    use(t), use(t)
    held[...] = 1.5


def by_memoryview(t):
    with memoryview(t._np_compat()) as view:
        bytes_of = view.cast("B")
        bytes_of[:] = bytes(len(bytes_of))


def by_dlpack(t):
    numpy.from_dlpack(t)[...] = 3


def by_address(t):
    address = t.data_ptr()
    use(t), use(t)
    ctypes.memset(address, 0, t.numel() * 4)


def by_array_interface(t):
    address = t._np_compat().__array_interface__["data"][0]
    use(t), use(t)
    ctypes.memset(address, 0, t.numel() * 4)


def by_the_other_face(t):
    t._np_compat()[1:] = 7


def by_a_view_of_bytes(t):
    t.view(torch_np.int32).zero_()


def by_optimizer(t):
    t.requires_grad_().grad = torch_np.ones_like(t)
    torch_np.optim.Adam([t], lr=0.1).step()
    t.requires_grad_(False)


def by_its_storage(t):
    t.untyped_storage().fill_(0)


def by_set(t):
    t.set_(numbers(*t.shape, seed=9))


CHANGES = [
    by_numpy, by_a_numpy_array_that_stays, by_memoryview, by_dlpack, by_address, by_array_interface, by_the_other_face, by_a_view_of_bytes,
    by_optimizer, by_its_storage, by_set, lambda t: t.mul_(2), lambda t: t.data.copy_(t + 1), lambda t: t.__setitem__(0, 5),
    lambda t: torch_np.add(t, 1, out=t), lambda t: t[2].normal_(), lambda t: setattr(t, "data", t * 3), lambda t: t.transpose_(2, 3),
    lambda t: t.index_fill_(0, torch_np.tensor([1]), 4), lambda t: torch_np.nn.init.ones_(t), lambda t: t.flatten().sort().values,
]


def use(weight, x=numbers(1, 16, 6, 6, seed=1)):
    return F.conv2d(x, weight, padding=1)


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_weight_is_used(change):
    weight = numbers(32, 16, 3, 3, seed=2)
    for _ in range(3):  # changed, detected and cached again
        for _ in range(4):
            assert torch_np.equal(use(weight), use(weight.clone()))
        change(weight)


def test_sizes_of_images_and_parts_of_a_memory():
    both = numbers(64, 16, 3, 3, seed=3)
    first, second = both[:32], both[32:]
    for n in (1, 5, 1, 2):
        x = numbers(n, 16, 6, 6, seed=n)
        for weight in (first, first, second, second, first):
            assert torch_np.equal(use(weight, x), use(weight.clone(), x))
            assert torch_np.equal(use(weight.transpose(2, 3), x), use(weight.transpose(2, 3).clone(), x))


def test_threads_share_a_kept_weight():
    weight, failures = numbers(32, 16, 3, 3, seed=4), []
    expected = use(weight.clone())

    def work():
        for _ in range(50):
            if not torch_np.equal(use(weight), expected):
                failures.append(threading.current_thread())

    together(work, work, work, work)
    assert not failures
