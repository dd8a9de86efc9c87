"""Messages of layers, whose words programs for PyTorch match."""
import pytest

import torch_np as torch

F = torch.nn.functional


@pytest.mark.parametrize("call, words", [
    (lambda: F.conv2d(torch.ones(1, 3, 4, 4), torch.ones(1, 3, 5, 6)),
     r"Calculated padded input size per channel: \(4 x 4\). Kernel size: \(5 x 6\). Kernel size can't be greater than actual input size"),
    (lambda: F.conv1d(torch.ones(1, 2, 4), torch.ones(1, 3, 2)), r"weight of size \[1, 3, 2\], expected input\[1, 2, 4\] to have 3 channels, but got 2"),
    (lambda: F.conv2d(torch.ones(4, 4), torch.ones(1, 3, 2, 2)), r"Expected 3D \(unbatched\) or 4D \(batched\) input to conv2d, but got .*: \[4, 4\]"),
    (lambda: F.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 2), stride=0), "non-positive stride is not supported"),
    (lambda: F.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 2), torch.ones(2)), "expected bias to be 1-dimensional with 1 elements"),
    (lambda: F.pad(torch.ones(3, 0, 4), (1, 1), mode="reflect"), r"Expected 2D or 3D \(batch mode\) tensor .* got: \[3, 0, 4\]"),
    (lambda: F.pad(torch.ones(1, 3), (3, 1), mode="reflect"), "Padding size should be less than the corresponding input dimension"),
    (lambda: F.avg_pool2d(torch.ones(1, 0, 4, 4), 2), r"Expected 3D or 4D \(batch mode\) tensor"),
    (lambda: F.max_pool1d(torch.ones(1, 4), 2, stride=0), "stride should not be zero"),
    (lambda: F.max_pool2d(torch.ones(1, 4, 4), (2, 2, 2)), "kernel_size must either be a single int, or a tuple of two ints"),
    (lambda: F.linear(torch.tensor(1.0), torch.ones(1, 1)), "both arguments to linear need to be at least 1D, but they are 0D and 2D"),
    (lambda: F.embedding_bag(torch.tensor([[3]]), torch.ones(2, 2)), "Expected idx >= 0 && idx < num_embeddings"),
    (lambda: torch.nn.utils.rnn.pack_padded_sequence(torch.ones(0, 1), []), "Cannot pack empty tensors"),
    (lambda: torch._C._nn.reflection_pad2d(torch.ones(1, 3, 3), [1]), "padding size is expected to be 4"),
])
def test_the_words_are_pytorchs(call, words):
    with pytest.raises(RuntimeError, match=words):
        call()


def test_masks_of_attention():
    layer, x = torch.nn.MultiheadAttention(4, 2), torch.ones(3, 2, 4)
    with pytest.raises(AssertionError, match="2-D or 3-D but found 1-D tensor"):
        layer(x, x, x, attn_mask=torch.ones(3, dtype=torch.bool))
    with pytest.raises(AssertionError, match="Expected `attn_mask` shape to be"):
        layer(x[0], x[0], x[0], attn_mask=torch.ones(1, 2, 2, dtype=torch.bool))


def test_instance_norm_warns_of_channels_that_it_does_not_use():
    with pytest.warns(UserWarning, match="which is not used because affine=False"):
        torch.nn.InstanceNorm1d(4)(torch.ones(2, 3, 5))
    with pytest.raises(ValueError, match="expected input's size at dim=1"):
        torch.nn.InstanceNorm1d(4, affine=True)(torch.ones(2, 3, 5))


def test_complex_modules_warn():
    with pytest.warns(UserWarning, match="Complex modules are a new feature"):
        assert torch.nn.Linear(2, 1).to(torch.complex64).weight.dtype is torch.complex64
