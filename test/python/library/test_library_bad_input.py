"""Invalid libraries of operators, and operators that are called wrongly or that misbehave. Each
raises an exception that names the library and the operator. Nothing crashes, and nothing of a
refused library is registered."""
from __future__ import annotations

import os
import re
import shutil
from typing import NamedTuple

import pytest
from library_builds import C_ENTRY, C_START, C_VERSION, c_library, needs_compiler

import torch_np
import torch_np.numpy as np
from torch_np import _registry, library

pytestmark = needs_compiler

F64 = torch_np.float64


def registered():
    """Everything that loading a library may register."""
    namespaces = {name: dir(getattr(torch_np.ops, name)) for name in dir(torch_np.ops)
                  if isinstance(getattr(torch_np.ops, name), _registry.Namespace)}
    return library.list(), dir(torch_np.ops), dir(np._ops), namespaces


def refused(path, exception, *words):
    """Asserts that loading the library raises and registers nothing."""
    before = registered()
    with pytest.raises(exception) as raised:
        library.load(path)
    assert raised.type is exception
    assert registered() == before
    message = str(raised.value)
    for word in (os.path.basename(path), *words):
        assert word in message, message


@pytest.fixture(scope="module")
def good(builds):
    path = builds.c("good", c_library('OPERATOR("bad_input_good::one"), OPERATOR("bad_input_plain"),'))
    library.load(path)
    return path


# ------------------------------------------------------------------------------------------------------ files that are no libraries

def test_a_file_that_is_not_there(tmp_path):
    refused(str(tmp_path / "libgone.so"), FileNotFoundError, "there is no file")


def test_a_folder(tmp_path):
    refused(str(tmp_path), FileNotFoundError, "there is no file")


@pytest.mark.parametrize("path", ["", "libno\0where.so"])
def test_names_that_no_file_can_have(path):
    refused(path, FileNotFoundError, "there is no file")


@pytest.mark.parametrize("path", [None, 3, ["libgood.so"]])
def test_what_is_no_path(path):
    before = registered()
    with pytest.raises(TypeError):
        library.load(path)
    assert registered() == before


@pytest.mark.parametrize("content", [b"", b"no library\n" * 100, b"\x7fELF", b"\x7fELF\2\1\1" + bytes(1000)],
                         ids=["empty", "text", "four bytes", "zeros"])
def test_a_file_that_is_no_shared_library(tmp_path, content):
    path = tmp_path / "libnone.so"
    path.write_bytes(content)
    refused(str(path), OSError, "cannot be opened")


@pytest.mark.parametrize("part", [0.05, 0.5])
def test_a_library_that_was_cut_off(builds, tmp_path, part):
    whole = builds.c("cut", c_library('OPERATOR("bad_input::cut"),')).read_bytes()
    path = tmp_path / "libcut.so"
    path.write_bytes(whole[:int(len(whole) * part)])
    refused(str(path), OSError, "cannot be opened")


def test_torch_nps_own_library_is_none_of_operators():
    refused(torch_np._C.__file__, RuntimeError, "is not a library of operators")


# ------------------------------------------------------------------------------------------------------ libraries in C, refused

def entry(body, before=""):
    return f"{C_START}{before}{C_VERSION}{C_ENTRY}{body}\n}}\n"


class Bad(NamedTuple):
    source: str
    exception: type
    words: tuple[str, ...] = ()


TABLE = ("static const TorchNpOperator op = OPERATOR(\"bad_input::in_a_table\");\n"
         "static const TorchNpOperator* all[] = {&op};\nstatic TorchNpLibrary table = {sizeof(table), 1, all};\n")
LONG = ", ".join(f"Tensor t{i}" for i in range(25))


def schema(text, *words):
    return Bad(c_library(f'OPERATOR("bad_input::schema", .schema = "{text}"),'), ValueError, ("operator bad_input::schema of /", *words))


def name(text, *words):
    return Bad(c_library(f"OPERATOR({text}),"), ValueError, words)


REFUSED = {
    "nothing inside": Bad(C_START, RuntimeError, ("was not built with torch_np/extension.h",)),
    "a version and no entry": Bad(C_START + C_VERSION, RuntimeError, ("was not built with torch_np/extension.h",)),
    "an entry and no version": Bad(entry("return 0;").replace(C_VERSION, ""), RuntimeError, ("was not built with torch_np/extension.h",)),
    "undefined symbol": Bad(c_library('OPERATOR("bad_input::undefined", .infer = nobody_has_this),',
                                      "int32_t nobody_has_this(const TorchNpOperator*, const TorchNpCall*);"),
                            OSError, ("undefined symbol: nobody_has_this",)),
    "null and no error": Bad(entry("return 0;"), RuntimeError, ("it failed and did not say why",)),
    "null and an error": Bad(entry('host->set_error(context, TORCH_NP_VALUE_ERROR, "not today"); return 0;'), ValueError, ("not today",)),
    "null and an error of nothing": Bad(entry("host->set_error(context, TORCH_NP_TYPE_ERROR, 0); return 0;"), TypeError, ("no message",)),
    "an error of unknown kind": Bad(entry('host->set_error(context, 99, "odd"); return 0;'), RuntimeError, ("odd",)),
    "an error that is no text": Bad(entry('host->set_error(context, -1, "\\xff\\xfe!"); return 0;'), RuntimeError, ("\ufffd\ufffd!",)),
    "asks for memory while it loads": Bad(entry("return host->allocate(context, 1, 8) ? &table : 0;", TABLE),
                                          RuntimeError, ("allocate cannot be called here",)),
    "describes outputs while it loads": Bad(entry("return host->set_counts(context, 1, 1) ? 0 : &table;", TABLE),
                                            RuntimeError, ("set_counts cannot be called here",)),
    "draws numbers while it loads": Bad(entry("uint64_t b; return host->random_bits(context, &b, 1) ? 0 : &table;", TABLE),
                                        RuntimeError, ("drawing random numbers cannot be called here",)),
    "calls an operator while it loads": Bad(
        entry('int64_t n; return host->call(context, "sin", 0, 0, 0, 0, 0, 0, &n) ? 0 : &table;', TABLE),
        RuntimeError, ("call cannot be called here",)),
    "a table too small": Bad(entry("table.size = 8; return &table;", TABLE), ValueError, ("table of operators is damaged",)),
    "a negative number of operators": Bad(entry("table.num_operators = -1; return &table;", TABLE), ValueError, ("damaged",)),
    "a huge number of operators": Bad(entry("table.num_operators = 1LL << 50; return &table;", TABLE), ValueError, ("damaged",)),
    "no array of operators": Bad(entry("table.operators = 0; return &table;", TABLE), ValueError, ("damaged",)),
    "an operator that is null": Bad(entry("all[0] = 0; return &table;", TABLE), ValueError, ("operator number 0",)),
    "an operator without a size": Bad(c_library('{.name = "bad_input::unsized", .forward_cpu = nothing},'), ValueError, ("operator number 0",)),
    "an operator too small": Bad(c_library('OPERATOR("bad_input::good"), OPERATOR("bad_input::small", .size = 64),'), ValueError,
                                 ("operator bad_input::small of", "64 bytes")),
    "a null name": name("0", "operator number 0 of its table has no name"),
    "an empty name": name('""', "operator number 0 of its table has no name"),
    "a name of words": name('"bad input"', "'bad input' is not an operator's name"),
    "a name of three parts": name('"bad_input::a::b"', "'bad_input::a::b' is not an operator's name"),
    "a name without its end": name('"bad_input::"', "'bad_input::' is not an operator's name"),
    "a name that begins with a digit": name('"bad_input::1st"', "'bad_input::1st' is not an operator's name"),
    "a name that is no text": name('"bad_input::\\xff"', "is not an operator's name"),
    "a name of Python's": name('"bad_input::__class__"', "two underscores"),
    "the second of two is bad": Bad(c_library('OPERATOR("bad_input::first_of_two"), OPERATOR("bad-input"),'), ValueError, ("'bad-input'",)),
    "twice the same name": Bad(c_library('OPERATOR("bad_input::twin"), OPERATOR("bad_input::twin"),'), ValueError,
                               ("several operators of the same name: bad_input::twin",)),
    "an operator and a namespace": Bad(c_library('OPERATOR("bad_input_both"), OPERATOR("bad_input_both::f"),'), ValueError,
                                       ("'bad_input_both' is an operator and a namespace",)),
    "no functions": Bad(c_library('OPERATOR("bad_input::none", .forward_cpu = 0),'), ValueError,
                        ("operator bad_input::none of", "has no function")),
    "a schema and mutate_inputs": Bad(
        c_library('OPERATOR("bad_input::mutates", .schema = "(Tensor x) -> Tensor", .mutate_inputs = nothing),'), ValueError,
        ("operator bad_input::mutates of", "mutate_inputs, which would be ignored")),
    "a state that nothing deletes": Bad(c_library('OPERATOR("bad_input::state", .create_state = nothing),'), ValueError,
                                        ("operator bad_input::state of", "no function to delete it")),
    "a schema of no parentheses": schema("Tensor x -> Tensor", "is not a schema"),
    "an empty schema": schema("", "is not a schema"),
    "a schema without results": schema("(Tensor x)", "is not a schema"),
    "a schema of an unknown type": schema("(Matrix x) -> Tensor", "'Matrix x' is not a parameter"),
    "a schema with a type and no name": schema("(Tensor) -> Tensor", "'Tensor' is not a parameter"),
    "a schema with an unknown result": schema("(Tensor x) -> float", "'float' is not a result"),
    "a schema with results of one name": schema("(Tensor x) -> (Tensor y, Tensor y)", "two results of the same name"),
    "a schema with parameters of one name": schema("(Tensor x, float x) -> Tensor", "parameters of the same name: ['x']"),
    "a schema with a keyword of Python's": schema("(Tensor lambda) -> Tensor", "lambda"),
    "a schema with a default of another type": schema("(Tensor x, int n=2.5) -> Tensor", "2.5 is not a default of int n"),
    "a schema with a Tensor's default": schema("(Tensor x=1) -> Tensor", "1 is not a default of Tensor x"),
    "a schema with a default that is an expression": schema("(Tensor x, int n=1+f()) -> Tensor", "is not a literal"),
    "a schema with a default that cannot be": schema("(Tensor x, int n={[]: 1}) -> Tensor", "is not a literal"),
    "a schema with an integer that is too large": schema("(Tensor x, int k=99999999999999999999) -> Tensor", "default of 'k'", "64 bits"),
    "a schema with a list that has one": schema("(Tensor x, int[] k=[1, -9223372036854775809]) -> Tensor", "default of 'k'", "64 bits"),
    "a schema with a Scalar that is too large": schema("(Tensor x, Scalar? k=9223372036854775808) -> Tensor", "default of 'k'", "64 bits"),
    "a schema with a default that nests too deep": schema(f"(Tensor x, int n={'[' * 5000}) -> Tensor", "operator bad_input::schema"),
    "a schema with a gap in its defaults": schema("(Tensor x, int n=1, int m) -> Tensor", "operator bad_input::schema"),
    "a schema that changes a number": schema("(int(a!) n) -> Tensor", "only a Tensor can be changed"),
    "a schema with one array of two names": schema("(Tensor(a!) x, Tensor(a!) y) -> ()", "two parameters are one array"),
    "a schema with too many parameters": schema(f"({LONG}) -> Tensor", "at most 24"),
    "a schema that is no text": schema("(Tensor \\xff) -> Tensor", "is not a parameter"),
    "functions that are not as the schema": Bad(
        c_library('OPERATOR("bad_input::letters", .schema = "(Tensor x, float by) -> Tensor", .parameter_letters = "forward:TiT"),'),
        ValueError, ("operator bad_input::letters of", "takes (Tensor, int64_t, Tensor)", "has (Tensor, double, Tensor")),
    "a shape function that is not as the schema": Bad(
        c_library('OPERATOR("bad_input::letters", .schema = "(Tensor x, float by) -> Tensor", .parameter_letters = "forward:TfT;shape:TfT"),'),
        ValueError, ("operator bad_input::letters of", "its C++ function for shape")),
    "letters that make no sense": Bad(
        c_library('OPERATOR("bad_input::letters", .schema = "(Tensor x) -> Tensor", .parameter_letters = "forward:??"),'),
        ValueError, ("operator bad_input::letters of", "has (Tensor, Tensor)")),
}


