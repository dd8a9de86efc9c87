"""Partitioners of libraries: a backend computes subgraphs of compiled functions.
examples/operators/log_exp is one; the others are in C, each with one defect."""
from __future__ import annotations

import pathlib
import pickle
import re
import sys
import threading
import warnings

import numpy
import pytest
from library_builds import C_ENTRY, C_START, C_VERSION, needs_compiler

import torch_np
import torch_np.numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from fuzz import compiled_programs, fused_programs  # noqa: E402

pytestmark = needs_compiler
EXAMPLE = pathlib.Path(__file__).parents[3] / "examples/operators/log_exp/log_exp.cc"


@pytest.fixture(scope="session")  # a process registers its name once, in any order of tests
def log_exp(builds):
    assert torch_np.library.load(builds.cpp("log_exp", EXAMPLE.read_text(), flags=("-O2",))) == []
    return "log_exp"


def chain(x, y):
    return np.log(np.exp(x) * 2.5 + y)


def torch_chain(x, y):
    return torch_np.log(torch_np.exp(x) * 2.5 + y)


def arrays(dtype, *shape):
    generator = numpy.random.default_rng(3)
    return [np.array(generator.uniform(0.5, 2, shape).astype(dtype)) for _ in range(2)]


def both_faces(x, y):
    return ((chain, (x, y)), (torch_chain, (x._torch(), y._torch())))


def close(got, expected):
    assert type(got) is type(expected) and got.dtype == expected.dtype and tuple(got.shape) == tuple(expected.shape)
    rtol = 1e-5 if "float32" in str(got.dtype) else 1e-13  # a few rounding errors of the library's own functions
    numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(expected), rtol=rtol)


def steps(compiled, *args):
    return compiled.lower(*args).details[0].steps


# ------------------------------------------------------------------------------------------------------ the example

@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(5,), (7, 300), (0, 3), ()])
def test_log_exp_of_both_faces(log_exp, dtype, shape):
    x, y = arrays(dtype, *shape)
    for function, args in both_faces(x, y):
        compiled = torch_np.compile(function, backend=log_exp, fullgraph=True)
        for _ in range(3):
            close(compiled(*args), function(*args))
        assert compiled.statistics()["replayed"] == 2


def test_the_subgraph_is_one_step_that_says_what_it_does(log_exp):
    x, y = arrays("float64", 4)
    for function, args in both_faces(x, y):
        step, = steps(torch_np.compile(function, backend=log_exp), *args)
        assert step.op == "log_exp" and step.reason == "computed by the backend log_exp"
        assert re.fullmatch(r"log_exp\(%0, %1\) \{%2 = exp\(%0\); %4 = mul\(%2, %3\); %5 = add\(%4, %1\); %6 = log\(%5\)\}", step.text)
        assert str(torch_np.compile(function, backend=log_exp).lower(*args)).count("float64[4] = log_exp(") == 1


def test_it_is_the_executor_that_computes(log_exp, builds):
    # An executor that writes 7, so that no test passes with the engine's own operators.
    name = load_c(builds, "sevens", "for (int64_t i = 0; i < n; ++i) ((double*)call->outputs[0].data)[i] = 7;")
    x, y = arrays("float64", 6)
    compiled = torch_np.compile(chain, backend=name)
    close(compiled(x, y), chain(x, y))  # the call that is traced runs the function itself
    assert compiled(x, y).tolist() == [7] * 6


def test_what_others_read_comes_out(log_exp):
    def f(x, y):
        e = np.exp(x)
        s = e * y
        return np.log(s), e, s.sum()
    x, y = arrays("float64", 50)
    compiled = torch_np.compile(f, backend=log_exp, fullgraph=True)
    for _ in range(3):
        for got, expected in zip(compiled(x, y), f(x, y), strict=True):
            close(np.asarray(got), np.asarray(expected))
    fused, summed = steps(compiled, x, y)
    assert fused.op == "log_exp" and len(fused.writes) == 3 and summed.op == "sum"


