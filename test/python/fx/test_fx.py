"""Symbolic traces: graphs and code are PyTorch's, and modules that run them compute what the program does."""
import copy
import operator
import pathlib
import pickle

import traced_programs as programs
import pytest

import torch_np as torch
from torch_np import fx, nn

GOLDEN = pathlib.Path(__file__).parent.parent / "data/golden/fx.txt"


def golden():
    cases = {}
    for case in GOLDEN.read_text().split("=== ")[1:]:
        name, _, rest = case.partition("\n")
        graph, _, code = rest.partition("\n---")
        cases[name] = graph, code.rstrip()
    return cases


CASES = golden()


def as_pytorchs(text):
    return text.replace("torch_np", "torch").rstrip()


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_graphs_and_code_are_pytorchs(name):
    module = fx.symbolic_trace(programs.PROGRAMS[name])
    graph, code = CASES[name]
    assert as_pytorchs(str(module.graph)) == graph
    assert as_pytorchs(module.code) == code
    module.graph.lint()


@pytest.mark.parametrize("name, make", [
    ("Network", lambda: (torch.arange(12.0).reshape(3, 4) / 12,)), ("Blocks", lambda: (torch.arange(96.0).reshape(2, 3, 4, 4) / 96,)),
    ("functions", lambda: (torch.ones(2, 3), torch.arange(12.0).reshape(3, 4) / 12))])
def test_traced_modules_compute_what_the_program_does(name, make):
    program = programs.PROGRAMS[name]
    if isinstance(program, nn.Module):
        program = program.eval()
    traced = fx.symbolic_trace(program)

    def values(result):
        if isinstance(result, dict):
            return [v for item in result.values() for v in values(item)]
        return [v for item in result for v in values(item)] if isinstance(result, (list, tuple)) else [torch.as_tensor(result)]
    expected = values(program(*make()))
    for run in (traced, fx.Interpreter(traced).run, copy.deepcopy(traced), fx.Transformer(traced).transform()):
        assert all(torch.equal(a, b) for a, b in zip(expected, values(run(*make())), strict=True))


def test_concrete_arguments():
    def f(x, b):
        return x + 1 if b else x
    module = fx.symbolic_trace(f, concrete_args={"b": True})
    assert module(torch.ones(1), True).tolist() == [2.0]
    with pytest.raises(AssertionError, match="b has been specialized to have value True but got another value"):
        module(torch.ones(1), False)
    with pytest.raises(NotImplementedError, match="only single values are implemented"):
        fx.symbolic_trace(f, concrete_args={"b": [True]})


def branch(x):
    return x if x > 0 else -x


@pytest.mark.parametrize("program, error, text", [
    (branch, fx.proxy.TraceError, "cannot be used as inputs to control flow"), (lambda x: len(x), RuntimeError, "'len' is not supported"),
    (lambda x: list(x), fx.proxy.TraceError, "cannot be iterated"), (lambda x: int(x), TypeError, "not 'Proxy'"),
    (lambda x: {x: 1}, RuntimeError, "cannot contain a Node")])
def test_programs_that_cannot_be_traced(program, error, text):
    with pytest.raises(error, match=text):
        fx.symbolic_trace(program)


@fx.wrap
def opaque(x, n):
    return x + n if n > 1 else x


def test_wrapped_functions_are_one_node():
    module = fx.symbolic_trace(lambda x: opaque(x, 2) * 2)
    assert [n.target for n in module.graph.nodes if n.op == "call_function"] == [opaque, operator.mul]
    assert module(torch.ones(1)).tolist() == [6.0] and opaque(1, 1) == 1
    with pytest.raises(NotImplementedError, match="top level of a module"):
        fx.wrap("opaque")


class Negated(nn.Module):
    def forward(self, x):
        return torch.neg(x) + torch.relu(x)


def test_patterns_are_replaced():
    module = fx.symbolic_trace(Negated())
    matches = fx.replace_pattern(module, lambda x: torch.neg(x) + torch.relu(x), lambda x: torch.relu(x))
    assert as_pytorchs(module.code) == "\n\n\ndef forward(self, x):\n    relu_1 = torch.relu(x);  x = None\n    return relu_1"
    assert len(matches) == 1 and matches[0].anchor.name == "add" and len(matches[0].nodes_map) == 4
    assert module(torch.tensor([-1.0, 2.0])).tolist() == [0.0, 2.0]
    assert fx.replace_pattern(module, lambda x: torch.neg(x), lambda x: x) == []


