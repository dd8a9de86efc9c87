"""The C interface between torch_np and libraries of operators (torch_np/extension.h), and how the header compiles.

Libraries that were built once must stay valid: golden/library_interface.txt records version 1 of
the interface by size, offset and order. Lines may be added at the end of a structure with a size
member; none may change. After such an addition: UPDATE_GOLDEN=1 pytest
test/python/library/test_library_interface.py, and read the diff.
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from library_builds import C_ENTRY, C_START, C_VERSION, HEADER, INCLUDE, c_library, compiler_environment, needs_compiler

import torch_np
from torch_np import library

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "library_interface.txt"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{INCLUDE}"]
needs_clang = pytest.mark.skipif(not shutil.which("clang++"), reason="there is no clang++")
pytestmark = needs_compiler


# -------------------------------------------------------------------------------------- stability of the interface

def members_of(text):
    """{struct: the names of its members}, and the constants of enums, from the header."""
    interface = text[:text.index("#if defined(__cplusplus) && !defined(TORCH_NP_EXTENSION_C_ONLY)")]
    interface = re.sub(r"//.*", "", interface)
    structs = {}
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\n\} \1;", interface, re.S):
        body = re.sub(r"union \{.*?\} (\w+);", r"int \1;", body, flags=re.S)
        body = re.sub(r"\(\*(\w+)\)\s*\([^;]*\)", r"\1", body)  # functions
        structs[name] = [n for line in body.split(";") for n in re.findall(r"(\w+)\s*(?:\[\d+\])?\s*(?=,|$)", line)]
    constants = re.findall(r"\b(TORCH_NP_[A-Z0-9_]+) = ", interface)
    return structs, constants


def described(builds_folder):
    """The interface in the layout of this compiler."""
    structs, constants = members_of(HEADER.read_text())
    lines = [f'printf("{name}: %zu bytes\\n", sizeof({name}));\n' + "".join(
        f'  printf("  %3zu %-20s %zu\\n", offsetof({name}, {m}), "{m}", sizeof((({name}*)0)->{m}));\n' for m in members)
        for name, members in structs.items()]
    lines += [f'printf("{c} = %d\\n", {c});\n' for c in constants]
    source, program = builds_folder / "interface.c", builds_folder / "interface"
    source.write_text("#include <torch_np/extension.h>\n#include <stdio.h>\nint main(void) {\n  " + "  ".join(lines) + "  return 0;\n}\n")
    subprocess.run(["gcc", "-std=c11", *STRICT, str(source), "-o", str(program)], check=True, env=compiler_environment())
    return subprocess.run([str(program)], check=True, capture_output=True, text=True, env=compiler_environment()).stdout


def test_all_of_the_header_is_described():
    """The reader above misses no declaration, though it is not a compiler."""
    structs, constants = members_of(HEADER.read_text())
    assert list(structs) == ["TorchNpTensor", "TorchNpValue", "TorchNpHost", "TorchNpCall", "TorchNpOperator", "TorchNpNode", "TorchNpSubgraph",
                             "TorchNpPartitioner", "TorchNpLibrary"]
    assert structs["TorchNpValue"] == ["kind", "reserved", "count", "as"]
    assert structs["TorchNpLibrary"] == ["size", "num_operators", "operators", "num_partitioners", "partitioners"]
    assert structs["TorchNpPartitioner"][5:] == ["num_supported_ops", "supported_ops", "is_supported", "create_executor", "delete_executor", "forward"]
    assert structs["TorchNpOperator"][6:12] == ["parse_attributes", "infer", "mutate_inputs", "create_state", "delete_state", "forward_cpu"]
    assert structs["TorchNpHost"][1:6] == ["major", "minor", "package_version", "reserved", "set_error"]
    assert all(len(members) >= n for members, n in zip(structs.values(), (10, 4, 17, 22, 17, 8, 9, 11, 5)))
    assert {"TORCH_NP_FLOATS", "TORCH_NP_REQ_ADD", "TORCH_NP_MEMORY_ERROR", "TORCH_NP_TAKES_REQ"} <= set(constants)


def test_the_interface_is_the_golden_one(tmp_path):
    now = described(tmp_path)
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(now)
    assert now == GOLDEN.read_text()


def test_the_versions_of_the_header():
    """A new major version would refuse every existing library. It is a deliberate decision, and
    restarts the golden file."""
    text = HEADER.read_text()
    assert re.findall(r"^#define TORCH_NP_EXTENSION_MAJOR (\d+)", text, re.M) == ["1"]
    assert len(re.findall(r"^#define TORCH_NP_EXTENSION_MINOR (\d+)", text, re.M)) == 1


# A library written against the first interface of version 1.0, copied here. A library that is
# compiled against today's header cannot show whether old ones would load.
FIRST = r"""
#include <stdint.h>
#include <string.h>
struct Tensor { void* data; int32_t device_type, device_index, ndim; uint8_t code, bits; uint16_t lanes; int64_t *shape, *strides; uint64_t offset; };
struct Value { int32_t kind, reserved; int64_t count; union { int64_t integer; double numbers[2]; const char* string; } as; };
struct Call;
struct Host {
  uint64_t size; int32_t major, minor, package_version, reserved;
  void (*set_error)(void*, int32_t, const char*);
  int32_t (*set_counts)(void*, int64_t, int64_t);
  int32_t (*set_output_shape)(void*, int64_t, int32_t, const int64_t*);
  int32_t (*set_output_dtype)(void*, int64_t, uint8_t, uint8_t);
  int32_t (*set_mutated)(void*, int64_t);
  int32_t (*set_state)(void*, void*);
  void* (*allocate)(void*, int32_t, uint64_t);
  int32_t (*random_bits)(void*, uint64_t*, int64_t);
  int32_t (*random_key)(void*, uint64_t*);
  int32_t (*call)(void*, const char*, int64_t, const struct Value*, int64_t, const char* const*, int64_t, void**, int64_t*);
  int32_t (*describe)(void*, void*, struct Tensor*);
  int32_t (*set_gradient)(void*, int64_t, void*);
};
struct Call {
  uint64_t size; const struct Host* host; void* context;
  int64_t num_arguments; const char* const* names; const struct Value* arguments;
  int64_t num_inputs; const struct Tensor* inputs; int64_t num_outputs; const struct Tensor* outputs;
  const struct Tensor *output_grads, *input_grads; const int32_t* input_req;
  void *const *input_handles, *const *output_handles, *const *output_grad_handles;
  void *state, *stream; int32_t device_type, device_index, is_train, reserved;
};
struct Operator;
typedef int32_t (*Function)(const struct Operator*, const struct Call*);
struct Operator {
  uint64_t size; const char *name, *schema, *doc; uint64_t flags; void* user;
  Function parse_attributes, infer, mutate_inputs, create_state;
  void (*delete_state)(const struct Operator*, void*);
  Function forward_cpu, forward_gpu, backward_cpu, backward_gpu, gradient;
  const char* letters;
};
struct Library { uint64_t size; int64_t num_operators; const struct Operator* const* operators; };