def file_name_of(case):
    return re.sub(r"\W", "_", case)


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
@pytest.mark.parametrize("case", REFUSED)
def test_libraries_that_are_refused(builds, case):
    bad = REFUSED[case]
    refused(builds.c(f"refused_{file_name_of(case)}", bad.source), bad.exception, *bad.words)


@pytest.mark.parametrize("taken", ["bad_input_good::one", "bad_input_plain"])
def test_a_name_that_another_library_has(builds, good, taken):
    path = builds.c(f"takes_{file_name_of(taken)}", c_library(f'OPERATOR("bad_input::untaken"), OPERATOR("{taken}"),'))
    refused(path, ValueError, taken, str(good), str(path))


@pytest.mark.parametrize("taken, word", [("bad_input_good", "bad_input_good"), ("bad_input_plain::f", "bad_input_plain")])
def test_a_namespace_is_no_operator(builds, good, taken, word):
    refused(builds.c(f"space_{file_name_of(taken)}", c_library(f'OPERATOR("{taken}"),')), ValueError,
            f"'{word}' is an operator and a namespace")


def test_a_name_that_an_operator_in_python_has(builds):
    @library.custom_op("bad_input_python::op")
    def op(x: torch_np.Tensor) -> torch_np.Tensor:
        return x.clone()

    path = builds.c("takes_pythons", c_library('OPERATOR("bad_input_python::op"),'))
    refused(path, ValueError, "bad_input_python::op", __file__, str(path))
    assert torch_np.ops.bad_input_python.op is op


def test_an_operator_in_python_takes_no_librarys_name(good):
    before = registered()
    with pytest.raises(ValueError, match=re.escape(str(good))):
        library.custom_op("bad_input_good::one", lambda x: x, schema="(Tensor x) -> Tensor")
    assert registered() == before


# ------------------------------------------------------------------------------------------------------ versions

def with_version(major, minor):
    return c_library(f'OPERATOR("bad_input_version::v{major}_{minor}"),')


@pytest.mark.parametrize("major, minor", [(0, 9), (2, 0), (-1, 0)])
def test_another_major_version_is_refused(builds, major, minor):
    flags = [f"-DTORCH_NP_EXTENSION_MAJOR={major}", f"-DTORCH_NP_EXTENSION_MINOR={minor}"]
    refused(builds.c(f"version_{major}_{minor}".replace("-", "m"), with_version("m", "n"), flags), RuntimeError,
            f"was built for version {major}.{minor} of torch_np/extension.h", "this is version 1.")


def test_a_newer_minor_version_is_accepted(builds):
    path = builds.c("version_1_99", with_version(1, 99), ["-DTORCH_NP_EXTENSION_MINOR=99"])
    assert library.load(path) == ["bad_input_version::v1_99"]


def test_functions_of_a_newer_minor_version_are_not_compared(builds):
    source = c_library('OPERATOR("bad_input_version::vmap", .schema = "(Tensor x) -> Tensor", .parameter_letters = "forward:TT;vmap:TiZ"),')
    assert library.load(builds.c("vmap", source)) == ["bad_input_version::vmap"]


def test_defaults_of_64_bits(builds):
    source = c_library('OPERATOR("bad_input::bits", .schema = "(Tensor x, int a=-9223372036854775808, int[] b=[9223372036854775807], '
                       'float c=99999999999999999999, int[]? d=None) -> Tensor"),')
    library.load(builds.c("bits", source))
    assert torch_np.ops.bad_input.bits(torch_np.ones(2)).shape == (2,)