def test_a_step_that_must_run_between_divides_a_subgraph(log_exp):
    def f(x, y):
        e = np.exp(x)
        total = np.sqrt(e)  # reads e, and the addition to e reads it
        return np.log(e * y) + total + e
    x, y = arrays("float64", 20)
    compiled = torch_np.compile(f, backend=log_exp, fullgraph=True)
    for _ in range(3):
        close(compiled(x, y), f(x, y))
    assert [s.op for s in steps(compiled, x, y)] == ["log_exp", "sqrt", "log_exp"]


def test_views_and_changes_within(log_exp):
    def f(x, y):
        e = np.exp(x)
        flipped = np.log(e[::-1] * y)  # a view of a result is not a result of a node
        e += 1
        z = np.exp(y)
        z *= 2
        y += 1
        return flipped, e * y, np.log(z + y)
    for layout in (lambda a: a, lambda a: np.array(numpy.asarray(a).T).T):
        compiled = torch_np.compile(f, backend=log_exp, fullgraph=True)
        for _ in range(3):
            mine, other = ([layout(a) for a in arrays("float64", 6, 5)] for _ in range(2))
            for got, expected in zip((*compiled(*mine), *mine), (*f(*other), *other), strict=True):
                close(got, expected)
                assert got.strides == expected.strides


def test_gradients_within(log_exp):
    def step(w, x):
        torch_np.log(torch_np.exp(w) * x + x).sum().backward()
        g = w.grad
        w.grad = None
        return g
    compiled = torch_np.compile(step, backend=log_exp, fullgraph=True)
    for i in range(3):
        w, x = torch_np.full((9,), 0.5 + i).requires_grad_(), torch_np.full((9,), 2.0)
        close(compiled(w, x), step(w, x))
    assert compiled.statistics()["replayed"] == 2
    assert any(s.op == "log_exp" for s in steps(compiled, w, x))


def test_what_is_not_supported_stays(log_exp):
    x = np.arange(5, dtype="int64") + 1
    compiled = torch_np.compile(lambda x: (x * x + x) * np.arange(3.0)[:, None], backend=log_exp)
    assert {s.op for s in steps(compiled, x)} == {"mul", "add", "arithmetic_sequence"}
    close(compiled(x), (x * x + x) * np.arange(3.0)[:, None])
    y = np.ones(4)
    # the executor is refused: one operator
    assert [s.op for s in steps(torch_np.compile(np.exp, backend=log_exp), y)] == ["exp"]
    assert [s.op for s in steps(torch_np.compile(np.exp, backend=log_exp, options={"least": 1}), y)] == ["log_exp"]


def test_random_expressions(log_exp):
    random = numpy.random.default_rng(11)
    for seed in range(30):
        lines = ["a0, a1 = x, y"]
        for i in range(2, 14):
            a, b = (f"a{random.integers(max(0, i - 4), i)}" for _ in range(2))
            lines.append(f"a{i} = " + random.choice(
                [f"np.log({a} * {a} + 1.0)", f"np.exp({a} * 0.1 + {b} * -0.1)", f"{a} + {b}", f"{a} * 0.5", f"np.tanh({a})", f"{a}[::-1] * {b}",
                 f"np.sqrt({a} * {a} + {b} * {b})"]))
        kept = sorted({f"a{i}" for i in random.integers(2, 14, 4)} | {"a13"})
        space = {"np": np}
        exec("def f(x, y):\n    " + "\n    ".join([*lines, f"return {', '.join(kept)},"]), space)
        x, y = arrays("float64", 3 + seed)
        compiled = torch_np.compile(space["f"], backend=log_exp, fullgraph=True)
        for _ in range(2):
            for got, expected in zip(compiled(x, y), space["f"](x, y), strict=True):
                # sums with several roundings that cancel
                numpy.testing.assert_allclose(got, expected, rtol=1e-9, err_msg="\n".join(lines))
        assert compiled.statistics()["replayed"] == 1