static int32_t counts(const struct Operator* op, const struct Call* c) { return (void)op, c->host->set_counts(c->context, 1, 2); }
static int32_t infer(const struct Operator* op, const struct Call* c) {
  const int64_t none = 0;
  (void)op;
  return c->host->set_output_shape(c->context, 1, 0, &none) || c->host->set_output_dtype(c->context, 1, 0, 64);
}
static int32_t state(const struct Operator* op, const struct Call* c) { return c->host->set_state(c->context, op->user); }
static void forget(const struct Operator* op, void* state) { (void)op; ++*(int64_t*)state; }
static int32_t forward(const struct Operator* op, const struct Call* c) {
  int64_t n = 1;
  double* scratch = c->host->allocate(c->context, 1, 8);
  if (!scratch || c->state != op->user || c->inputs[0].bits != 64 || c->inputs[0].code != 2) return 1;
  *scratch = 0;
  for (int i = 0; i < c->num_arguments; ++i)
    if (!strcmp(c->names[i], "by")) *scratch = c->arguments[i].as.string[0] - '0';
  for (int i = 0; i < c->inputs[0].ndim; ++i) n *= c->inputs[0].shape[i];
  for (int64_t i = 0; i < n; ++i) ((double*)c->outputs[0].data)[i] = *scratch * ((double*)c->inputs[0].data)[i];
  *(int64_t*)c->outputs[1].data = *(int64_t*)c->state;
  return 0;
}
static int32_t gradient(const struct Operator* op, const struct Call* c) {
  struct Value v[2];
  void* made;
  int64_t n;
  (void)op;
  memset(v, 0, sizeof(v));
  v[0].kind = 1, *(void**)&v[0].as = c->output_grad_handles[0];
  v[1].kind = 4, v[1].as.numbers[0] = c->arguments[0].as.string[0] - '0';
  return c->host->call(c->context, "mul", 2, v, 0, 0, 1, &made, &n) || c->host->set_gradient(c->context, 0, made);
}
static int64_t deleted;
static const struct Operator op = {sizeof(op), "interface_first::op", 0, "as it was", 0, &deleted, counts, infer, 0, state, forget, forward, 0, 0, 0, gradient, 0};
static const struct Operator* const all[] = {&op};
static const struct Library table = {sizeof(table), 1, all};
__attribute__((visibility("default"))) const int32_t torch_np_extension_version[2] = {1, 0};
__attribute__((visibility("default"))) const struct Library* torch_np_extension_library(const struct Host* host, void* context);
const struct Library* torch_np_extension_library(const struct Host* host, void* context) {
  (void)context;
  return host->size >= sizeof(struct Host) ? &table : 0;
}
"""


def test_a_library_of_the_first_version_still_works(builds):
    path = builds.c("first", FIRST)
    assert library.load(path) == ["interface_first::op"]
    op = torch_np.ops.interface_first.op
    x = torch_np.tensor([1.0, 2.0, 3.0], dtype=torch_np.float64, requires_grad=True)
    y, deleted = op(x, by=4)
    assert y.tolist() == [4, 8, 12] and deleted.tolist() == 0
    y.sum().backward()
    assert x.grad.tolist() == [4, 4, 4] and op.__doc__ == "as it was"
    del y
    assert op(x.detach(), by=2)[1].tolist() == 1  # the first call's state was released with its graph


# ---------------------------------------------------------------------------------------------------------- compilation

USE = """
#include <torch_np/extension.h>
using namespace torch_np;
static void forward(Tensor x, double by, Tensor y) {
  for (int64_t i = 0; i < x.numel(); ++i) y.data<float>()[i] = static_cast<float>(by) * x.data<float>()[i];
}
TORCH_NP_OP("%s(Tensor x, float by=3.0) -> Tensor", forward);
"""


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
@pytest.mark.parametrize("compiler, standard", [
    *[("g++", s) for s in ("c++17", "c++20", "c++23")], *[pytest.param("clang++", s, marks=needs_clang) for s in ("c++17", "c++20")]])
def test_the_header_compiles_without_a_warning(tmp_path, compiler, standard):
    source = tmp_path / "use.cc"
    source.write_text(USE % "never_loaded")
    ran = subprocess.run([compiler, f"-std={standard}", *STRICT, "-O2", "-fPIC", "-c", str(source), "-o", str(tmp_path / "use.o")],
                         capture_output=True, text=True, env=compiler_environment())
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("compiler", ["gcc", pytest.param("clang", marks=needs_clang)])
@pytest.mark.parametrize("standard", ["c99", "c11"])
def test_the_c_interface_compiles_as_c(tmp_path, compiler, standard):
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    source = tmp_path / "use.c"
    source.write_text("#include <torch_np/extension.h>\n#include <torch_np/extension.h>\nint f(const TorchNpCall* call);\n"
                      "int f(const TorchNpCall* call) { return call->size == sizeof(*call); }\n")
    ran = subprocess.run([compiler, f"-std={standard}", *STRICT, "-c", str(source), "-o", str(tmp_path / "use.o")], capture_output=True,
                         text=True, env=compiler_environment())
    assert ran.returncode == 0, ran.stderr


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
@pytest.mark.parametrize("wrong, words", [
    ("static void f(Value, Tensor) {}\nTORCH_NP_OP(\"f(Tensor x) -> Tensor\", f);", "functions with data take Tensor"),
    ("static void f(Tensor, Tensor) {}\nstatic std::vector<Value> g(const Graph&, Tensor) { return {}; }\n"
     "TORCH_NP_OP(\"f(Tensor x) -> Tensor\", f).gradient(g);", "a derivative made of operators takes Value"),
    ("static void f(Tensor, int, Tensor) {}\nTORCH_NP_OP(\"f(Tensor x, int n) -> Tensor\", f);", "expected torch_np::Tensor"),
    ("static void f(Tensor, float, Tensor) {}\nTORCH_NP_OP(\"f(Tensor x, float n) -> Tensor\", f);", "expected torch_np::Tensor"),
])
def test_parameters_of_no_meaning_do_not_compile(tmp_path, wrong, words):
    source = tmp_path / "wrong.cc"
    source.write_text(f"#include <torch_np/extension.h>\nusing namespace torch_np;\n{wrong}\n")
    ran = subprocess.run(["g++", "-std=c++17", f"-I{INCLUDE}", "-fsyntax-only", str(source)], capture_output=True, text=True,
                         env=compiler_environment())
    assert ran.returncode != 0 and words in ran.stderr


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
@pytest.mark.parametrize("compiler", ["g++", pytest.param("clang++", marks=needs_clang)])
def test_a_library_of_two_files(builds, compiler):
    letter = compiler[0]
    path = builds.cpp(f"two_files_{letter}", USE % f"interface_{letter}::one", USE % f"interface_{letter}::two", flags=STRICT, compiler=compiler)
    assert sorted(library.load(path)) == [f"interface_{letter}::one", f"interface_{letter}::two"]
    space = getattr(torch_np.ops, f"interface_{letter}")
    assert space.one(torch_np.ones(2)).tolist() == space.two(torch_np.ones(2)).tolist() == [3, 3]
    with pytest.raises(TypeError, match=rf"interface_{letter}::one\(\) of libtwo_files_{letter}.so: .*expected float32, got int64"):
        space.one(torch_np.ones(2, dtype=torch_np.int64))


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
@pytest.mark.parametrize("visibility", ["hidden", "default"])
def test_libraries_do_not_share_their_registries(builds, visibility):
    for name in ("one", "two"):
        path = builds.cpp(f"alone_{name}_{visibility}", USE % f"interface_{visibility}::{name}", flags=[f"-fvisibility={visibility}"])
        assert library.load(path) == [f"interface_{visibility}::{name}"]
        assert library.list()[-1].operators == [f"interface_{visibility}::{name}"]


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
def test_libraries_that_are_linked_against_each_other(builds):
    """Each library owns its own registrations, in any order of loading."""
    inner = builds.cpp("inner", USE % "interface_linked::inner", flags=["-fvisibility=default"])
    outer = builds.cpp("outer", USE % "interface_linked::outer", flags=["-fvisibility=default", str(inner), f"-Wl,-rpath,{inner.parent}"])
    assert library.load(outer) == ["interface_linked::outer"]
    assert library.load(inner) == ["interface_linked::inner"]
    x = torch_np.ones(2)
    assert torch_np.ops.interface_linked.inner(x, 2).tolist() == torch_np.ops.interface_linked.outer(x, 2).tolist() == [2, 2]


def test_a_library_linked_against_one_of_operators_is_none_itself(builds):
    inner = builds.c("plain_inner", c_library('OPERATOR("interface_linked::plain"),'))
    outer = builds.c("no_operators", "int x;\n", flags=["-Wl,--no-as-needed", str(inner), f"-Wl,-rpath,{inner.parent}"])
    with pytest.raises(RuntimeError, match="is not a library of operators"):
        library.load(outer)


def test_the_host_describes_itself(builds):
    """A library may read the host's size and versions before it uses members that older hosts lack."""
    checks = ("host->size == sizeof(TorchNpHost) && host->major == TORCH_NP_EXTENSION_MAJOR && host->minor == TORCH_NP_EXTENSION_MINOR"
              " && host->package_version >= 100 && host->set_gradient != 0")
    source = (f'{C_START}static const TorchNpOperator op = OPERATOR("interface_host::op");\nstatic const TorchNpOperator* const all[] = {{&op}};\n'
              f"static const TorchNpLibrary table = {{sizeof(table), 1, all}};\n{C_VERSION}{C_ENTRY}  return {checks} ? &table : 0;\n}}\n")
    assert library.load(builds.c("host", source)) == ["interface_host::op"]


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
def test_initialize_is_told_the_version(builds):
    """initialize receives 10000 * major + 100 * minor + patch of Python's version."""
    major, minor, patch = map(int, re.findall(r"\d+", torch_np.__version__)[:3])
    source = ('#include <torch_np/extension.h>\nMXReturnValue initialize(int version) {\n'
              '  throw torch_np::ValueError("told " + std::to_string(version) + ".");\n}\n').replace("MXReturn", "torch_np::MXReturn")
    with pytest.raises(ValueError, match=rf"told {10000 * major + 100 * minor + patch}\."):
        library.load(builds.cpp("told", source))