def test_tables_of_a_newer_minor_version_are_larger(builds):
    """Structures grow at their ends: members known to this version keep their offsets."""
    source = c_library('{OPERATOR("bad_input_version::grown", .schema = "(Tensor x) -> Tensor", .size = sizeof(struct Grown)), {1, 2}},')
    source = source.replace("static const TorchNpOperator tables", "struct Grown { TorchNpOperator known; void* added[2]; };\n"
                            "static const struct Grown tables").replace("all[i] = &tables[i]", "all[i] = &tables[i].known")
    source = source.replace("{1, 2}", "{(void*)1, (void*)2}")
    library.load(builds.c("grown", source))
    assert torch_np.ops.bad_input_version.grown(torch_np.ones(3)).shape == (3,)


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
def test_initialize_may_refuse(builds):
    start = '#include <torch_np/extension.h>\nusing namespace torch_np;\nvoid f(Tensor, Tensor) {}\n'
    operator = 'TORCH_NP_OP("bad_input::initialized(Tensor x) -> Tensor", f);\nextern "C" MXReturnValue initialize(int version) { %s }\n'
    refused(builds.cpp("refuses", start + operator % "return version < 1 << 30 ? MX_FAIL : MX_SUCCESS;"), RuntimeError,
            "initialize() refused version")
    refused(builds.cpp("throws", start + operator % 'throw ValueError("not on " + std::to_string(version * 0));'), ValueError, "not on 0")
    refused(builds.cpp("says_so", start + operator % 'throw std::runtime_error("the library /x cannot be opened: no");'), RuntimeError,
            "the library /x cannot be opened: no")


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
def test_functions_for_a_device_that_there_is_not(builds):
    """The error occurs while the loader runs static initializers, where an exception would end the
    process."""
    start = "#include <torch_np/extension.h>\nusing namespace torch_np;\nstatic void f(Tensor, Tensor) {}\n"
    refused(builds.cpp("device_by_schema", start + 'TORCH_NP_OP("bad_input::device(Tensor x) -> Tensor", f).forward(f, "tpu");\n'), ValueError,
            "operator bad_input::device: no device 'tpu': expected 'cpu' or 'gpu'")
    start += "static MXReturnValue g(const Attributes&, MXTensors&, MXTensors&) { return MX_SUCCESS; }\n"
    refused(builds.cpp("device_by_setters", start + 'REGISTER_OP(bad_input_device).setForward(g, "cpu").setBackward(g, "");\n'), ValueError,
            "operator bad_input_device: no device ''")


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
def test_null_for_a_text(builds):
    start = "#include <torch_np/extension.h>\nusing namespace torch_np;\nstatic void f(Tensor, Tensor) {}\n"
    refused(builds.cpp("null_schema", start + "TORCH_NP_OP(nullptr, f);\n"), ValueError, "operator number 0 of its table has no name")
    refused(builds.cpp("null_device", start + 'TORCH_NP_OP("bad_input::null(Tensor x) -> Tensor", f).forward(f, nullptr);\n'), ValueError,
            "operator bad_input::null: no device ''")
    start += ('TORCH_NP_OP("bad_input::no_doc(Tensor x) -> Tensor", f).doc("some").doc(nullptr);\n'
              "static MXReturnValue g(const Attributes&, MXTensors&, MXTensors&) { return MX_SUCCESS; }\n")
    library.load(builds.cpp("null_doc", start + 'REGISTER_OP(bad_input_no_doc).setForward(g, "cpu").setDoc(nullptr);\n'))
    assert torch_np.ops.bad_input.no_doc.__doc__ is None and torch_np.ops.bad_input_no_doc.__doc__ is None


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
def test_an_entry_that_throws(builds):
    source = ("#define TORCH_NP_EXTENSION_C_ONLY\n#include <torch_np/extension.h>\n#include <stdexcept>\n"
              "extern \"C\" {\n__attribute__((visibility(\"default\"))) extern const int32_t torch_np_extension_version[2] = {1, 0};\n"
              "__attribute__((visibility(\"default\"))) const TorchNpLibrary* torch_np_extension_library(const TorchNpHost*, void*) {\n"
              "  throw %s;\n}\n}\n")
    refused(builds.cpp("entry_throws", source % 'std::runtime_error("no entry")'), RuntimeError, "no entry")
    refused(builds.cpp("entry_throws_an_int", source % "3"), RuntimeError, "not a std::exception")


# ------------------------------------------------------------------------------------------------------ files that change

def test_a_library_that_was_loaded_and_has_changed(builds, tmp_path):
    path, copy = tmp_path / "libchanged.so", tmp_path / "copy"
    shutil.copy(builds.c("changed", c_library('OPERATOR("bad_input_changed::before"),')), path)
    library.load(path)
    before = registered()
    assert library.load(path) == ["bad_input_changed::before"]  # loaded already: nothing happens
    assert registered() == before
    shutil.copy(builds.c("changed_after", c_library('OPERATOR("bad_input_changed::after"),')), copy)
    os.replace(copy, path)
    refused(str(path), OSError, "changed since")


def test_a_library_that_was_refused_may_be_built_again(builds, tmp_path):
    path, copy = tmp_path / "librepaired.so", tmp_path / "copy"
    shutil.copy(builds.c("broken", c_library('OPERATOR("bad_input_repaired::op", .schema = "nonsense"),')), path)
    refused(str(path), ValueError, "operator bad_input_repaired::op of")
    shutil.copy(builds.c("repaired", c_library('OPERATOR("bad_input_repaired::op", .schema = "(Tensor x) -> Tensor"),')), copy)
    os.replace(copy, path)
    assert library.load(path) == ["bad_input_repaired::op"]
    assert torch_np.ops.bad_input_repaired.op(torch_np.ones(2)).shape == (2,)


def test_a_path_may_be_of_bytes_and_of_any_letters(builds, tmp_path):
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)
    path = folder + b"/lib\xe4.so"
    shutil.copy(builds.c("letters", c_library('OPERATOR("bad_input_path::letters"),')), path)
    assert library.load(path) == ["bad_input_path::letters"]
    assert library.list()[-1].path == os.fsdecode(os.path.realpath(path))
    shutil.copy(builds.c("letters_twice", c_library('OPERATOR("bad_input_path::a"), OPERATOR("bad_input_path::a"),')), path + b"2")
    with pytest.raises(ValueError, match="several operators of the same name"):
        library.load(path + b"2")


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
def test_a_library_that_was_refused_and_that_the_loader_keeps(builds, tmp_path):
    """The dynamic loader never unloads a library with a unique symbol, and would return the old
    file for the new one."""
    source = ("#include <torch_np/extension.h>\ntemplate <class T> struct Unique { static T value; };\ntemplate <class T> T Unique<T>::value;\n"
              "void f(torch_np::Tensor, torch_np::Tensor) { ++Unique<int>::value; }\nTORCH_NP_OP(\"bad_input_kept::op%s\", f);\n")
    path, copy = tmp_path / "libkept.so", tmp_path / "copy"
    shutil.copy(builds.cpp("kept", source % "(Nothing) -> Tensor", flags=["-fvisibility=default"]), path)
    refused(str(path), ValueError, "operator bad_input_kept::op of")
    refused(str(path), ValueError, "operator bad_input_kept::op of")
    shutil.copy(builds.cpp("not_kept", source % "(Tensor x) -> Tensor", flags=["-fvisibility=default"]), copy)
    os.replace(copy, path)
    refused(str(path), OSError, "changed since")


# ------------------------------------------------------------------------------------------------------ operators in C that misbehave

class Misbehaves(NamedTuple):
    member: str      # a function of the operator
    body: str
    exception: type
    words: tuple[str, ...]
    more: str = ""   # further members of the table
    arguments: int = 1


def at_infer(arguments, exception, *words, function="set_output_shape", **more):
    return Misbehaves("infer", f"return call->host->{function}(call->context, {arguments});", exception, words, **more)


def at_forward(body, exception, *words):
    return Misbehaves("forward_cpu", body, exception, words)


def at_gradient(body, exception, *words):
    return Misbehaves("gradient", body, exception, words)


def calls(body, exception, *words, arguments='"sin", 1, &v, 0, 0, 4, made, &n'):
    """A call of host->call with the argument `v`: the input, or the result of `body`."""
    start = ('TorchNpValue v = {0}; void* made[4]; int64_t n; UNUSED const char* names[] = {"axis"};\n'
             "v.kind = TORCH_NP_TENSOR; v.as.handle = call->input_handles[0];\n")
    return at_gradient(f"{start}{body} return call->host->call(call->context, {arguments});", exception, *words)