def test_random_programs(builds, monkeypatch):
    """Views, in-place changes, aliases, gradients. A backend computes sums and products with the
    engine's rounding, so the bits are equal."""
    source = EXAMPLE.read_text()
    for old, new in (("REGISTER_PARTITIONER(log_exp)", "REGISTER_PARTITIONER(add_mul)"), ('{"log", "exp", "add", "mul"}', '{"add", "mul"}'),
                     ('"least", 2)', '"least", 1)')):
        assert old in source
        source = source.replace(old, new)
    torch_np.library.load(builds.cpp("add_mul", source, flags=("-O2",)))
    compile_, texts = torch_np.compile, []

    def with_backend(function):
        compiled = compile_(function, backend="add_mul")

        def call(*args):
            texts.extend(compiled._text(*args))  # the text of the replay
            return compiled(*args)
        call.statistics = compiled.statistics
        return call
    monkeypatch.setattr(torch_np, "compile", with_backend)
    for seed in range(80):
        for kind in (fused_programs.statements, fused_programs.gradient_statements):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = compiled_programs.difference(kind(seed))
            assert found is None, found
    assert sum(text.count("add_mul(") for text in texts) > 20


def test_threads(log_exp):
    compiled = torch_np.compile(chain, backend=log_exp)
    x, y = arrays("float64", 5000)
    expected, wrong = numpy.asarray(chain(x, y)), []

    def work():
        for _ in range(30):
            if not numpy.allclose(compiled(x, y), expected, rtol=1e-13):
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


# ------------------------------------------------------------------------------------------------------ compile()

def test_names(log_exp):
    assert "log_exp" in torch_np.compiler.list_backends() and "inductor" in torch_np.compiler.list_backends()
    with pytest.raises(ValueError, match=r"no backend 'log_xep'.*'log_exp'"):
        torch_np.compile(chain, backend="log_xep")
    with pytest.raises(TypeError, match="must be a str, the name of a backend"):
        torch_np.compile(chain, backend=print)
    with pytest.raises(TypeError, match="options must map names to strings and numbers"):
        torch_np.compile(chain, backend=log_exp, options={"least": [2]})
    decorated = torch_np.compile(backend=log_exp, fullgraph=True)(chain)
    assert steps(decorated, *arrays("float32", 3))[0].op == "log_exp"
    assert steps(torch_np.compile(torch_np.compile(chain), backend=log_exp), *arrays("float32", 3))[0].op == "log_exp"


def test_pickling(log_exp):
    compiled = pickle.loads(pickle.dumps(torch_np.compile(chain, backend=log_exp, options={"least": 5})))
    assert [s.op for s in steps(compiled, *arrays("float32", 3))] == ["exp", "mul", "add", "log"]
    compiled = pickle.loads(pickle.dumps(torch_np.compile(chain, backend=log_exp)))
    assert [s.op for s in steps(compiled, *arrays("float32", 3))] == ["log_exp"]


def test_a_library_is_loaded_once_and_a_name_is_taken_once(log_exp, builds):
    before = torch_np.compiler.list_backends()
    path = builds.cpp("log_exp", EXAMPLE.read_text(), flags=("-O2",))
    assert torch_np.library.load(path) == [] and torch_np.compiler.list_backends() == before
    for name in ("log_exp", "inductor"):
        with pytest.raises(ValueError, match=f"there is a backend {name} already: from .*; the new one is from"):
            torch_np.library.load(builds.c(f"taken_{name}", c_partitioner(name, "")))
    assert torch_np.compiler.list_backends() == before


# ------------------------------------------------------------------------------------------------------ wrong ones

