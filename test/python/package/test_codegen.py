"""tools/codegen: its output for a small yaml (golden files), its errors, and the Python interface
of generated operators.

After an intended change: UPDATE_GOLDEN=1 pytest test/python/package/test_codegen.py, and read the
diff.
"""
import ast
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = Path(__file__).parent / "codegen"
sys.path.insert(0, str(ROOT))

from tools.codegen import __main__ as codegen  # noqa: E402
from tools.codegen import argument_docs, docs, emit_bindings, field_rules  # noqa: E402
from tools.codegen.loader import load  # noqa: E402
from tools.codegen.model import Schema, SpecError  # noqa: E402
from tools.codegen.signatures import MAX_LISTS, MAX_PARAMETERS  # noqa: E402


# ------------------------------------------------------------------------------------------------------ golden files

@pytest.fixture(scope="module")
def generated():
    return codegen.generate(SAMPLE / "native_functions.yaml", SAMPLE)


GOLDEN_STUBS = [f"_C/{m}.pyi" for m in ("__init__", "_numpy", "_numpy_nn_functional", "_return_types", "_torch")]


def golden_files():
    return sorted(codegen.file_list(SAMPLE)) + GOLDEN_STUBS + ["_operators.json"]


@pytest.mark.parametrize("name", golden_files())
def test_generated_text_is_the_golden_one(generated, name):
    cpp, python = generated
    text = (cpp | python)[name]
    golden = SAMPLE / "golden" / name
    if os.environ.get("UPDATE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True, parents=True)
        golden.write_text(text)
    assert text == golden.read_text()


def test_there_is_no_golden_file_of_nothing():
    assert sorted(str(p.relative_to(SAMPLE / "golden")) for p in (SAMPLE / "golden").rglob("*") if p.is_file()) == sorted(golden_files())


def test_the_list_of_files_is_known_before_generating(generated):
    assert sorted(generated[0]) == sorted(codegen.file_list(SAMPLE))


def test_a_file_is_written_only_when_its_text_changed(tmp_path):
    codegen.write(tmp_path, {"a.h": "one", "b.h": "two"})
    os.utime(tmp_path / "a.h", (1, 1))
    os.utime(tmp_path / "b.h", (1, 1))
    codegen.write(tmp_path, {"a.h": "one", "b.h": "three"})
    assert (tmp_path / "a.h").stat().st_mtime == 1
    assert (tmp_path / "b.h").read_text() == "three"


def test_stubs_of_an_earlier_generator_are_removed(tmp_path):
    codegen.write(tmp_path, {"_C/__init__.pyi": "new", "numpy/__init__.pyi": "old", "numpy/__init__.py": "source"})
    codegen.remove_old_stubs(tmp_path, {"_C/__init__.pyi": "new"})
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()) == ["_C/__init__.pyi", "numpy/__init__.py"]


@pytest.fixture
def changed(tmp_path):
    """The files that the generator changes if an entry is inserted at the start of a file."""
    def generate(file, entry):
        shutil.copytree(SAMPLE, tmp_path, dirs_exist_ok=True)
        text = (SAMPLE / file).read_text()
        (tmp_path / file).write_text(entry + "\n" + text)
        return codegen.generate(tmp_path / "native_functions.yaml", tmp_path)[0]
    return generate


def test_a_new_operator_changes_the_files_of_its_family_only(changed, generated):
    after = changed("native_functions/arrays.yaml", "- func: first(Tensor input) -> Tensor\n")
    kinds = ("aten/functions/arrays.h", "aten/operators/arrays.cpp", "aten/native_functions/arrays.h", "csrc/bindings/arrays.h",
             "csrc/bindings/arrays.cpp", "csrc/tables/arrays.cpp")
    assert {n for n in after if after[n] != generated[0][n]} == set(kinds)


def test_a_mask_of_wanted_results_reaches_shape_functions_and_kernels_as_it_is(changed):
    after = changed("native_functions/arrays.yaml", """
- func: split_backward(Tensor grad, bool[] output_mask) -> (Tensor low, Tensor high)
  dispatch:
    CPU: split_backward_cpu
  nondifferentiable: it is a derivative
""")
    assert "void split_backward(Outputs& outputs, Operand& grad, std::span<const bool> output_mask);" in after["aten/meta_functions/arrays.h"]
    assert "kernel(*grad, output_mask, outputs[0], outputs[1])" in after["aten/operators/arrays.cpp"]