HERE_NOT = "cannot be called here"
STATE = ".delete_state = forget"
MISBEHAVE = {
    # Calls of host functions with invalid arguments.
    "shape of output 99": at_infer("99, 0, 0", ValueError, "describes output 99, but the number of outputs is 1"),
    "shape of output -1": at_infer("-1, 0, 0", ValueError, "describes output -1, but the number of outputs is 1"),
    "dtype of output 99": at_infer("99, 2, 32", ValueError, "describes output 99, but the number of outputs is 1", function="set_output_dtype"),
    "-1 dimensions": at_infer("0, -1, call->inputs[0].shape", ValueError, "-1 dimensions"),
    "1000 dimensions": at_infer("0, 1000, call->inputs[0].shape", ValueError, "1000 dimensions"),
    "no shape": at_infer("0, 1, 0", ValueError, "1 dimensions"),
    "negative shape": Misbehaves("infer", "int64_t s[] = {3, -2}; return call->host->set_output_shape(call->context, 0, 2, s);",
                                 ValueError, ("the shape (3, -2)",)),
    "shape without end": Misbehaves("infer", "int64_t s[] = {1LL << 40, 1LL << 40}; "
                                    "return call->host->set_output_shape(call->context, 0, 2, s);", RuntimeError, ("set_output_shape",)),
    "bytes without end": Misbehaves("infer", "int64_t s[] = {1LL << 62}; return call->host->set_output_shape(call->context, 0, 1, s);",
                                    ValueError, ("output 0 of shape (4611686018427387904,) is larger than an address",)),
    "more memory than there is": Misbehaves("infer", "int64_t s[] = {1LL << 52}; "
                                            "return call->host->set_output_shape(call->context, 0, 1, s);",
                                            MemoryError, ("output 0 of shape (4503599627370496,)",)),
    "an unknown dtype": at_infer("0, 2, 77", TypeError, "dtype of code 2 with 77 bits", function="set_output_dtype"),
    "negative counts": at_infer("-1, -1", ValueError, "-1 inputs and -1 outputs", function="set_counts"),
    "huge counts": at_infer("1, 1LL << 40", ValueError, "1099511627776 outputs", function="set_counts"),
    "other inputs than there are": at_infer("2, 1", TypeError, "it takes 2 inputs, but 1 was given", function="set_counts"),
    "results that a schema has not": at_infer("1, 3", ValueError, "describes 3 results, its schema 1", function="set_counts",
                                              more='.schema = "(Tensor x) -> Tensor"'),
    "memory during shape inference": Misbehaves("infer", "return call->host->allocate(call->context, 1, 8) == 0;", RuntimeError,
                                                ("allocate " + HERE_NOT,)),
    "mutated inputs during shape inference": at_infer("0", RuntimeError, "set_mutated " + HERE_NOT, function="set_mutated"),
    "a state during shape inference": at_infer("(void*)8", RuntimeError, "set_state " + HERE_NOT, function="set_state"),
    "a gradient during shape inference": at_infer("0, 0", RuntimeError, "set_gradient " + HERE_NOT, function="set_gradient"),
    "outputs of no inputs": Misbehaves("infer", "return nothing(op, call);", ValueError, ("output 0 of 1 was given no shape",), arguments=0),
    "parse_attributes fails": Misbehaves("parse_attributes", "return 7;", RuntimeError, ("parseAttrs: it failed and did not say why",)),
    "parse_attributes says nothing": Misbehaves("parse_attributes", "return nothing(op, call);", ValueError, ("sets no numbers",)),
    "parse_attributes wants others": Misbehaves("parse_attributes", "return call->host->set_counts(call->context, 3, 1);", TypeError,
                                                ("it takes 3 inputs, but 1 was given",)),
    "parse_attributes gives shapes": Misbehaves("parse_attributes", "return call->host->set_output_shape(call->context, 0, 0, 0);",
                                                RuntimeError, ("set_output_shape " + HERE_NOT,)),
    "mutates input 5": Misbehaves("mutate_inputs", "return call->host->set_mutated(call->context, 5);", ValueError, ("names input 5 of 1",)),
    "mutates input -1": Misbehaves("mutate_inputs", "return call->host->set_mutated(call->context, -1);", ValueError, ("names input -1 of 1",)),
    "mutate_inputs fails": Misbehaves("mutate_inputs", "return fail(call, 1, \"no\");", ValueError, ("mutateInputs: no",)),
    "create_state fails": Misbehaves("create_state", "return -1;", RuntimeError, ("createOpState: it failed",), STATE),
    "create_state gives nothing": Misbehaves("create_state", "return nothing(op, call);", RuntimeError, ("it returned no state",), STATE),
    "create_state gives null": Misbehaves("create_state", "return call->host->set_state(call->context, 0);", ValueError,
                                          ("expected one state that is not null",), STATE),
    "create_state gives two": Misbehaves("create_state", "return call->host->set_state(call->context, (void*)8) || "
                                         "call->host->set_state(call->context, (void*)16);", ValueError, ("expected one state",), STATE),
    "create_state mutates": Misbehaves("create_state", "return call->host->set_mutated(call->context, 1 << 30);", RuntimeError,
                                       ("set_mutated " + HERE_NOT,), STATE),
    "forward fails": at_forward("return 1;", RuntimeError, "forward: it failed and did not say why"),
    "forward fails by another number": at_forward("return INT32_MIN;", RuntimeError, "forward: it failed and did not say why"),
    "forward fails with a reason": at_forward("return fail(call, TORCH_NP_TYPE_ERROR, \"a reason\");", TypeError, "forward: a reason"),
    "forward fails with null": at_forward("return fail(call, TORCH_NP_MEMORY_ERROR, 0);", MemoryError, "forward: no message"),
    "forward fails without words": at_forward("return fail(call, TORCH_NP_VALUE_ERROR, \"\");", ValueError, "did not say why"),
    "forward fails in Latin-1": at_forward("return fail(call, TORCH_NP_VALUE_ERROR, \"na\\xefve\");", ValueError, "na\ufffdve"),
    "forward fails in no kind": at_forward("return fail(call, 1 << 30, \"odd\");", RuntimeError, "forward: odd"),
    "2^63 bytes": at_forward("return call->host->allocate(call->context, 1, 1ULL << 63) == 0;", MemoryError, "9223372036854775808 bytes"),
    "2^62 bytes": at_forward("return call->host->allocate(call->context, 1, 1ULL << 62) == 0;", MemoryError, "allocate"),
    "memory of a GPU": at_forward("return call->host->allocate(call->context, 2, 8) == 0;", ValueError, "no memory of device type 2"),
    "memory of no device": at_forward("return call->host->allocate(call->context, -1, 8) == 0;", ValueError, "device type -1"),
    "random numbers nowhere": at_forward("return call->host->random_bits(call->context, 0, 8);", ValueError, "without a buffer"),
    "-1 random numbers": at_forward("uint64_t b; return call->host->random_bits(call->context, &b, -1);", ValueError, "without a buffer"),
    "a random key nowhere": at_forward("return call->host->random_key(call->context, 0);", ValueError, "without a buffer"),
    "forward gives shapes": at_forward("return call->host->set_output_shape(call->context, 0, 0, 0);", RuntimeError,
                                       "set_output_shape " + HERE_NOT),
    "forward calls": at_forward("int64_t n; return call->host->call(call->context, \"sin\", 0, 0, 0, 0, 0, 0, &n);", RuntimeError,
                                "call " + HERE_NOT),
    # Derivatives.
    "backward fails": Misbehaves("backward_cpu", "return fail(call, TORCH_NP_VALUE_ERROR, \"no way back\");", ValueError,
                                 ("backward: no way back",)),
    "no backward": Misbehaves("", "", NotImplementedError, ("it has no derivative for device 'cpu'",)),
    "gradient fails": at_gradient("return 1;", RuntimeError, "gradient: it failed"),
    "gradient of input 5": at_gradient("return call->host->set_gradient(call->context, 5, call->output_grad_handles[0]);", ValueError,
                                       "the gradient of input 5, but the number of inputs is 1"),
    "gradient of input -1": at_gradient("return call->host->set_gradient(call->context, -1, 0);", ValueError, "the gradient of input -1, but the number of inputs is 1"),
    "gradient of a foreign Tensor": at_gradient("int foreign = 0; return call->host->set_gradient(call->context, 0, &foreign);", ValueError,
                                                "not a Tensor of this call"),
    "gradient of another shape": calls(
        'if (call->host->call(call->context, "sum", 1, &v, 0, 0, 4, made, &n) == 0) '
        "return call->host->set_gradient(call->context, 0, made[0]);", ValueError, "that of input 0 has the shape (), expected (2, 3)"),
    "describes a foreign Tensor": at_gradient("TorchNpTensor t; return call->host->describe(call->context, &t, &t);", ValueError,
                                              "an undefined tensor"),
    "describes null": at_gradient("TorchNpTensor t; return call->host->describe(call->context, 0, &t);", ValueError, "an undefined tensor"),
    "describes into nothing": at_gradient("return call->host->describe(call->context, call->input_handles[0], 0);", ValueError,
                                          "an undefined tensor"),
    "memory in a gradient of operators": at_gradient("return call->host->allocate(call->context, 1, 8) == 0;", RuntimeError,
                                                     "allocate " + HERE_NOT),
    "calls an unknown operator": calls("", ValueError, "neither an operator nor a function of torch_np called no::such", arguments='"no::such", 1, &v, 0, 0, 4, made, &n'),
    "calls an operator of no name": calls("", ValueError, "no name", arguments='0, 1, &v, 0, 0, 4, made, &n'),
    "calls an operator of an empty name": calls("", ValueError, "no name", arguments='"", 1, &v, 0, 0, 4, made, &n'),
    "calls what is no function": calls("", TypeError, "__name__", arguments='"__name__", 1, &v, 0, 0, 4, made, &n'),
    "calls what gives no Tensor": calls("", TypeError, "is_tensor returned bool, expected a Tensor", arguments='"is_tensor", 1, &v, 0, 0, 4, made, &n'),
    "calls without arguments": calls("", TypeError, "sin", arguments='"sin", 0, 0, 0, 0, 4, made, &n'),
    "calls with arguments nowhere": calls("", ValueError, "call:", arguments='"sin", 1, 0, 0, 0, 4, made, &n'),
    "calls with -1 arguments": calls("", ValueError, "wrong number", arguments='"sin", -1, &v, 0, 0, 4, made, &n'),
    "calls with more names than arguments": calls("", ValueError, "wrong number", arguments='"sin", 1, &v, 2, names, 4, made, &n'),
    "calls with names nowhere": calls("", ValueError, "call:", arguments='"sin", 1, &v, 1, 0, 4, made, &n'),
    "calls with a name that is null": calls('names[0] = 0; ', ValueError, "has no name", arguments='"sin", 1, &v, 1, names, 4, made, &n'),
    "calls with an unknown name": calls("", TypeError, "axis", arguments='"sin", 1, &v, 1, names, 4, made, &n'),
    "calls with a Tensor that is none": calls("v.as.handle = &v;", ValueError, "not a Tensor of this call"),
    "calls with null": calls("v.as.handle = 0;", ValueError, "not a Tensor of this call"),
    "calls with an index for a handle": calls("v.as.handle = 0; v.as.integer = 1;", ValueError, "not a Tensor of this call"),
    "calls with Tensors that are none": calls("v.kind = TORCH_NP_TENSORS; void* two[] = {&v, 0}; v.count = 2; v.as.handles = two;",
                                              ValueError, "not a Tensor of this call"),
    "calls with a list nowhere": calls("v.kind = TORCH_NP_INTS; v.count = 3; v.as.int_list = 0;", ValueError, "a list of 3 elements"),
    "calls with a list of -1": calls("v.kind = TORCH_NP_FLOATS; v.count = -1;", ValueError, "a list of -1 elements"),
    "calls with text nowhere": calls("v.kind = TORCH_NP_STRING; v.count = 1LL << 40; v.as.string = \"short\";", ValueError,
                                     "a list of 1099511627776 elements"),
    "calls with what is no text": calls('v.kind = TORCH_NP_STRING; v.count = 1; v.as.string = "\\xff";', ValueError, "sin"),
    "calls with an unknown kind": calls("v.kind = 77;", TypeError, "unknown kind 77"),
    "calls with the wrong type": calls("v.kind = TORCH_NP_BOOLS; v.count = 0;", TypeError, "sin"),
    "calls with no room": calls("", ValueError, "expected 0 at most", arguments='"sin", 1, &v, 0, 0, 0, made, &n'),
    "calls with room nowhere": calls("", ValueError, "call:", arguments='"sin", 1, &v, 0, 0, 4, 0, &n'),
    "calls with no number": calls("", ValueError, "call:", arguments='"sin", 1, &v, 0, 0, 4, made, 0'),
}


