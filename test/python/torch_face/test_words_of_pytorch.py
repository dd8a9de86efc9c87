"""Errors and warnings of the torch face that programs match by PyTorch's words, and rules that come with them."""
import warnings

import numpy
import pytest

import torch_np as torch

LONG = torch.tensor([0, 2])


def integers(dtype=torch.float32):
    return torch.arange(6, dtype=dtype).reshape(2, 3)


@pytest.mark.parametrize("call, error, words", [
    (lambda: torch.empty(2, -1), RuntimeError, r"Trying to create tensor with negative dimension -1: \[2, -1\]"),
    (lambda: torch.empty(2 ** 40, 2 ** 40), RuntimeError, "Storage size calculation overflowed with sizes="),
    (lambda: torch.empty(0, 4, 2 ** 61), RuntimeError, "Stride calculation overflowed with sizes="),
    (lambda: integers()[0, 5], IndexError, "index 5 is out of bounds for dimension 1 with size 3"),
    (lambda: integers()[:, [0, 5]], IndexError, "index 5 is out of bounds for dimension 1 with size 3"),
    (lambda: torch.empty(2, 0)[:, [0]], IndexError, "out of bounds for dimension with size 0"),
    (lambda: torch.tensor(1.0)[0], IndexError, "invalid index of a 0-dim tensor"),
    (lambda: integers()[0, 0, 0], IndexError, "too many indices for tensor of dimension 2"),
    (lambda: integers()[torch.tensor([True])], IndexError,
     r"shape of the mask \[1\] at index 0 does not match the shape of the indexed tensor \[2, 3\] at index 0"),
    (lambda: integers().view(torch.float64), RuntimeError, r"self.size\(-1\) must be divisible by 2"),
    (lambda: torch.zeros(3, 4)[:, 1:3].view(torch.float64), RuntimeError, r"self.storage_offset\(\) must be divisible by 2"),
    (lambda: torch.zeros(3, 5)[:, :4].view(torch.float64), RuntimeError, r"self.stride\(0\) must be divisible by 2"),
    (lambda: torch.imag(integers()), TypeError, "imag is not implemented for tensors with non-complex dtypes"),
    (lambda: torch.view_as_real(integers()), TypeError, "only supported for complex tensors"),
    (lambda: torch.view_as_complex(integers()), RuntimeError, "Tensor must have a last dimension of size 2"),
    (lambda: integers().movedim((1, 0), (0,)), RuntimeError, "movedim: Invalid source or destination dims"),
    (lambda: integers().movedim((0, 0), (0, 1)), RuntimeError, r"movedim: repeated dim in `source` \(\[0, 0\]\)"),
    (lambda: integers().tensor_split(torch.tensor(1.0)), RuntimeError, "to have dtype of long, but got Float"),
    (lambda: torch.normal(torch.zeros(1), torch.tensor([-1.0])), RuntimeError, "normal expects all elements of std >= 0.0"),
    (lambda: torch.fft.rfft(torch.zeros(4, dtype=torch.complex64)), TypeError, "rfft expects a real input tensor, but got ComplexFloat"),
    (lambda: torch.fft.rfft2(torch.zeros(4, 4, dtype=torch.complex64)), TypeError, "rfftn expects a real-valued input tensor"),
    (lambda: torch.ones(9).stft(4), RuntimeError, "stft requires the return_complex parameter"),
    (lambda: torch.istft(torch.ones(3, 4), 4), TypeError, "istft requires a complex-valued input tensor"),
    (lambda: torch.Generator("opengl"), RuntimeError, "opengl"),
    (lambda: torch.vdot(torch.ones(3), torch.ones(3).double()), RuntimeError, "dot : expected both vectors to have same dtype, but found Float and Double"),
    (lambda: torch.vdot(torch.ones(1, 3), torch.ones(3)), RuntimeError, "1D tensors expected"),
    (lambda: torch.all(LONG, out=torch.empty(0)), RuntimeError, "all only supports bool tensor for result, got: Float"),
    (lambda: torch.matrix_exp(torch.ones(2, 2, dtype=torch.int32)), NotImplementedError, "Expected a floating point or complex tensor"),
    (lambda: torch.cummax(integers()[0], 0, out=(torch.empty(0, dtype=torch.int16), LONG)), RuntimeError, "expected scalar_type Float but found Short"),
    (lambda: integers().unfold(0, -1, 1), RuntimeError, "size is -1 but must be >= 0"),
    (lambda: torch.tensor(1.0).tensor_split(2), RuntimeError, "expected at least a 1-dimensional tensor, but got a tensor with 0 dims"),
    (lambda: integers().tensor_split(0), RuntimeError, "number of sections must be larger than 0, got 0"),
    (lambda: torch.hsplit(integers(), 2), RuntimeError, "torch.hsplit attempted to split along dimension 1"),
    (lambda: integers().roll((), ()), RuntimeError, "shifts required"),
    (lambda: integers().roll((1, 2), (1,)), RuntimeError, "shifts and dims must align"),
    (lambda: torch.take_along_dim(integers(), LONG, 1), RuntimeError, "input and indices should have the same number of dimensions"),
    (lambda: torch.add(integers(torch.int64), 1, alpha=1.5), RuntimeError, "argument alpha must not be a floating point number"),
    (lambda: torch.addcdiv(LONG, LONG, LONG), RuntimeError, "Integer division with addcdiv is no longer supported"),
    (lambda: torch.complex(LONG, LONG), RuntimeError, "Half, Float or Double tensors but got Long and Long"),
    (lambda: torch.complex(integers(), integers(torch.float64)), RuntimeError, "scalar type Float but got scalar type Double for second argument"),
    (lambda: torch.nonzero(LONG, out=torch.empty(0)), RuntimeError, "Expected out tensor to have dtype int64.* scalar type Long"),
    (lambda: torch.zeros(3, dtype=torch.uint8).random_(-1, 4), RuntimeError, "from is out of bounds for uint8"),
    (lambda: torch.zeros(3).uniform_(-3e38, 3e38), RuntimeError, "uniform_ expects to-from <="),
    (lambda: integers().index_fill_(0, LONG[:1], 1j), RuntimeError, "complex Scalar"),
    (lambda: integers().diff(prepend=LONG), RuntimeError, "diff expects prepend or append to be the same dimension as input"),
    (lambda: torch.gradient(integers(), spacing=(2,)), RuntimeError, "expected spacing to be"),
    (lambda: torch.clamp(integers()), RuntimeError, "At least one of 'min' or 'max' must not be None"),
    (lambda: torch.meshgrid(LONG, indexing=""), RuntimeError, 'indexing must be one of "xy" or "ij"'),
    (lambda: torch.asarray(numpy.float64(1), copy=False), RuntimeError, "can't alias NumPy scalars"),
    (lambda: torch.asarray([1], copy=False), ValueError, "can't alias arbitrary sequence"),
    (lambda: torch.asarray(LONG, dtype=torch.int8, copy=False), ValueError, "with dtype 'int64' into dtype 'int8'"),
    (lambda: integers().__delitem__(0), TypeError, "does not support deleting items"),
])
def test_words_of_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("call, words", [
    (lambda: torch.addmv(2, torch.ones(2), 3, torch.ones(2, 2), torch.ones(2)), "This overload of addmv is deprecated"),
    (lambda: torch.ones(2).addcmul_(2, torch.ones(2), torch.ones(2)), "This overload of addcmul is deprecated"),
    (lambda: torch.ones(1).expand(3).index_fill_(0, LONG, 1.0), "index_fill_ on expanded tensors"),
    (lambda: torch.ones(1).expand(3).masked_fill_(torch.tensor([True, False, True]), 1.0), "masked_fill_ on expanded tensors"),
    (lambda: torch.ones(1).expand(3).index_put_((LONG,), torch.ones(2)), "index_put_ on expanded tensors"),
    (lambda: torch.zeros(3, dtype=torch.float16).random_(-5000, 0), r"from is out of bounds \[-\(2\^11\), 2\^11\]"),
    (lambda: torch.ones(2)[torch.tensor([0, 1], dtype=torch.uint8)], "indexing with dtype torch.uint8 is now deprecated"),
    (lambda: torch.range(0, 2), "torch.range is deprecated"),
    (lambda: torch.ones(9).stft(4, return_complex=True), "A window was not provided"),
    (lambda: torch.istft(torch.ones(3, 4, dtype=torch.complex64), 4, window=torch.ones(4), length=40), "shorter than the length parameter"),
    (lambda: torch.fft.fftfreq(4, out=torch.zeros(2)), "out tensor will be resized"),
    (lambda: integers()[[LONG[:1], LONG[:1]]], "Using a non-tuple sequence for multidimensional indexing"),
])
def test_words_of_warnings(call, words):
    with pytest.warns(UserWarning, match=words):
        call()