def test_values_that_are_used_elsewhere_are_no_match():
    module = fx.symbolic_trace(lambda x: (torch.relu(torch.neg(x)), torch.neg(x)))
    shared = fx.symbolic_trace(lambda x: (lambda n: (torch.relu(n), n * 2))(torch.neg(x)))
    pattern, replacement = lambda x: torch.relu(torch.neg(x)), lambda x: torch.abs(x)
    assert len(fx.replace_pattern(module, pattern, replacement)) == 1
    assert fx.replace_pattern(shared, pattern, replacement) == []


def test_graphs_by_hand():
    graph = fx.Graph()
    x = graph.placeholder("x", torch.Tensor)
    y = graph.call_function(torch.add, (x, 1))
    unused = graph.call_method("sin", (x,))
    graph.output(y, torch.Tensor)
    graph.lint()
    assert str(graph).split("\n")[1:] == [
        "    %x : torch_np.Tensor [num_users=2] = placeholder[target=x]",
        "    %add : [num_users=1] = call_function[target=torch_np.add](args = (%x, 1), kwargs = {})",
        "    %sin : [num_users=0] = call_method[target=sin](args = (%x,), kwargs = {})", "    return add"]
    with pytest.raises(RuntimeError, match=r"Tried to erase Node x but it still had 2 users in the graph: \{add: None, sin: None\}!"):
        graph.erase_node(x)
    module = fx.GraphModule({}, graph, class_name="Foo")
    assert type(module).__name__ == "Foo" and module(torch.ones(1)).tolist() == [2.0]
    assert graph.eliminate_dead_code() and unused not in list(graph.nodes) and not graph.eliminate_dead_code()
    with graph.inserting_after(y):
        z = graph.call_function(operator.mul, (y, 3))
    y.replace_all_uses_with(z, delete_user_cb=lambda user: user is not z)
    module.recompile()
    assert module(torch.ones(1)).tolist() == [6.0] and list(y.users) == [z] and z.args == (y, 3)
    with pytest.raises(NotImplementedError, match="does not support mutation"):
        graph.call_function(torch.cat, ([y, z],)).args[0].append(x)
    with pytest.raises(AttributeError):
        graph.call_module("nope")


def test_proxies_of_a_graph_by_hand():
    graph = fx.Graph()
    tracer = fx.proxy.GraphAppendingTracer(graph)
    x = fx.Proxy(graph.placeholder("x", torch.Tensor), tracer=tracer)
    w = fx.Proxy(graph.get_attr("w"), tracer=tracer)
    out = torch.einsum("ij,jk->ik", x, w) * 2
    graph.output(out.node, torch.Tensor)
    module = fx.GraphModule({"w": torch.eye(2)}, graph, class_name="Product")
    assert module(torch.ones(1, 2)).tolist() == [[2.0, 2.0]] and list(module.state_dict()) == ["w"]


def test_tracers_choose_leaves_and_keep_tensors():
    class Leaf(fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return isinstance(m, programs.Block) or super().is_leaf_module(m, module_qualified_name)
    network = programs.Blocks()
    tracer = Leaf()
    graph = tracer.trace(network)
    assert [n.target for n in graph.nodes if n.op == "call_module"] == ["stem", "layer1.0", "layer1.1", "heads.0", "heads.1"]
    assert tracer.node_name_to_scope["layer1_0"] == ("layer1.0", programs.Block)
    module = fx.GraphModule(network, graph)
    assert getattr(module.layer1, "0") is network.layer1[0]
    assert list(module.state_dict()) == list(network.state_dict())


def test_pickles():
    module = fx.symbolic_trace(programs.Block(2).eval())
    again = pickle.loads(pickle.dumps(module))
    x = torch.ones(1, 2, 3, 3)
    assert torch.equal(again(x), module(x)) and again.code == module.code


def test_modules_are_as_before_a_trace_that_fails():
    call, get = nn.Module.__call__, nn.Module.__getattr__
    with pytest.raises(fx.proxy.TraceError):
        fx.symbolic_trace(branch)
    assert nn.Module.__call__ is call and nn.Module.__getattr__ is get and not fx._symbolic_trace.is_fx_tracing()