def name_of(case):
    return "op_" + re.sub(r"\W", lambda c: "m" if c[0] == "-" else "_", case)


@pytest.fixture(scope="module")
def misbehaving(builds):
    functions, tables = "", ""
    for case, bad in MISBEHAVE.items():
        c_name = f"f_{name_of(case)}"
        member = f".{bad.member} = {c_name}, " if bad.member else ""
        if bad.member:
            functions += (f"static int32_t {c_name}(const TorchNpOperator* op, const TorchNpCall* call) {{\n  (void)op; (void)call;\n"
                          f"  {bad.body}\n}}\n")
        tables += (f'{{.size = sizeof(TorchNpOperator), .name = "misbehaves::{name_of(case)}", '
                   f'{"" if bad.member == "forward_cpu" else ".forward_cpu = nothing, "}{member}{bad.more}}},\n')
    path = builds.c("misbehaves", c_library(tables, functions))
    library.load(path)
    return path


def raises_by_name(function, exception, *words):
    with pytest.raises(exception) as raised:
        function()
    message = str(raised.value)
    for word in words:
        assert word in message, message
    return raised


@pytest.mark.parametrize("case", MISBEHAVE)
def test_operators_that_misbehave(misbehaving, case):
    bad = MISBEHAVE[case]
    inputs = [torch_np.ones((2, 3), requires_grad=True) for _ in range(bad.arguments)]
    prefix = f"misbehaves::{name_of(case)}() of libmisbehaves.so: "
    derivative = bad.member in ("backward_cpu", "gradient", "")
    if bad.member == "mutate_inputs":
        inputs = [x.detach() for x in inputs]

    def run():
        result = getattr(torch_np.ops.misbehaves, name_of(case))(*inputs)
        if derivative:
            result.sum().backward()

    for _ in range(2):  # an error leaves no state that the next call would see
        raised = raises_by_name(run, bad.exception, *bad.words, prefix)
        assert raised.type is bad.exception
    if bad.member != "gradient" and not derivative:
        arrays = [np.ones((2, 3)) for _ in inputs]
        raises_by_name(lambda: getattr(np._ops.misbehaves, name_of(case))(*arrays), bad.exception, *bad.words, prefix)
    assert all(x.grad is None for x in inputs)


def test_what_a_host_function_refused_is_not_believed(builds):
    """An operator that continues after an error gets the result of its last valid call."""
    body = ("int64_t s[] = {2, 2};\n  call->host->set_output_shape(call->context, 0, 2, s);\n  s[1] = -2;\n"
            "  call->host->set_output_shape(call->context, 0, 2, s);\n  call->host->set_output_shape(call->context, 0, 99, s);\n"
            "  call->host->set_output_dtype(call->context, 0, 9, 9);\n  call->host->set_counts(call->context, -1, -1);\n  return 0;\n")
    source = c_library('OPERATOR("bad_input_goes_on::op", .infer = goes_on),',
                       f"static int32_t goes_on(const TorchNpOperator* op, const TorchNpCall* call) {{\n  (void)op;\n  {body}}}\n")
    library.load(builds.c("goes_on", source))
    y = torch_np.ops.bad_input_goes_on.op(torch_np.ones(3, dtype=torch_np.int16))
    assert y.shape == (2, 2) and y.dtype is torch_np.int16