def c_partitioner(name, forward, /, create="return call->host->set_state(call->context, (void*)p);", supported="0", ops='"exp", "mul", "add", "log"',
                  **fields):
    """The source of a library in C with one partitioner."""
    table = {"size": "sizeof(TorchNpPartitioner)", "name": f'"{name}"', "num_supported_ops": "sizeof(ops) / sizeof(ops[0])", "supported_ops": "ops",
             "create_executor": "create", "delete_executor": "drop", "forward": "forward", "is_supported": supported, **fields}
    return f"""{C_START}{C_VERSION}
UNUSED static int32_t forward(const TorchNpPartitioner* p, const TorchNpCall* call) {{
  int64_t n = call->num_outputs ? 1 : 0;
  for (int d = 0; n && d < call->outputs[0].ndim; ++d) n *= call->outputs[0].shape[d];
  (void)p, (void)n;
  {forward}
  return 0;
}}
UNUSED static int32_t create(const TorchNpPartitioner* p, const TorchNpCall* call, const TorchNpSubgraph* g) {{
  (void)p, (void)call, (void)g;
  {create}
}}
UNUSED static int32_t refuse(const TorchNpPartitioner* p, const TorchNpCall* call, const TorchNpSubgraph* g, uint8_t* supported) {{
  (void)p, (void)g, (void)supported;
  return fail(call, TORCH_NP_VALUE_ERROR, "no graph like this");
}}
UNUSED static int32_t overreach(const TorchNpPartitioner* p, const TorchNpCall* call, const TorchNpSubgraph* g, uint8_t* supported) {{
  (void)p, (void)call;
  for (int64_t i = 0; i < g->num_nodes; ++i) supported[i] = 1;
  return 0;
}}
UNUSED static void drop(const TorchNpPartitioner* p, void* executor) {{ (void)p, (void)executor; }}
UNUSED static const char* const ops[] = {{{ops}}};
static const TorchNpPartitioner partitioner = {{{', '.join(f'.{k} = {v}' for k, v in table.items())}}};
{C_ENTRY}
  static const TorchNpPartitioner* all[] = {{&partitioner}};
  static TorchNpLibrary library = {{.size = sizeof(library), .num_partitioners = 1, .partitioners = all}};
  return &library;
}}
"""


def load_c(builds, name, *args, **kwargs):
    torch_np.library.load(builds.c(name, c_partitioner(name, *args, **kwargs)))
    return name


def test_an_executor_that_fails_names_itself(builds):
    name = load_c(builds, "failing", 'return fail(call, TORCH_NP_VALUE_ERROR, "too warm today");')
    silent = load_c(builds, "silent", "return 3;")
    x, y = arrays("float64", 4)
    for function, args in both_faces(x, y):
        compiled = torch_np.compile(function, backend=name)
        close(compiled(*args), function(*args))
        for _ in range(2):
            with pytest.raises(ValueError, match=r"failing\(\) of libfailing.so: forward: too warm today"):
                compiled(*args)
        compiled = torch_np.compile(function, backend=silent)
        compiled(*args)
        with pytest.raises(RuntimeError, match=r"silent\(\) of libsilent.so: forward: it failed and did not say why"):
            compiled(*args)


def test_what_fails_while_a_record_is_planned(builds):
    x, y = arrays("float64", 4)
    name = load_c(builds, "choosy", "", create='return fail(call, TORCH_NP_TYPE_ERROR, "no executor today");')
    with pytest.raises(TypeError, match=r"choosy\(\) of libchoosy.so: createExecutor: no executor today"):
        torch_np.compile(chain, backend=name)(x, y)
    name = load_c(builds, "refusing", "", supported="refuse")
    with pytest.raises(ValueError, match=r"refusing\(\) of librefusing.so: supportedOps: no graph like this"):
        torch_np.compile(chain, backend=name)(x, y)
    name = load_c(builds, "twice", "", create="return call->host->set_state(call->context, 0);")
    with pytest.raises(ValueError, match="expected one state that is not null"):
        torch_np.compile(chain, backend=name)(x, y)