# A program without torch_np calls the tables of a library, as another host would.
PROGRAM = r"""
#include <torch_np/extension.h>
#include <pthread.h>
#include <cstdio>
using namespace torch_np;
struct State : CustomStatefulOp {
  explicit State(int device) : device(device) {}
  MXReturnValue Forward(MXTensors&, MXTensors&, const OpResource&) override { return MX_SUCCESS; }
  int device;
};
template <int device>
static MXReturnValue create(const Attributes&, CustomStatefulOp** state) { return *state = new State(device), MX_SUCCESS; }
static MXReturnValue ends(const Attributes&, MXTensors&, MXTensors&) { pthread_exit(nullptr); }
REGISTER_OP(both).setCreateOpState(create<1>, "cpu").setCreateOpState(create<2>, "gpu");
REGISTER_OP(one).setCreateOpState(create<2>, "gpu");
REGISTER_OP(end).setForward(ends, "cpu");
static int32_t set_state(void* to, void* state) { return *static_cast<void**>(to) = state, 0; }
static void* run(void* op) {
  TorchNpHost host{};
  TorchNpCall call{};
  call.host = &host;
  static_cast<const TorchNpOperator*>(op)->forward_cpu(static_cast<const TorchNpOperator*>(op), &call);
  return op;
}
int main() {
  TorchNpHost host{};
  host.set_state = set_state;
  const TorchNpLibrary* library = torch_np_extension_library(&host, nullptr);
  for (int i = 0; i < 2; ++i) {
    for (int device = 1; device <= 2; ++device) {
      const TorchNpOperator* op = library->operators[i];
      void* state = nullptr;
      TorchNpCall call{};
      call.host = &host, call.context = &state, call.device_type = device;
      if (op->create_state(op, &call)) return 1;
      std::printf("%d ", static_cast<State*>(static_cast<CustomStatefulOp*>(state))->device);
      op->delete_state(op, state);
    }
  }
  std::fflush(stdout);
  pthread_t thread;
  void* result;
  pthread_create(&thread, nullptr, run, const_cast<TorchNpOperator*>(library->operators[2]));
  pthread_join(thread, &result);
  std::printf("%s", result ? "went on" : "ended");
}
"""


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
@pytest.mark.parametrize("compiler", ["g++", pytest.param("clang++", marks=needs_clang)])
def test_a_state_for_each_device_and_a_thread_that_ends(tmp_path, compiler):
    source, program = tmp_path / "program.cc", tmp_path / "program"
    source.write_text(PROGRAM)
    subprocess.run([compiler, "-std=c++17", *STRICT, "-pthread", str(source), "-o", str(program)], check=True, env=compiler_environment())
    ran = subprocess.run([str(program)], capture_output=True, text=True, env=compiler_environment())
    assert ran.stdout == "1 2 2 2 ended", ran.stderr