def test_functions_of_c_that_throw(builds):
    """A library in C++ may violate the rule that no exception crosses the C interface."""
    members = ["parse_attributes", "infer", "mutate_inputs", "create_state", "forward_cpu", "backward_cpu", "gradient"]
    source = "#define TORCH_NP_EXTENSION_C_ONLY\n#include <torch_np/extension.h>\n#include <stdexcept>\n#include <vector>\n#define EXPORTED __attribute__((visibility(\"default\")))\n"
    source += ("static int32_t nothing(const TorchNpOperator*, const TorchNpCall*) { return 0; }\n"
               "static int32_t thrown(const TorchNpOperator*, const TorchNpCall*) { throw std::runtime_error(\"thrown here\"); }\n"
               "static int32_t number(const TorchNpOperator*, const TorchNpCall*) { throw 5; }\n"
               "static void forget(const TorchNpOperator*, void*) {}\n"
               "static TorchNpOperator table(const char* name) {\n  TorchNpOperator t{};\n  t.size = sizeof(t), t.name = name;\n"
               "  t.forward_cpu = nothing, t.delete_state = forget;\n  return t;\n}\nextern \"C\" {\n" + C_VERSION.replace("EXPORTED", "EXPORTED extern") +
               C_ENTRY + "  static std::vector<TorchNpOperator> all;\n  static std::vector<const TorchNpOperator*> tables;\n")
    for member in members:
        for function in ("thrown", "number"):
            source += f'  all.push_back(table("bad_input_throws::{function}_{member}")), all.back().{member} = {function};\n'
    source += ("  for (auto& t : all) tables.push_back(&t);\n  static TorchNpLibrary library;\n"
               "  library = {sizeof(library), (int64_t)all.size(), tables.data()};\n  return &library;\n}\n}\n")
    library.load(builds.cpp("throws_in_c", source))
    for member in members:
        for function, words in (("thrown", "thrown here"), ("number", "not a std::exception")):
            x = torch_np.ones(2, requires_grad=member in ("backward_cpu", "gradient"))

            def run():
                y = getattr(torch_np.ops.bad_input_throws, f"{function}_{member}")(x)
                if x.requires_grad:
                    y.sum().backward()

            raises_by_name(run, RuntimeError, words, f"bad_input_throws::{function}_{member}() of libthrows_in_c.so: ")


# ------------------------------------------------------------------------------------------------------ operators in C++ that misbehave

CPP = r"""
#include <torch_np/extension.h>
#include <new>
#include <stdexcept>
using namespace torch_np;
using Ints = std::vector<int>;
using Shapes = std::vector<std::vector<int64_t>>;
static MXReturnValue forward(const Attributes&, MXTensors&, MXTensors&) { return MX_SUCCESS; }
static void nothing(Tensor, Tensor) {}

// Exceptions of C++.
struct Odd {};
template <int what>
static MXReturnValue throws(const Attributes&, MXTensors& inputs, MXTensors&) {
  if (what == 0) throw 3;
  if (what == 1) throw std::runtime_error("runtime");
  if (what == 2) throw std::bad_alloc();
  if (what == 3) throw ValueError("a value");
  if (what == 4) throw TypeError("a type");
  if (what == 5) throw "text";
  if (what == 6) throw Odd();
  if (what == 7) throw Error(TORCH_NP_NOT_IMPLEMENTED_ERROR, "not yet");
  if (what == 8) throw Error(1234, "of no kind");
  if (what == 9) throw Failed();
  if (what == 10) std::vector<int>().at(3);
  if (what == 11) inputs.at(0).data<double>();
  if (what == 12) Tensor(&inputs.at(0).dltensor).size(7);
  return MX_FAIL;
}
REGISTER_OP(throws_int).setForward(throws<0>, "cpu");
REGISTER_OP(throws_runtime_error).setForward(throws<1>, "cpu");
REGISTER_OP(throws_bad_alloc).setForward(throws<2>, "cpu");
REGISTER_OP(throws_value_error).setForward(throws<3>, "cpu");
REGISTER_OP(throws_type_error).setForward(throws<4>, "cpu");
REGISTER_OP(throws_text).setForward(throws<5>, "cpu");
REGISTER_OP(throws_a_struct).setForward(throws<6>, "cpu");
REGISTER_OP(throws_not_implemented).setForward(throws<7>, "cpu");
REGISTER_OP(throws_of_no_kind).setForward(throws<8>, "cpu");
REGISTER_OP(throws_failed).setForward(throws<9>, "cpu");
REGISTER_OP(throws_out_of_range).setForward(throws<10>, "cpu");
REGISTER_OP(reads_another_dtype).setForward(throws<11>, "cpu");
REGISTER_OP(reads_another_dimension).setForward(throws<12>, "cpu");
REGISTER_OP(fails).setForward(throws<13>, "cpu");

// Functions that describe the call.
template <int in, int out>
static MXReturnValue counts(const Attributes&, int* inputs, int* outputs) { *inputs = in, *outputs = out; return MX_SUCCESS; }
REGISTER_OP(takes_two).setForward(forward, "cpu").setParseAttrs(counts<2, 1>);
REGISTER_OP(takes_minus_one).setForward(forward, "cpu").setParseAttrs(counts<-1, 1>);
REGISTER_OP(gives_minus_one).setForward(forward, "cpu").setParseAttrs(counts<1, -1>);
REGISTER_OP(gives_billions).setForward(forward, "cpu").setParseAttrs(counts<1, 2000000000>);
REGISTER_OP(reads_attributes).setForward(forward, "cpu").setParseAttrs([](Attributes attrs, int* inputs, int* outputs) {
  *inputs = *outputs = std::stoi(attrs.at("n"));
  return MX_SUCCESS;
});
REGISTER_OP(refuses_attributes).setForward(forward, "cpu").setParseAttrs([](const Attributes&, int*, int*) { return MX_FAIL; });
REGISTER_OP(negative_shape).setForward(forward, "cpu").setInferShape([](const Attributes&, Shapes&, Shapes& out) {
  out[0] = {2, -1};
  return MX_SUCCESS;
});
REGISTER_OP(huge_shape).setForward(forward, "cpu").setInferShape([](const Attributes&, Shapes&, Shapes& out) {
  out[0] = {INT64_MAX, INT64_MAX};
  return MX_SUCCESS;
});
REGISTER_OP(hundred_dimensions).setForward(forward, "cpu").setInferShape([](const Attributes&, Shapes&, Shapes& out) {
  out[0].assign(100, 1);
  return MX_SUCCESS;
});
REGISTER_OP(two_shapes_for_one).setForward(forward, "cpu").setInferShape([](const Attributes&, Shapes& in, Shapes& out) {
  out = {in[0], in[0]};
  return MX_SUCCESS;
});
REGISTER_OP(no_shape_for_one).setForward(forward, "cpu").setInferShape([](const Attributes&, Shapes&, Shapes& out) {
  out.clear();
  return MX_SUCCESS;
});
REGISTER_OP(refuses_shapes).setForward(forward, "cpu").setInferShape([](const Attributes&, Shapes&, Shapes&) { return MX_FAIL; });
REGISTER_OP(refuses_types).setForward(forward, "cpu").setInferType([](const Attributes&, Ints&, Ints&) { return MX_FAIL; });
REGISTER_OP(floats_only).setForward(forward, "cpu").setInferType([](const Attributes&, Ints& in, Ints& out) {
  if (in[0] != kFloat32) throw TypeError("expected float32, got " + dtype_name(in[0]));
  out[0] = in[0];
  return MX_SUCCESS;
});
REGISTER_OP(type_zero).setForward(forward, "cpu").setInferType([](const Attributes&, Ints&, Ints& out) { out[0] = 0; return MX_SUCCESS; });
REGISTER_OP(no_types).setForward(forward, "cpu").setInferType([](const Attributes&, Ints&, Ints& out) { out.clear(); return MX_SUCCESS; });
REGISTER_OP(two_types).setForward(forward, "cpu").setInferType([](const Attributes&, Ints& in, Ints& out) {
  out = {in[0], in[0]};
  return MX_SUCCESS;
});
template <int which>
static MXReturnValue mutates(const Attributes&, Ints& indices) {
  indices = {which};
  return which == 77 ? MX_FAIL : MX_SUCCESS;
}
REGISTER_OP(mutates_9).setForward(forward, "cpu").setMutateInputs(mutates<9>);
REGISTER_OP(mutates_minus_1).setForward(forward, "cpu").setMutateInputs(mutates<-1>);
REGISTER_OP(refuses_mutating).setForward(forward, "cpu").setMutateInputs(mutates<77>);
REGISTER_OP(mutates_first).setForward(forward, "cpu").setMutateInputs(mutates<0>);

// States.
class State : public CustomStatefulOp {
 public:
  explicit State(int what) : what_(what) {}
  MXReturnValue Forward(MXTensors&, MXTensors&, const OpResource&) override {
    if (what_ == 1) throw 3;
    return what_ == 2 ? MX_FAIL : MX_SUCCESS;
  }
  MXReturnValue Backward(MXTensors&, MXTensors&, const OpResource&) override {
    if (what_ == 3) throw ValueError("no way back");
    return MX_FAIL;
  }
  int what_;
};
class OneWay : public CustomStatefulOp {
  MXReturnValue Forward(MXTensors&, MXTensors&, const OpResource&) override { return MX_SUCCESS; }
};
template <int what>
static MXReturnValue makes(const Attributes&, CustomStatefulOp** state) {
  if (what == 10) return MX_SUCCESS;
  if (what == 13) throw std::runtime_error("no state today");
  *state = what == 12 ? static_cast<CustomStatefulOp*>(new OneWay) : new State(what);
  return what == 11 ? MX_FAIL : MX_SUCCESS;
}
REGISTER_OP(state_forward_throws).setCreateOpState(makes<1>);
REGISTER_OP(state_forward_fails).setCreateOpState(makes<2>);
REGISTER_OP(state_backward_throws).setCreateOpState(makes<3>);
REGISTER_OP(state_backward_fails).setCreateOpState(makes<4>);
REGISTER_OP(state_null).setCreateOpState(makes<10>);
REGISTER_OP(state_fails).setCreateOpState(makes<11>);
REGISTER_OP(state_one_way).setCreateOpState(makes<12>);
REGISTER_OP(state_throws).setCreateOpState(makes<13>);

// Derivatives.
REGISTER_OP(no_backward).setForward(forward, "cpu").setBackward(nullptr, "cpu");
REGISTER_OP(backward_fails).setForward(forward, "cpu").setBackward(throws<13>, "cpu");
REGISTER_OP(backward_throws).setForward(forward, "cpu").setBackward(throws<3>, "cpu");
REGISTER_OP(two_gradients_for_one).setForward(forward, "cpu").setGradient([](const Attributes&, const Graph& g) {
  return std::vector<Value>{g.grad(), g.grad()};
});
REGISTER_OP(no_gradient_for_one).setForward(forward, "cpu").setGradient([](const Attributes&, const Graph&) { return std::vector<Value>(); });
REGISTER_OP(gradient_of_output_9).setForward(forward, "cpu").setGradient([](const Attributes&, const Graph& g) {
  return std::vector<Value>{g.grad(9)};
});
REGISTER_OP(gradient_throws).setForward(forward, "cpu").setGradient([](const Attributes&, const Graph&) -> std::vector<Value> { throw 3; });
REGISTER_OP(gradient_calls_wrongly).setForward(forward, "cpu").setGradient([](const Attributes&, const Graph& g) {
  return std::vector<Value>{g.call("matmul", g.grad())};
});
REGISTER_OP(gradient_calls_what_is_not_there).setForward(forward, "cpu").setGradient([](const Attributes&, const Graph& g) {
  return std::vector<Value>{g.call("such_an_operator", g.grad())};
});
REGISTER_OP(gradient_calls_what_gives_two).setForward(forward, "cpu").setGradient([](const Attributes&, const Graph& g) {
  return std::vector<Value>{g.call("linalg.qr", g.grad())};
});
REGISTER_OP(gradient_calls_by_name_first).setForward(forward, "cpu").setGradient([](const Attributes&, const Graph& g) {
  return std::vector<Value>{g.call("add", Argument("input", g.grad()), g.grad())};
});
REGISTER_OP(gradient_calls_one_that_fails).setForward(forward, "cpu").setGradient([](const Attributes&, const Graph& g) {
  return std::vector<Value>{g.call("throws_value_error", g.grad())};
});

// By a schema.
static Shape bad_shape(Tensor x) { return {x.size(0), -5}; }
static std::vector<Spec> three(Tensor) { return {{{1}, kFloat32}, {{1}, kFloat32}, {{1}, kFloat32}}; }
static Shape throwing_shape(Tensor) { throw 3; }
static Spec bad_dtype(Tensor) { return {{1}, static_cast<Dtype>(12345)}; }
TORCH_NP_OP("by_schema(Tensor x) -> Tensor", nothing);
TORCH_NP_OP("by_schema_negative(Tensor x) -> Tensor", nothing).shape(bad_shape);
TORCH_NP_OP("by_schema_three(Tensor x) -> Tensor", nothing).shape(three);
TORCH_NP_OP("by_schema_throws(Tensor x) -> Tensor", nothing).shape(throwing_shape);
TORCH_NP_OP("by_schema_dtype(Tensor x) -> Tensor", nothing).shape(bad_dtype);
static void swap(Tensor, Tensor) {}
TORCH_NP_OP("swaps(Tensor(a!) x, Tensor(b!) y) -> ()", swap);
static void gpu_only(Tensor, Tensor) {}
TORCH_NP_OP("gpu_only(Tensor x) -> Tensor", static_cast<void (*)(Tensor, Tensor)>(nullptr)).forward(gpu_only, "gpu");
static void not_given(Tensor, Tensor y, Tensor) { y.ndim(); }
TORCH_NP_OP("not_given(Tensor x, Tensor? y=None) -> Tensor", not_given);
static void of_one(Tensor, Tensor) {}
static void gradient_of_one(const Gradient& g, Tensor) { g.input_grad(5); }
TORCH_NP_OP("gradient_of_5(Tensor x) -> Tensor", of_one).gradient(gradient_of_one);
"""