def test_the_engine_includes_families_and_not_all_operators():
    """A file that includes aten/functions.h is recompiled after every new operator."""
    for folder in ("aten", "csrc"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cpp", ".cu"):
                assert '"aten/functions.h"' not in path.read_text(), path


# ---------------------------------------------------------------------------------------------------------- mistakes

NATIVE = "- func: f(Tensor input, int dim=0) -> Tensor\n"
POINTWISE = "- func: f(Tensor input) -> Tensor\n  pointwise: Twice\n  promotion: Arithmetic\n  dtypes: FloatTypes\n"
MISTAKES = {
    "unknown key": (NATIVE + "  colour: red\n", "1: f: unknown key 'colour'"),
    "unknown type": ("- func: f(Tensr input) -> Tensor\n", "1: f: unknown type 'Tensr'"),
    "compat type in a native entry": ("- func: f(np.ndarray a) -> Tensor\n", "1: f: unknown type 'np.ndarray'"),
    "no schema": ("- func: f(Tensor input)\n", "1: f: 'f(Tensor input)' is not 'name(type arg=default, ...) -> returns'"),
    "argument without a type": ("- func: f(input) -> Tensor\n", "1: f: argument 'input' is not '<type> <name>[=default]'"),
    "argument twice": ("- func: f(Tensor x, Tensor x) -> Tensor\n", "1: f: two arguments are named x"),
    "default that is no literal": ("- func: f(int n=many) -> Tensor\n", "1: f: the default of 'int n=many' is not a literal"),
    "unusual spacing": ("- func: f(Tensor input,int n) -> Tensor\n", "is not in the canonical form"),
    "native key in a compat entry": ("- func: f(np.ndarray a) -> np.ndarray\n  np_compat: True\n  pointwise: Twice\n",
                                     "1: f: the key 'pointwise' has no meaning in a compat entry"),
    "derivative of no argument": (POINTWISE + "  derivative:\n    other: grad\n", "1: f: derivative: 'other' names no Tensor argument of f("),
    "derivative of no tensor": (NATIVE + "  derivative:\n    dim: grad\n", "1: f: derivative: 'dim' names no Tensor argument"),
    "derivative in flow style": (POINTWISE + "  derivative: {input: g(grad, input)}\n", "write the mapping in block style"),
    "derivative that forgets one": ("- func: f(Tensor a, Tensor b) -> Tensor\n  derivative:\n    a: grad\n",
                                    "1: f: derivative: has no entry for 'b'"),
    "unbalanced formula": (POINTWISE + "  derivative:\n    input: g(grad\n", "unbalanced parentheses"),
    "both kinds of derivative": (POINTWISE + "  derivative:\n    input: grad\n  nondifferentiable: it is a sample\n",
                                 "1: f: has both derivative and nondifferentiable"),
    "no word about the derivative": (POINTWISE, "1: f: has neither derivative nor nondifferentiable"),
    "unknown functor": (POINTWISE.replace("Twice", "Thrice") + "  nondifferentiable: it is a sample\n",
                        "1: f: no functor 'Thrice' in aten/functors/*.h"),
    "pointwise without dtypes": ("- func: f(Tensor input) -> Tensor\n  pointwise: Twice\n  promotion: Floating\n", "1: f: pointwise without dtypes"),
    "machine of no pointwise operator": (NATIVE + "  machine: Add\n", "1: f: machine has a meaning only with pointwise"),
    "vectorizes of no pointwise operator": (NATIVE + "  vectorizes: False\n", "1: f: vectorizes has a meaning only with pointwise"),
    "vectorizes of another kind": (POINTWISE + "  vectorizes: seldom\n", "1: f: vectorizes is True or False"),
    "a composite for no device": (NATIVE + "  dispatch:\n    CPU: f\n    CUDA: g\n    Composite: h\n  nondifferentiable: it is a sample\n",
                                  "1: f: dispatch names a CUDA function, so no device is left for the Composite one"),
    "both pointwise and dispatch": (POINTWISE + "  dispatch:\n    CPU: f\n", "1: f: has both pointwise and dispatch"),
    "translation of no argument": (NATIVE + "\n- func: f(np.ndarray a, int n) -> np.ndarray\n  np_compat: True\n"
                                   "  additional_translations: {m: dim}\n", "3: f: additional_translations: 'm: dim' names no argument of f("),
    "translation to no argument": (NATIVE + "\n- func: f(np.ndarray a, int n) -> np.ndarray\n  np_compat: True\n"
                                   "  additional_translations: {n: dims}\n", "3: f: additional_translations: 'n: dims' names no argument of f(Tensor input"),
    "argument that lands nowhere": (NATIVE + "\n- func: f(np.ndarray a, int n) -> np.ndarray\n  np_compat: True\n",
                                    "3: f: 'int n' lands nowhere in f(Tensor input, int dim=0) -> Tensor"),
    "two arguments on one": (NATIVE + "\n- func: f(np.ndarray a, int axis, int dim) -> np.ndarray\n  np_compat: True\n",
                             "3: f: 'int dim' and 'int axis' both land on 'dim'"),
    "argument on another type": (NATIVE + "\n- func: f(np.ndarray a, str axis) -> np.ndarray\n  np_compat: True\n",
                                 "3: f: 'str axis' cannot land on 'int dim=0'"),
    "nothing for a required argument": ("- func: f(Tensor input, int n) -> Tensor\n\n- func: f(np.ndarray a) -> np.ndarray\n  np_compat: True\n",
                                        "3: f: nothing lands on 'int n'"),
    "no native operator": ("- func: f(np.ndarray a) -> np.ndarray\n  np_compat: True\n", "1: f: there is no native operator of that name"),
    "unknown native operator": (NATIVE + "\n- func: g(np.ndarray a) -> np.ndarray\n  np_compat: True\n  native: h\n",
                                "3: g: native: there is no operator 'h'"),
    "unknown reduction of a ufunc": (POINTWISE + "  nondifferentiable: it is a sample\n\n- func: f(np.ndarray x) -> np.ndarray\n  np_compat: True\n"
                                     "  ufunc: {reduce: sums}\n", "7: f: ufunc: reduce: there is no operator 'sums'"),
    "operator twice": (NATIVE + "\n" + NATIVE, "3: f: is also in native_functions.yaml:1"),
    "name twice": (NATIVE + "\n- func: g(Tensor input) -> Tensor\n  aliases: [f]\n", "3: g: the name 'f' is also that of f("),
    "key twice": (NATIVE + "  hidden: True\n  hidden: True\n", "3: ?: the key 'hidden' stands twice"),
    "text that yaml takes for something else": (POINTWISE + "  nondifferentiable: no\n", "1: f: nondifferentiable is a text, not False"),
    "distribution without a dtype": (NATIVE + "  distributions:\n  - normal(Any loc)\n",
                                     "1: f: distributions: 'normal(Any loc)' is not 'name(Domain parameter, ...) -> float64' or '-> int64'"),
    "parameter without a domain": (NATIVE + "  distributions:\n  - normal(loc) -> float64\n",
                                   "1: f: distributions: 'normal(loc) -> float64' is not 'name("),
    "distribution twice": (NATIVE + "  distributions:\n  - zipf(Any a) -> int64\n  - zipf(Any a) -> int64\n",
                           "1: f: distributions: 'zipf' stands twice"),
    "several gradients without a mask": ("- func: f(Tensor a, Tensor b) -> Tensor\n  derivative:\n    a, b: g(grad)\n",
                                         "1: f: derivative: 'a, b: g(grad)': a formula for several arguments, and no other, takes output_mask"),
    "mask of one gradient": (POINTWISE + "  derivative:\n    input: g(grad, output_mask)\n", "a formula for several arguments, and no other"),
    "several gradients out of order": ("- func: f(Tensor a, Tensor b) -> Tensor\n  derivative:\n    b, a: g(grad, output_mask)\n",
                                       "1: f: derivative: 'b, a' are not in the order of f("),
    "two formulas for one": ("- func: f(Tensor a, Tensor b) -> Tensor\n  derivative:\n    a, b: g(grad, output_mask)\n    b: grad\n",
                             "1: f: derivative: has two formulas for 'b'"),
    "more lists than a call holds": ("- func: f(int[] a, int[] b, int[] c, int[] d, int[] e) -> Tensor\n",
                                     "1: f: has more than 4 parameters of kind IntList; csrc/args takes no more"),
    "more parameters than a call holds": (f"- func: f({', '.join(f'int p{i}' for i in range(25))}) -> ()\n",
                                          "1: f: has 25 parameters; csrc/args takes 24"),
    "class of one result": (NATIVE + "\n- func: f(np.ndarray a) -> np.ndarray\n  np_compat: True\n  result: FResult\n",
                            "3: f: result: 'FResult' is a class of several results with names"),
    "other results of one name": ("- func: f(Tensor a) -> (Tensor x, Tensor y)\n\n- func: f.two(Tensor a, int n) -> (Tensor x, Tensor z)\n",
                                  "3: f.two: the results of 'f' have other names than those of another entry"),
    "twin of other arguments": (NATIVE + "  numpy: {args: [a, b, c]}\n", "1: f: numpy: 3 args for the 2 of f(Tensor input, int dim=0) -> Tensor"),
    "twin of unknown keys": (NATIVE + "  numpy: {native: g}\n", "1: f: numpy is True, or a mapping of keys that a compat entry has"),
    "gufunc of no core dimensions": ("- func: f(np.ndarray a) -> np.ndarray\n  np_compat: True\n  gufunc: (n)\n",
                                     "1: f: gufunc is the core dimensions of operands and result, as (m,n),(n)->(m); not '(n)'"),
    "dunder that is none": (NATIVE + "  dunder: add\n", "1: f: dunder is a method of Python's, as __add__; not 'add'"),
    "no list": ("func: f\n", "1: ?: the file is neither a list of entries nor 'include:' with a list of files"),
    "description of no argument": (NATIVE + "  arguments: {other: A tensor.}\n", "1: f: arguments: 'other' is not an argument of f(Tensor input"),
    "description that is no text": (NATIVE + "  arguments: {dim: 1}\n", "1: f: arguments is a mapping from names of arguments to descriptions"),
    "a word": ("f\n", "1: ?: the file is not a list of entries"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_reported_with_line_operator_and_reason(tmp_path, mistake):
    text, message = MISTAKES[mistake]
    path = tmp_path / "native_functions.yaml"
    path.write_text(text)
    with pytest.raises(SpecError, match=re.escape(message)) as caught:
        codegen.generate(path, SAMPLE)
    assert str(caught.value).startswith("native_functions.yaml:")


def test_the_limits_of_a_call_are_those_of_the_parser():
    signature, args = ((ROOT / "csrc/args" / name).read_text() for name in ("signature.h", "args.h"))
    assert f"kMaxSlots = {MAX_PARAMETERS};" in signature
    sizes = {kind: int(n) for kind, n in re.findall(r"std::array<[\w:<>]+, (\d+)> (\w+)_lists;", args) for kind, n in [(n, kind)]}
    sizes["int"] = int(re.search(r"kMostIntLists = (\d+);", args)[1])
    lists = {"IntList": "int", "TensorList": "tensor", "ArrayLikeList": "tensor", "FloatList": "float", "BoolList": "bool"}
    assert {kind: sizes[lists[kind]] for kind in MAX_LISTS} == MAX_LISTS


@pytest.mark.parametrize("twin, written_out", [
    ("  numpy: True\n", "- func: f(np.ndarray a, int axis=0) -> np.ndarray\n  np_compat: True\n"),
    ("  numpy: {name: g, args: [x, n], subclass: never}\n",
     "- func: g(np.ndarray x, int n=0) -> np.ndarray\n  np_compat: True\n  native: f\n  additional_translations: {n: dim}\n  subclass: never\n"),
])
def test_a_numpy_key_stands_for_the_entry_that_it_spares(tmp_path, twin, written_out):
    path = tmp_path / "native_functions.yaml"
    path.write_text(NATIVE + twin)
    short = codegen.generate(path, SAMPLE)[0]
    path.write_text(NATIVE + "\n" + written_out)
    assert short == codegen.generate(path, SAMPLE)[0]


def test_all_mistakes_are_reported_at_once(tmp_path):
    (tmp_path / "native_functions.yaml").write_text("- func: f(Tensr x) -> Tensor\n\n- func: g(Tensr x) -> Tensor\n")
    with pytest.raises(SpecError) as caught:
        codegen.generate(tmp_path / "native_functions.yaml", SAMPLE)
    assert len(str(caught.value).splitlines()) == 2


def test_included_files_are_joined_in_order_and_mistakes_point_into_them(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/a.yaml").write_text(NATIVE)
    (tmp_path / "parts/b.yaml").write_text(NATIVE.replace("f(", "g("))
    root = tmp_path / "native_functions.yaml"
    root.write_text("include:\n  - parts/b.yaml\n  - parts/a.yaml\n")
    assert [(e.name, e.file, e.line) for e in load(root)] == [("g", "parts/b.yaml", 1), ("f", "parts/a.yaml", 1)]
    (tmp_path / "parts/b.yaml").write_text("\n- func: g(Tensr x) -> Tensor\n\n" + NATIVE)
    with pytest.raises(SpecError, match=r"^parts/b\.yaml:2: g: unknown type 'Tensr'$"):
        load(root)
    (tmp_path / "parts/b.yaml").write_text(NATIVE)
    with pytest.raises(SpecError, match=r"^parts/a\.yaml:1: f: is also in parts/b\.yaml:1$"):
        codegen.generate(root, SAMPLE)
    root.write_text("include:\n  - parts/b.yaml\n  - parts/c.yaml\n")
    with pytest.raises(SpecError, match=r"^native_functions\.yaml:3: \?: there is no file 'parts/c\.yaml'$"):
        load(root)


def test_an_entry_is_in_a_package_that_the_first_file_lists(tmp_path):
    (tmp_path / "a.yaml").write_text(NATIVE + "  package: signal\n")
    root = tmp_path / "native_functions.yaml"
    root.write_text("packages:\n  - signal\ninclude:\n  - a.yaml\n")
    assert [e.package for e in load(root)] == ["signal"]
    root.write_text("packages:\n  - linalg\ninclude:\n  - a.yaml\n")
    with pytest.raises(SpecError, match=r"^a\.yaml:1: f: unknown package 'signal'$"):
        load(root)


def test_a_mistake_stops_the_build(tmp_path):
    (tmp_path / "aten/functors").mkdir(parents=True)
    (tmp_path / "native_functions.yaml").write_text(NATIVE + "  colour: red\n")
    done = subprocess.run([sys.executable, "-m", "tools.codegen", "--source", tmp_path, "--output", tmp_path / "out"],
                          cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "native_functions.yaml:1: f: unknown key 'colour'\n"
    assert not (tmp_path / "out").exists()


# ---------------------------------------------------------------------------------------------------------- docstrings

def refused(entry, error):
    raise AssertionError(f"{entry.place}: {error}")


def texts(entries):
    """The docstrings of entries for every name in Python, without signatures."""
    python = emit_bindings.plan(entries, refused)
    return {(row.compat, kind, row.package, row.name): docs.plain(list(row.overloads), row.method)
            for kind in ("functions", "methods", "ufuncs") for row in getattr(python, kind)}


@pytest.fixture
def said(tmp_path):
    """The docstrings of a pointwise operator `f` in torch_np, in place, and in torch_np.numpy,
    without its arguments."""
    def of(arguments, promotion, dtypes, doc="", more=""):
        path = tmp_path / "native_functions.yaml"
        path.write_text(f"- func: f({arguments}) -> Tensor\n  variants: function, inplace\n  pointwise: F\n  promotion: {promotion}\n"
                        f"  dtypes: {dtypes}\n  nondifferentiable: it is a sample\n  numpy: {{ufunc: True}}\n  doc: |\n    F.\n" + doc + more)
        found = texts(load(path))
        names = (False, "functions", "", "f"), (False, "functions", "", "f_"), (True, "ufuncs", "", "f")
        return tuple(re.sub(r"^Args:\n(  .*\n)+\n?", "", found[name], flags=re.MULTILINE) for name in names)
    return of


ONE, TWO = "Tensor input", "Tensor input, Tensor other"
WIDE = "if uint16, uint32 or uint64 is combined with another integer dtype"
NONE = "only those that all operators share."
CAST = "if the result's dtype cannot be cast to the dtype of `input`"
UNHELD = "OverflowError if a Python integer does not fit into the common dtype."
APART = {"torch": "RuntimeError if the shapes of `input` and `other` do not broadcast",
         "in place": "RuntimeError if `other` does not broadcast to the shape of `input`",
         "numpy": "ValueError if the shapes of `x1` and `x2` do not broadcast"}


@pytest.mark.parametrize("arguments, promotion, dtypes, torch, in_place, numpys", [
    (ONE, "Floating", "InexactTypes", NONE, f"RuntimeError {CAST}.", NONE),
    (ONE, "Real", "FloatTypes", *["NotImplementedError for bools, integers and complex numbers."] * 2,
     "TypeError for bools, integers and complex numbers."),
    (ONE, "Numeric", "IntegerFloatTypes", "NotImplementedError for complex numbers.",
     f"RuntimeError {CAST}; NotImplementedError for complex numbers.", "TypeError for complex numbers."),
    (ONE, "Arithmetic", "IntegerFloatTypes", *["NotImplementedError for bools and complex numbers."] * 2, "TypeError for complex numbers."),
    (TWO, "Arithmetic", "Join<FloatTypes, ComplexTypes>",
     f"{APART['torch']}; NotImplementedError if all operands are bools or integers.",
     f"{APART['in place']}, or {CAST}; NotImplementedError if all operands are bools or integers.",
     f"{APART['numpy']}; TypeError if all operands are bools or integers."),
    (TWO, "ArithmeticNoBool", "NumericTypes", f"{APART['torch']}, or {WIDE}; NotImplementedError for bools.",
     f"{APART['in place']}, {CAST}, or {WIDE}; NotImplementedError for bools.",
     f"{APART['numpy']}; TypeError if all operands are bools; {UNHELD}"),
    (TWO, "Comparison", "ComputeTypes", f"{APART['torch']}, or {WIDE} (uint64 with a signed one is allowed).",
     f"{APART['in place']}, or {WIDE} (uint64 with a signed one is allowed).", f"{APART['numpy']}."),
    (TWO, "Logical", "BoolType", f"{APART['torch']}.", f"{APART['in place']}.", f"{APART['numpy']}."),
    (TWO, "Shift", "IntegerTypes",
     f"{APART['torch']}, or {WIDE}; NotImplementedError for floats and complex numbers, or if all operands are bools.",
     f"{APART['in place']}, {CAST}, or {WIDE}; NotImplementedError for floats and complex numbers, or if all operands are bools.",
     f"{APART['numpy']}; TypeError for floats and complex numbers, or if uint64 is combined with a signed dtype; {UNHELD}"),
])
def test_errors_of_pointwise_operators_follow_from_their_entries(said, arguments, promotion, dtypes, torch, in_place, numpys):
    for text, errors in zip(said(arguments, promotion, dtypes), (torch, in_place, numpys), strict=True):
        assert " ".join(text.partition("Errors: ")[2].split()) == errors


def test_shapes_of_pointwise_operators_follow_from_their_entries(said):
    def lines(arguments):
        return [re.search("Shapes: (.*)", text)[1] for text in said(arguments, "Logical", "ComputeTypes")]
    assert lines(ONE) == ["the result has the shape of `input`."] * 2 + ["the result has the shape of `x`."]
    assert lines(TWO) == ["the result has the broadcast shape of `input` and `other`.", "`other` broadcasts to the shape of `input`.",
                          "the result has the broadcast shape of `x1` and `x2`."]
    assert lines("Tensor a, Tensor b, Tensor c")[1:] == ["`b` and `c` broadcast to the shape of `a`.",
                                                           "the result has the broadcast shape of `x1`, `x2` and `x3`."]


def test_what_an_entry_or_another_of_its_name_says_stands_for_the_rule(said):
    own = "\n    Shapes: own. Errors: own.\n"
    assert [t.count("Shapes") + t.count("Errors") for t in said(ONE, "Floating", "InexactTypes", own)] == [2, 2, 2]
    overload = "\n- func: f.two(Tensor input, int n) -> Tensor\n  doc: |\n    F of n.\n\n    Errors: own.\n"
    assert said(ONE, "Floating", "InexactTypes", more=overload)[0] == "F.\n\nShapes: the result has the shape of `input`.\n\nF of n.\n\nErrors: own.\n"


@pytest.mark.parametrize("doc, begin, end", [
    ("", "F.\n\nShapes: ", "share.\n"),
    ("\n    Dtypes: all.\n    Source: a book.\n", "F.\n\nShapes: the result has the shape of `input`.\nDtypes: all.\nErrors: ", "share.\nSource: a book.\n"),
    ("\n    Shapes: as `input`. Dtypes: all.\n\n    More.\n", "F.\n\nShapes: as `input`. Dtypes: all.\nErrors: ", "share.\n\nMore.\n"),
])
def test_fields_by_rule_stand_in_their_order(said, doc, begin, end):
    text = said(ONE, "Floating", "InexactTypes", doc)[0]
    assert text.startswith(begin) and text.endswith(end)


def test_fields_by_rule_are_lines_to_read(said):
    assert all(len(line) <= argument_docs.LINE for text in said(TWO, "Shift", "IntegerTypes") for line in text.splitlines())


def test_errors_of_values_are_said_by_the_entry(said):
    assert not any("Errors" in text for text in said(TWO, "LoadExponent", "FloatTypes"))
    assert not any("Errors" in text for text in said(TWO, "Numeric", "NumericTypes", more="  check: some_values\n"))


def test_the_rules_know_the_type_lists_and_promotions_of_the_engine():
    kind = {"bool": "bools", "Half": "floats", "BFloat16": "floats", "float": "floats", "double": "floats", "complex": "complex numbers"}
    lists = {}
    for name, members in re.findall(r"^using (\w+Types?) =\s+(.*);", (ROOT / "aten/core/numbers/dtype.h").read_text(), re.MULTILINE):
        words = re.findall(r"\w+", re.sub(r"Complex<\w+>", "complex", re.sub(r"u?int\d+_t", "int", members)))
        lists[name] = set().union(*({kind[w]} if w in kind else {"integers"} if w == "int" else lists.get(w, set()) for w in words))
    assert {name: lists[name] for name in field_rules.LOOPS} == field_rules.LOOPS
    enum = re.search(r"enum class Promotion : uint8_t {(.*?)};", (ROOT / "aten/core/numbers/promotion.h").read_text(), re.DOTALL)[1]
    used = {*field_rules.REFUSED, *field_rules.TO_FLOATS, *field_rules.BOOLS_TO_INTEGERS, *field_rules.TO_BOOLS}
    assert used <= set(re.findall(r"^\s*(\w+),", enum, re.MULTILINE))


ARGUMENTS = """
- func: f(Tensor input, int dim, *, bool from=False) -> Tensor
  variants: function, method
  arguments:
    input: Values, of any number of dimensions, whose description is so long that it needs a second line below the first.
    dim: Axis of `input`.
    from: Whether to count `dim` from the first axis.

- func: f.two(Tensor input, int dim, Tensor other) -> Tensor
  variants: function, method
  arguments:
    dim: Axis of the weights.
    other: Weights of `input`.

- func: f(np.ndarray a, int axis, np.ndarray b, *, np.ndarray? out=None, np.ndarray? like=None) -> np.ndarray
  np_compat: True
  additional_translations: {b: other}
  native: f.two
  arguments:
    axis: Axis of `a`.
"""


def test_arguments_of_all_overloads_are_described_once_with_the_names_of_the_face(tmp_path, monkeypatch):
    monkeypatch.setattr(argument_docs, "table", lambda: {"torch": {"out": "Result."}, "numpy": {"input": "Array.", "out": "Result."},
                                                         "not implemented": {"like": "None."}})
    (tmp_path / "native_functions.yaml").write_text(ARGUMENTS)
    found = texts(load(tmp_path / "native_functions.yaml"))
    first, second = "Values, of any number of dimensions, whose description is so long that it needs a second", "    line below the first."
    assert found[False, "functions", "", "f"].splitlines() == [
        "Args:", f"  input: {first}", second, "  dim: Axis of `input`. Or: Axis of the weights.",
        "  from_: Whether to count `dim` from the first axis.", "  out: Result.", "  other: Weights of `input`."]
    assert found[False, "methods", "", "f"].splitlines()[1] == "  input (self): Values, of any number of dimensions, whose description is so long that it needs a"
    assert found[True, "functions", "", "f"] == "Args:\n  a: Array.\n  axis: Axis of `a`.\n  b: Weights of `a`.\n  out: Result.\n  like: None.\n"


def test_arguments_stand_between_the_summary_and_the_fields(tmp_path):
    (tmp_path / "native_functions.yaml").write_text(
        NATIVE + "  arguments: {input: Values., dim: Axis.}\n  doc: |\n    F.\n\n    More.\n\n    Shapes: all.\n    Errors: none.\n\n    Last.\n")
    text = texts(load(tmp_path / "native_functions.yaml"))[False, "functions", "", "f"]
    assert re.fullmatch(r"F\.\n\nMore\.\n\nArgs:\n  input: Values\.\n  dim: Axis\.\n  out: .*\n\nShapes: all\.\nErrors: none\.\n\nLast\.\n", text)


# ------------------------------------------------------------------------------------------------------ the real file

ENTRIES = load(ROOT / "native_functions.yaml")


def test_every_file_of_entries_is_included_and_of_a_size_to_read():
    included = {e.file for e in ENTRIES}
    assert included == {str(p.relative_to(ROOT)) for p in (ROOT / "native_functions").iterdir()}
    for name in included:
        assert len((ROOT / name).read_text().splitlines()) < 1000, name


def test_the_build_knows_every_file_that_the_generator_reads():
    inputs = re.search(r"file\(GLOB_RECURSE codegen_inputs CONFIGURE_DEPENDS\s+([^)]*)\)", (ROOT / "cmake/codegen.cmake").read_text())
    known = {ROOT / "native_functions.yaml"}
    for pattern in inputs[1].split():
        folder, _, name = pattern.rpartition("/")
        known |= set((ROOT / folder).rglob(name))
    script = ("import sys, pathlib; opened = set(); "
              "sys.addaudithook(lambda event, args: event == 'open' and isinstance(args[0], str) and opened.add(args[0])); "
              "from tools.codegen.__main__ import generate; generate(pathlib.Path('native_functions.yaml').resolve(), pathlib.Path.cwd()); "
              "print(*opened, sep='\\n')")
    done = subprocess.run([sys.executable, "-B", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    opened = {Path(p) for p in done.stdout.splitlines() if p.startswith(str(ROOT)) and "/.venv/" not in p and not p.endswith(".pyc")}
    assert len(opened) > 30
    assert opened <= known


def test_every_name_says_its_shapes_and_errors():
    assert [(*name, field) for name, text in texts(ENTRIES).items() for field in ("Shapes", "Errors") if not docs.has_field(text, field)] == []


def arguments_without_a_description():
    python = emit_bindings.plan(ENTRIES, refused)
    for row in (*python.functions, *python.methods, *python.ufuncs):
        described = set(re.findall(r"^  (\w+)(?: \(self\))?: \S", docs.plain(list(row.overloads), row.method), re.MULTILINE))
        for o in row.overloads:
            if not row.name.startswith("_"):
                yield from (f"{o.entry.place}: {row.name}: {p.name}" for p in o.params if not p.name.startswith("_") and p.shown_name not in described)


def test_every_argument_has_a_description():
    assert list(arguments_without_a_description()) == []


def test_every_default_description_is_of_an_argument():
    described = {("in place", "input")}
    for row in [row for rows in vars(emit_bindings.plan(ENTRIES, refused)).values() for row in rows if isinstance(row, emit_bindings.Row)]:
        described |= {(s, p.name if p.ignored else p.slot) for o in row.overloads for p in o.params for s in argument_docs.sections(o, p)}
    assert {(s, name) for s, names in argument_docs.table().items() for name in names} - described == set()


def test_every_schema_renders_back_to_its_text():
    for entry in ENTRIES:
        assert str(Schema.parse(entry.schema.text, entry.np_compat)) == entry.schema.text


def test_the_generator_knows_no_operator():
    names = {e.name for e in ENTRIES} | {e.schema.name for e in ENTRIES} | {a for e in ENTRIES for a in e.aliases}
    # NumPy's names, keys, packages, types, properties of formulas
    names -= {"where", "identity", "fft", "complex", "numel", "is_complex"}
    for path in sorted((ROOT / "tools/codegen").glob("*.py")):
        strings = {n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        assert not strings & names, path.name


# ---------------------------------------------------------------------------------------------- the Python interface

torch_np = pytest.importorskip("torch_np")


def names_and_kinds(function):
    parameters = inspect.signature(function).parameters.values()
    return [("*" if p.kind is p.VAR_POSITIONAL else p.name, p.kind.name) for p in parameters
            if p.kind is not p.VAR_KEYWORD and not p.name.startswith("_")]


def compat_functions():
    operators = json.loads((ROOT / "torch_np/_operators.json").read_text())
    for o in operators:
        if o["np_compat"] and "function" in o["variants"]:
            for name in [o["name"], *o["aliases"]]:
                if not name.startswith("_"):
                    yield f"{o['package']}.{name}" if o["package"] else name


def resolve(module, dotted):
    for part in dotted.split("."):
        module = getattr(module, part, None)
    return module


@pytest.mark.parametrize("name", sorted(set(compat_functions())))
def test_signature_is_numpys(name):
    theirs = resolve(numpy, name)
    if theirs is None:
        pytest.skip("not in NumPy")
    try:
        expected = names_and_kinds(theirs)
    except ValueError:
        pytest.skip("NumPy shows no signature")
    ours = names_and_kinds(resolve(torch_np.numpy, name))
    ours = [p for p in ours if p[0] != "descending"]  # sort's and argsort's, from the array API standard
    if any(p.kind is p.VAR_KEYWORD for p in inspect.signature(theirs).parameters.values()):  # ours are named
        assert {kind for _, kind in ours[len(expected):]} <= {"KEYWORD_ONLY"}
        ours = ours[:len(expected)]
    assert ours == expected


def test_every_function_and_method_has_a_signature_and_a_doc():
    for owner in (torch_np._C._torch, torch_np._C._numpy, torch_np.Tensor, torch_np.numpy.ndarray):
        for name, value in vars(owner).items():
            if inspect.isbuiltin(value) or inspect.ismethoddescriptor(value):
                # compositions have their own
                if not name.startswith("_") and getattr(value, "__text_signature__", None):
                    assert inspect.signature(value) is not None, name


def test_docs_show_each_faces_own_argument_names():
    assert "`dim`" in torch_np.sum.__doc__ and "`axis`" not in torch_np.sum.__doc__
    assert "`axis`" in torch_np.numpy.sum.__doc__ and "`dim`" not in torch_np.numpy.sum.__doc__


# ------------------------------------------------------------------------------------------------------ overloads

OF_TENSORS, OF_NUMBERS = {"Tensor", "TensorOrNumber"}, {"Int", "IntList", "Scalar", "Float", "FloatList", "Bool"}


def bound(overload, count):
    """The kinds of an overload's first `count` positional parameters; None if it has fewer."""
    positional = [p for p in overload.params if "kKeywordOnly" not in p.flags]
    required = [p for p in positional if "kRequired" in p.flags]
    return [p.kind for p in positional[:count]] if len(required) <= count <= len(positional) else None


def test_a_0d_integer_tensor_is_a_number_only_where_no_overload_takes_a_tensor():
    """`torch.max(x, torch.tensor(0))` is the elementwise maximum, not the maximum along an axis."""
    plan = emit_bindings.plan(load(ROOT / "native_functions.yaml"), lambda entry, error: pytest.fail(str(error)))
    found = set()
    for row in plan.functions + plan.methods:
        for count in range(1, 5):
            kinds = [bound(o, count) for o in row.overloads]
            for wanted in filter(None, kinds):
                given = [k in OF_TENSORS for k in wanted]  # 0-d integer tensors there, and the original kinds elsewhere
                first = next(k for k in kinds if k and all(a in OF_TENSORS | OF_NUMBERS if tensor else a == b
                                                           for a, b, tensor in zip(k, wanted, given)))
                if any(a in OF_NUMBERS for a, tensor in zip(first, given) if tensor):
                    found.add((row.name, count))
    assert not found
