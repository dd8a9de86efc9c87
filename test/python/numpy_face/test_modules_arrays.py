"""Layers (nn.Module) called with ndarrays return ndarrays, as they return Tensors for Tensors."""
import copy
import pickle

import pytest

import torch_np as torch
import torch_np.numpy as np


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor([2.0, 3.0]))

    def forward(self, x, more=None):
        assert isinstance(x, torch.Tensor)
        return x * self.scale if more is None else (x * self.scale, {"more": [more + 1]})


def linear():
    layer = torch.nn.Linear.__new__(torch.nn.Linear)
    torch.nn.Module.__init__(layer)
    layer.in_features, layer.out_features = 2, 2
    layer.weight, layer.bias = torch.nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]])), torch.nn.Parameter(torch.tensor([0.5, -0.5]))
    return layer


def test_of_an_array_a_module_gives_an_array():
    y = Scaled()(np.ones((3, 2), dtype=np.float32))
    assert type(y) is np.ndarray and y.dtype == np.float32 and y.tolist() == [[2.0, 3.0]] * 3


def test_of_a_tensor_it_gives_a_tensor():
    assert type(Scaled()(torch.ones(3, 2))) is torch.Tensor


def test_nested_results_are_arrays_and_keywords_count():
    first, rest = Scaled()(torch.ones(2), more=np.ones(2, dtype=np.float32))
    assert type(first) is np.ndarray
    assert type(rest["more"][0]) is np.ndarray and rest["more"][0].tolist() == [2.0, 2.0]


def test_inner_layers_see_tensors():
    net = torch.nn.Sequential(linear(), torch.nn.ReLU(), Scaled())
    x = np.array([[1.0, -1.0]], dtype=np.float32)
    y = net(x)
    assert type(y) is np.ndarray
    assert y.tolist() == net(torch.tensor([[1.0, -1.0]])).tolist()


def test_hooks_of_a_module_of_arrays_see_tensors():
    seen = []
    net = Scaled()
    net.register_forward_pre_hook(lambda m, args: seen.append(type(args[0])))
    net.register_forward_hook(lambda m, args, out: seen.append(type(out)))
    net(np.ones(2, dtype=np.float32))
    assert seen == [torch.Tensor, torch.Tensor]


def test_a_state_of_arrays_is_read():
    net = Scaled()
    net.load_state_dict({"scale": np.array([5.0, 6.0], dtype=np.float32)})
    assert net.scale.tolist() == [5.0, 6.0] and type(net.scale) is torch.nn.Parameter


def test_operators_on_parameters_give_plain_tensors():
    p = torch.nn.Parameter(torch.ones(2, 3))
    for result in (p + 1, -p, p @ p.T, p[0], p.T, p.sum(), p.reshape(-1), p.clone(), p.to(torch.float64), torch.exp(p), p.detach(), p == p):
        assert type(result) is torch.Tensor
    q = p
    q = q.requires_grad_(False)
    assert q is p and q.mul_(2) is p and type(p) is torch.nn.Parameter


def test_parameters_keep_attributes_in_copies_and_pickles():
    p = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    p.tag = "kept"
    for q in (copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert type(q) is torch.nn.Parameter and q.tag == "kept" and not q.requires_grad
        assert q.data_ptr() != p.data_ptr()


def test_copies_of_modules_share_nothing_and_keep_what_is_tied():
    net = torch.nn.Module()
    net.a = Scaled()
    net.b = Scaled()
    net.b.scale = net.a.scale
    other = copy.deepcopy(net)
    assert other.a.scale is other.b.scale and other.a.scale is not net.a.scale
    with torch.no_grad():
        other.a.scale.zero_()
    assert net.a.scale.tolist() == [2.0, 3.0]
    again = pickle.loads(pickle.dumps(net))
    assert again.a.scale is again.b.scale


def test_copies_of_modules_keep_hooks():
    net = Scaled()
    net.register_forward_hook(lambda m, args, out: out + 1)
    assert copy.deepcopy(net)(torch.ones(2)).tolist() == [3.0, 4.0]


def test_removing_a_hook_from_a_copy_leaves_the_original():
    net = Scaled()
    with net.register_forward_hook(lambda m, args, out: out + 1):
        assert net(torch.ones(2)).tolist() == [3.0, 4.0]
    assert net(torch.ones(2)).tolist() == [2.0, 3.0]


def test_gradients_have_the_dtype_that_a_parameter_was_given():
    p = torch.nn.Parameter(torch.ones(2))
    before = p * 2  # its history refers to the gradient accumulator of the float32 parameter
    p.data = torch.ones(3, dtype=torch.float64)
    (p * p).sum().backward()
    assert p.grad.dtype == torch.float64 and p.grad.tolist() == [2.0] * 3
    assert before.shape == (2,)


@pytest.mark.parametrize("call, message", [
    (lambda net: net.load_state_dict({}), 'Missing key(s) in state_dict: "scale". '),
    (lambda net: net.load_state_dict({"scale": torch.ones(2), "x": 1}), 'Unexpected key(s) in state_dict: "x". '),
    (lambda net: net.load_state_dict({"scale": torch.ones(3)}),
     "size mismatch for scale: copying a param with shape torch.Size([3]) from checkpoint, the shape in current model is torch.Size([2])."),
])
def test_messages_of_states_are_those_that_programs_look_for(call, message):
    with pytest.raises(RuntimeError) as e:
        call(Scaled())
    text = str(e.value).replace("torch_np.Size", "torch.Size")
    assert text == "Error(s) in loading state_dict for Scaled:\n\t" + message


def test_a_module_of_two_threads_of_names_is_walked_once_each():
    shared = Scaled()
    net = torch.nn.Sequential(shared, torch.nn.Sequential(shared))
    assert [n for n, _ in net.named_parameters()] == ["0.scale"]
    assert [n for n, _ in net.named_parameters(remove_duplicate=False)] == ["0.scale", "1.0.scale"]
    assert list(net.state_dict()) == ["0.scale", "1.0.scale"]