@pytest.fixture(scope="module")
def cpp(builds):
    library.load(builds.cpp("cpp", CPP, flags=["-Wno-unused-parameter"]))
    return torch_np.ops


class Call(NamedTuple):
    exception: type
    words: str
    attributes: dict[str, object] = {}
    inputs: int = 1
    dtype: object = torch_np.float32
    derivative: bool = False


CALLS = {
    "throws_int": Call(RuntimeError, "forward: an exception that is not a std::exception was thrown"),
    "throws_runtime_error": Call(RuntimeError, "forward: runtime"),
    "throws_bad_alloc": Call(MemoryError, "forward: out of memory"),
    "throws_value_error": Call(ValueError, "forward: a value"),
    "throws_type_error": Call(TypeError, "forward: a type"),
    "throws_text": Call(RuntimeError, "not a std::exception"),
    "throws_a_struct": Call(RuntimeError, "not a std::exception"),
    "throws_not_implemented": Call(NotImplementedError, "not yet"),
    "throws_of_no_kind": Call(RuntimeError, "of no kind"),
    "throws_failed": Call(RuntimeError, "it failed and did not say why"),
    "throws_out_of_range": Call(RuntimeError, "vector"),
    "reads_another_dtype": Call(TypeError, "expected float64, got float32"),
    "reads_another_dimension": Call(ValueError, "dimension 7 of an array of 2 dimensions"),
    "fails": Call(RuntimeError, "forward: forward failed"),
    "takes_two": Call(TypeError, "it takes 2 inputs, but 1 was given"),
    "takes_minus_one": Call(ValueError, "-1 inputs and 1 outputs"),
    "gives_minus_one": Call(ValueError, "1 inputs and -1 outputs"),
    "gives_billions": Call(ValueError, "2000000000 outputs"),
    "reads_attributes": Call(RuntimeError, "parseAttrs: stoi", {"n": "one"}),
    "refuses_attributes": Call(RuntimeError, "parseAttrs failed"),
    "negative_shape": Call(ValueError, "the shape (2, -1)"),
    "huge_shape": Call(RuntimeError, "set_output_shape"),
    "hundred_dimensions": Call(ValueError, "100 dimensions"),
    "two_shapes_for_one": Call(ValueError, "inferShape gave 2 results for 1 outputs"),
    "no_shape_for_one": Call(ValueError, "inferShape gave 0 results for 1 outputs"),
    "refuses_shapes": Call(ValueError, "inferShape failed"),
    "refuses_types": Call(TypeError, "inferType failed"),
    "floats_only": Call(TypeError, "expected float32, got int64", dtype=torch_np.int64),
    "type_zero": Call(TypeError, "dtype of code 0 with 0 bits"),
    "no_types": Call(ValueError, "inferType gave 0 results for 1 outputs"),
    "two_types": Call(ValueError, "inferType gave 2 results for 1 outputs"),
    "mutates_9": Call(ValueError, "names input 9 of 1"),
    "mutates_minus_1": Call(ValueError, "names input -1 of 1"),
    "refuses_mutating": Call(RuntimeError, "mutateInputs failed"),
    "mutates_first": Call(ValueError, "names input 0 of 0", inputs=0),
    "state_forward_throws": Call(RuntimeError, "not a std::exception"),
    "state_forward_fails": Call(RuntimeError, "Forward failed"),
    "state_backward_throws": Call(ValueError, "backward: no way back", derivative=True),
    "state_backward_fails": Call(RuntimeError, "Backward failed", derivative=True),
    "state_null": Call(RuntimeError, "createOpState gave no state"),
    "state_fails": Call(RuntimeError, "createOpState failed"),
    "state_one_way": Call(NotImplementedError, "no backward", derivative=True),
    "state_throws": Call(RuntimeError, "createOpState: no state today"),
    "no_backward": Call(NotImplementedError, "it has no derivative for device 'cpu'", derivative=True),
    "backward_fails": Call(RuntimeError, "backward: backward failed", derivative=True),
    "backward_throws": Call(ValueError, "backward: a value", derivative=True),
    "two_gradients_for_one": Call(ValueError, "gave 2 gradients for 1 inputs", derivative=True),
    "no_gradient_for_one": Call(ValueError, "gave 0 gradients for 1 inputs", derivative=True),
    "gradient_of_output_9": Call(ValueError, "number 9 of 1", derivative=True),
    "gradient_throws": Call(RuntimeError, "gradient: an exception that is not a std::exception", derivative=True),
    "gradient_calls_wrongly": Call(TypeError, "gradient: call: matmul: ", derivative=True),
    "gradient_calls_what_is_not_there": Call(ValueError, "called such_an_operator", derivative=True),
    "gradient_calls_what_gives_two": Call(TypeError, "linalg.qr gives 2 results, expected 1", derivative=True),
    "gradient_calls_by_name_first": Call(TypeError, "add: an argument by position after one by name", derivative=True),
    "gradient_calls_one_that_fails": Call(ValueError, "throws_value_error() of libcpp.so: forward: a value", derivative=True),
    "by_schema_negative": Call(ValueError, "the shape (2, -5)"),
    "by_schema_three": Call(ValueError, "describes 3 results, its schema 1"),
    "by_schema_throws": Call(RuntimeError, "shape function: an exception that is not a std::exception"),
    "by_schema_dtype": Call(TypeError, "dtype of code 48 with 57 bits"),
    "gpu_only": Call(NotImplementedError, "it has no function for device 'cpu'"),
    "not_given": Call(ValueError, "was not given"),
    "gradient_of_5": Call(ValueError, "number 5 of 1", derivative=True),
}


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
@pytest.mark.parametrize("op", CALLS)
def test_operators_in_cpp_that_misbehave(cpp, op):
    call = CALLS[op]
    inputs = [torch_np.ones((2, 2), dtype=call.dtype) for _ in range(call.inputs)]
    for x in inputs:
        x.requires_grad_(call.derivative)

    def run():
        result = getattr(cpp, op)(*inputs, **call.attributes)
        if call.derivative:
            result.sum().backward()

    for _ in range(2):
        assert raises_by_name(run, call.exception, call.words, f"{op}() of libcpp.so: ").type is call.exception