def test_an_executor_sees_shapes_and_may_refuse_them(builds):
    name = load_c(builds, "flat", "if (call->inputs[0].ndim != 1) return fail(call, TORCH_NP_VALUE_ERROR, \"expected one dimension\");")
    compiled = torch_np.compile(chain, backend=name)
    args = arrays("float64", 2, 3)
    compiled(*args)
    with pytest.raises(ValueError, match=r"flat\(\) of libflat.so: forward: expected one dimension"):
        compiled(*args)


def test_nodes_of_other_operators_cannot_be_taken(builds):
    name = load_c(builds, "greedy", "", ops='"exp"', supported="overreach")
    compiled = torch_np.compile(lambda x: np.sqrt(np.exp(x)), backend=name)
    assert [s.op for s in steps(compiled, np.ones(3))] == ["greedy", "sqrt"]


def test_arguments_of_nodes_arrive(builds):
    """lower() receives numbers, lists, flags and dtypes of the call."""
    check = """
  const TorchNpNode* n = g->nodes[0];
  if (g->num_nodes != 1 || strcmp(n->op, "sum") || n->num_arguments != 4 || n->num_inputs != 1 || n->num_outputs != 1)
    return fail(call, TORCH_NP_RUNTIME_ERROR, "another node");
  if (n->arguments[0].kind != TORCH_NP_TENSOR || n->arguments[0].as.integer != 0 || n->inputs[0] != g->inputs[0])
    return fail(call, TORCH_NP_RUNTIME_ERROR, "another input");
  if (n->arguments[1].kind != TORCH_NP_INTS || n->arguments[1].count != 1 || n->arguments[1].as.int_list[0] != 1)
    return fail(call, TORCH_NP_RUNTIME_ERROR, "another axis");
  if (n->arguments[2].kind != TORCH_NP_BOOL || n->arguments[2].as.integer != 1 || n->arguments[3].kind != TORCH_NP_NONE)
    return fail(call, TORCH_NP_RUNTIME_ERROR, "another flag");
  const TorchNpTensor* t = &g->values[n->outputs[0]];
  if (t->ndim != 2 || t->shape[0] != 3 || t->shape[1] != 1 || t->strides[0] != 1 || t->dtype_bits != 32 || t->data)
    return fail(call, TORCH_NP_RUNTIME_ERROR, "another result");
  if (call->num_arguments != 1 || strcmp(call->argument_names[0], "k") || strcmp(call->arguments[0].as.string, "2.5"))
    return fail(call, TORCH_NP_RUNTIME_ERROR, "another option");
  return call->host->set_state(call->context, (void*)p);"""
    name = load_c(builds, "describing", "for (int64_t i = 0; i < n; ++i) ((float*)call->outputs[0].data)[i] = 5;", create=check, ops='"sum"')
    compiled = torch_np.compile(lambda x: x.sum(1, keepdims=True), backend=name, options={"k": 2.5})
    x = np.ones((3, 4), "float32")
    compiled(x)
    assert compiled(x).tolist() == [[5], [5], [5]]


@pytest.mark.parametrize("fields, words", [
    ({"forward": "0"}, "has no executor"), ({"delete_executor": "0"}, "has no executor"), ({"num_supported_ops": "0"}, "names no operators"),
    ({"supported_ops": "0"}, "names no operators"), ({"size": "8"}, "has no name"), ({"size": "40"}, "is described in 40 bytes"),
    ({"name": "0"}, "has no name"), ({"name": '"two words"'}, "is not an operator's name"), ({"name": '"__own"'}, "begin with two underscores"),
])
def test_tables_that_make_no_sense(builds, fields, words):
    before = torch_np.compiler.list_backends()
    source = c_partitioner("unused", "", **fields)
    with pytest.raises(ValueError, match=words):
        torch_np.library.load(builds.c("wrong_table", source))
    assert torch_np.compiler.list_backends() == before