def test_deprecated_orders_keep_no_warning_for_the_next_call():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert torch.addmv(2, torch.ones(2), 3, torch.ones(2, 2), torch.ones(2)).tolist() == [8.0, 8.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.addmv(torch.ones(2), torch.ones(2, 2), torch.ones(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="addmv"):
            torch.ones(2).addmv(2, torch.ones(2, 2), torch.ones(2))


@pytest.mark.parametrize("call", [
    lambda x, i: x.index_add_(0, i, x[:2]), lambda x, i: x.index_copy_(0, i, x[:2]), lambda x, i: x.put_(i, x[:2]),
    lambda x, i: x.scatter_(0, i, x), lambda x, i: x.index_put_((i,), x[:2]), lambda x, i: i.index_fill_(0, i, 0)])
def test_operators_of_indices_refuse_shared_memory(call):
    with pytest.raises(RuntimeError, match="unsupported operation"):
        call(torch.arange(3.0), torch.tensor([0, 1]))


def test_assignment_by_indices_needs_the_dtype():
    x = torch.zeros(3, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="Index put requires the source and destination dtypes match, got Double for the destination and Long"):
        x[[0, 2]] = torch.tensor([1, 2])
    x[[0, 2]] = torch.tensor([1.0, 2.0], dtype=torch.float64)
    x[:2] = torch.tensor([5, 6])
    x[torch.tensor([False, False, True])] = torch.tensor(7)
    assert x.tolist() == [5.0, 6.0, 7.0]


def test_lists_of_indices_are_tuples():
    x = integers()
    with pytest.warns(UserWarning, match="non-tuple"):
        assert x[[[0, 1], [2, 0]]].tolist() == [2.0, 3.0]
    assert x[[0, 1]].tolist() == x.tolist()


def test_sequences_keep_the_shape_of_out():
    x = torch.zeros(2, 3)
    for call, expected in ((lambda out: torch.linspace(0, 3, 4, out=out), [[0, 1], [2, 3]]),
                           (lambda out: torch.arange(4, out=out), [[0, 1], [2, 3]]),
                           (lambda out: torch.logspace(0, 3, 4, base=2, out=out), [[1, 2], [4, 8]])):
        assert call(x.narrow(1, 1, 2)).tolist() == expected
        assert x[:, 1:].tolist() == expected
    assert torch.arange(4, out=torch.empty(0)).tolist() == [0, 1, 2, 3]


def test_draws_into_out_are_of_its_dtype():
    for draw in (torch.rand, torch.randn):
        for dtype in (torch.float64, torch.complex64):
            torch.manual_seed(3)
            expected = draw(5, dtype=dtype)
            torch.manual_seed(3)
            assert draw(5, out=torch.empty(0, dtype=dtype)).tolist() == expected.tolist()


def test_draws_of_probabilities_into_any_dtype():
    for dtype in (torch.int8, torch.bool, torch.float64):
        out = torch.full((4,), 2).to(dtype)
        assert torch.bernoulli(torch.tensor([0.0, 1.0, 1.0, 0.0]), out=out) is out
        assert out.tolist() == [0, 1, 1, 0] and out.dtype == dtype


def test_parts_of_complex_numbers_are_no_base():
    z = torch.complex(torch.ones(2), torch.zeros(2))
    assert not z._is_view() and z[:1]._base is z
    transposed = integers().t()
    assert torch.complex(transposed, transposed).tolist() == [[n + n * 1j for n in row] for row in transposed.tolist()]


def test_parts_by_a_tensor():
    x = torch.arange(5)
    assert [p.tolist() for p in x.tensor_split(torch.tensor(2))] == [[0, 1, 2], [3, 4]]
    assert [p.tolist() for p in torch.tensor_split(x, torch.tensor([1, 4, 9])[:2])] == [[0], [1, 2, 3], [4]]


def test_images_keep_their_format():
    x = torch.arange(48.0).reshape(2, 3, 2, 4).contiguous(memory_format=torch.channels_last)
    for dim in (0, 1):
        joined = torch.cat((x, x), dim)
        assert joined.is_contiguous(memory_format=torch.channels_last) and torch.equal(joined, torch.cat((x.contiguous(), x.contiguous()), dim))
    assert torch.slice_copy(x, 0, 0, 1).is_contiguous()


def test_private_operators_of_loss_scales():
    grads, found, scale, steps = [torch.tensor([4.0]), torch.tensor([8.0])], torch.zeros(1), torch.tensor([4.0]), torch.zeros(1, dtype=torch.int32)
    torch._amp_foreach_non_finite_check_and_unscale_(grads, found, torch.tensor([0.25]))
    assert [g.item() for g in grads] == [1.0, 2.0] and found.item() == 0
    for expected in ((1, 4.0), (0, 8.0)):
        torch._amp_update_scale_(scale, steps, found, 2.0, 0.25, 2)
        assert (steps.item(), scale.item()) == expected
    torch._amp_foreach_non_finite_check_and_unscale_([torch.tensor([float("nan")])], found, torch.tensor([0.25]))
    torch._amp_update_scale_(scale, steps, found, 2.0, 0.25, 2)
    assert (steps.item(), scale.item(), found.item()) == (0, 2.0, 1.0)


def test_conjugate_of_real_numbers_is_the_tensor():
    x = torch.ones(2)
    assert torch.conj(x) is x and x.conj() is x
    assert torch.conj(torch.tensor([1 + 2j])).tolist() == [1 - 2j]


def test_new_memory_is_filled_on_request():
    largest = {torch.int8: 127, torch.uint64: 2 ** 64 - 1, torch.int64: 2 ** 63 - 1, torch.bool: True}
    torch.use_deterministic_algorithms(True)
    try:
        for make in (lambda d: torch.empty(3, dtype=d), lambda d: torch.empty_like(torch.zeros(3, dtype=d)),
                     lambda d: torch.empty_strided((2, 2), (1, 3), dtype=d), lambda d: torch.zeros(1, dtype=d).resize_(40)[1:],
                     lambda d: torch.empty(3, out=torch.zeros(1, dtype=d))):
            for dtype, value in largest.items():
                assert set(make(dtype).flatten().tolist()) == {value}
            assert make(torch.float16).isnan().all() and make(torch.complex64).isnan().all()
        torch.utils.deterministic.fill_uninitialized_memory = False
        assert not torch.utils.deterministic.fill_uninitialized_memory and torch.zeros(1).resize_(1).tolist() == [0.0]
        with pytest.raises(RuntimeError, match="expected a bool"):
            torch.utils.deterministic.fill_uninitialized_memory = 1
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = True
        torch.use_deterministic_algorithms(False)


def test_storages_on_meta():
    storage = torch.ones(3, device="meta").storage()
    assert storage.data_ptr() == 0 and storage.nbytes() == 12
    for call, words in ((lambda: storage[0], "Not available"), (storage.tolist, "Not available"), (storage.cpu, "Cannot copy out of meta"),
                        (lambda: torch.ones(3).storage().copy_(storage), "Cannot copy out of meta")):
        with pytest.raises(NotImplementedError, match=words):
            call()
    with pytest.raises(RuntimeError, match="only available on CPU"):
        storage.share_memory_()


def test_asarray_takes_capsules_and_leaves_its_argument():
    x = torch.arange(3.0)
    capsule = torch.utils.dlpack.to_dlpack
    assert torch.asarray(capsule(x), copy=False).data_ptr() == x.data_ptr()
    assert torch.asarray(capsule(x), copy=True).data_ptr() != x.data_ptr()
    y = torch.asarray(x, requires_grad=True)
    assert y.requires_grad and not x.requires_grad and y.data_ptr() == x.data_ptr()
    z = y * 2
    assert torch.asarray(z) is z and not torch.asarray(z, requires_grad=False).requires_grad and torch.asarray(z, requires_grad=True).grad_fn is not None


def test_from_numpy_warns_of_memory_that_it_cannot_change():
    a = numpy.arange(3)
    a.flags.writeable = False
    with pytest.warns(UserWarning, match="non-writable"):
        torch.from_numpy(a)


def test_legacy_types_refuse_subclasses_and_devices():
    with pytest.raises(TypeError, match="type 'torch.FloatTensor' is not an acceptable base type"):
        type("Sub", (torch.FloatTensor,), {})
    with pytest.raises(RuntimeError, match="expects device type: cpu"):
        torch.FloatTensor(device="cuda")
    assert torch.Storage is torch.FloatStorage