# ------------------------------------------------------------------------------------------------------ wrong calls

def test_attributes_that_do_not_parse(cpp):
    op = cpp.reads_attributes
    assert op(torch_np.ones(2), n="1").shape == op(torch_np.ones(2), n=1).shape == (2,)
    x = torch_np.ones(2)
    for attributes, exception, words in (({"n": "one"}, RuntimeError, "stoi"), ({"n": ""}, RuntimeError, "stoi"), ({}, RuntimeError, "at"),
                                         ({"n": None}, RuntimeError, "at"), ({"n": 1 << 70}, RuntimeError, "stoi"),
                                         ({"n": [1]}, RuntimeError, "stoi"), ({"n": 2}, TypeError, "it takes 2 inputs"),
                                         ({"n": -3}, ValueError, "-3 inputs")):
        raises_by_name(lambda: op(x, **attributes), exception, words, "reads_attributes() of libcpp.so: parseAttrs" if words in
                       ("stoi", "at") else "reads_attributes() of libcpp.so: ")
    raises_by_name(lambda: op(x, n="\ud800"), UnicodeEncodeError)
    raises_by_name(lambda: op(x, n=x), TypeError, "'n' is an array")

    class Unspeakable:
        def __str__(self):
            raise KeyError("no words")

    raises_by_name(lambda: op(x, n=Unspeakable()), KeyError, "no words")


def test_inputs_that_are_none(cpp):
    raises_by_name(lambda: cpp.takes_two([1.0], torch_np.ones(1)), TypeError, "takes_two(): input 0 must be Tensor, not list")
    raises_by_name(lambda: cpp.takes_two(torch_np.ones(1), None), TypeError, "takes_two(): input 1 must be Tensor, not NoneType")
    raises_by_name(lambda: np._ops.takes_two(np.ones(1), object()), TypeError)
    for arguments in ((), (1,), (torch_np.ones(1), 2), (None,)):
        raises_by_name(lambda: cpp.by_schema(*arguments), TypeError, "by_schema()")
    raises_by_name(lambda: cpp.by_schema(torch_np.ones(1), y=2), TypeError, "by_schema()")
    assert np._ops.by_schema([1.0, 2.0]).shape == (2,)


def test_inputs_on_several_devices(cpp):
    here, nowhere = torch_np.ones(2), torch_np.ones(2, device="meta")
    for arguments in ((here, nowhere), (nowhere, here)):
        raises_by_name(lambda: cpp.takes_two(*arguments), RuntimeError, "takes_two() of libcpp.so: ", "on one device", "meta", "cpu")
    assert cpp.takes_two(nowhere, nowhere).device.type == "meta"


def test_inputs_that_may_not_be_changed(cpp):
    x, y = torch_np.ones(4), torch_np.ones(4)
    assert cpp.swaps(x, y) is None
    for a, b in ((x, x), (x, x.view(4)), (x[:3], x[1:]), (x[1:], x[:3])):
        raises_by_name(lambda: cpp.swaps(a, b), ValueError, "swaps() of libcpp.so: ", "shares memory with input 1")
    assert cpp.swaps(x[:2], x[2:]) is None  # adjacent
    assert cpp.swaps(x[:0], x[:0]) is None
    fixed = np.ones(4)
    fixed.flags.writeable = False
    raises_by_name(lambda: np._ops.swaps(np.ones(4), fixed), ValueError, "swaps() of libcpp.so: ", "input 1 is changed in place, and is read-only")
    leaf = torch_np.ones(4, requires_grad=True)
    raises_by_name(lambda: cpp.swaps(leaf, y), RuntimeError, "swaps() of libcpp.so: ", "input 0 requires grad")
    raises_by_name(lambda: cpp.mutates_first(leaf), RuntimeError, "mutates_first() of libcpp.so: ", "input 0 requires grad")
    with torch_np.no_grad():
        assert cpp.mutates_first(leaf).shape == (4,)
    raises_by_name(lambda: np._ops.swaps([1.0], np.ones(4)), TypeError, "'x' is changed in place and must be an array, not list")
    spread = torch_np.ones(1).expand(4)
    raises_by_name(lambda: cpp.swaps(spread, y), RuntimeError, "swaps() of libcpp.so: ", "input 0", "several elements")


def test_a_refused_call_changes_no_version(cpp):
    x = torch_np.ones(4)
    before = x._version
    raises_by_name(lambda: cpp.swaps(x, x), ValueError)
    raises_by_name(lambda: cpp.mutates_9(x), ValueError)
    assert x._version == before
