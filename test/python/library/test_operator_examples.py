"""examples/operators: each one is copied to an empty folder, built against the installed header
alone, and called through both faces."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import library_builds
import numpy
import pytest

import torch_np
import torch_np.numpy as np

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples/operators"
MAKE = shutil.which("make")
pytestmark = pytest.mark.skipif(not MAKE or not shutil.which("c++"), reason="needs make and a C++ compiler")

# The part of CUDA that relu_cuda.cu needs, for a C++ compiler. Kernels run the threads of their
# grid one after the other, while the emulated device's memory is accessible.
CUDA_RUNTIME = """
#pragma once
#include <dlfcn.h>
#include <cstddef>
#include <cstdlib>
#include <tuple>
#include <utility>
#define __global__ static
struct dim3 { unsigned x = 1, y = 1, z = 1; explicit dim3(unsigned x) : x(x) {} dim3() = default; };
inline thread_local dim3 blockIdx, blockDim, threadIdx;
using cudaStream_t = void*;
enum cudaError_t { cudaSuccess = 0 };
inline const char* cudaGetErrorString(cudaError_t) { return "no error"; }
template <class... Ts, std::size_t... i>
void run_thread(void (*kernel)(Ts...), void** arguments, std::index_sequence<i...>) {
  kernel(*static_cast<Ts*>(arguments[i])...);
}
template <class... Ts>
cudaError_t cudaLaunchKernel(void (*kernel)(Ts...), dim3 blocks, dim3 threads, void** arguments, std::size_t, cudaStream_t) {
  void* device = dlopen(std::getenv("EMULATED_DEVICE"), RTLD_NOW | RTLD_NOLOAD);
  reinterpret_cast<void (*)()>(dlsym(device, "torch_np_emulation_open"))();
  blockDim = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks.x; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < threads.x; ++threadIdx.x) run_thread(kernel, arguments, std::index_sequence_for<Ts...>());
  reinterpret_cast<void (*)()>(dlsym(device, "torch_np_emulation_close"))();
  return cudaSuccess;
}
"""


# In any folder, a command imports the same package as the tests.
PATHS = [str(pathlib.Path(torch_np.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
ENVIRONMENT = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(PATHS)}


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="session")
def made(shared_folder):
    """The library of an example, built in its own folder, once for all workers."""
    def make(name, *arguments):
        at = shared_folder / "operators" / name
        with library_builds.locked(at.parent / f"{name}.lock"):
            if not at.exists():
                shutil.copytree(EXAMPLES / name, at)
                run(MAKE, *arguments, cwd=at)
        library, = at.glob("*.so")
        return library

    return make


@pytest.fixture(scope="module")
def built(made):
    """The operators of an example, loaded once."""
    return lambda name, *arguments: torch_np.library.load(made(name, *arguments))


@pytest.fixture(scope="module")
def relu(built):
    return built("relu", "NVCC=")


def matrices(dtype, *sizes):
    generator = numpy.random.default_rng(3)
    return [np.array(generator.normal(size=size).astype(dtype)) for size in sizes]


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gemm(built, dtype):
    assert built("gemm") == ["my_gemm"]
    a, b = matrices(dtype, (3, 4), (4, 2))
    wanted = 2.5 * (numpy.asarray(a) @ numpy.asarray(b))
    numpy.testing.assert_allclose(np._ops.my_gemm(a, b, alpha=2.5), wanted, rtol=1e-5)
    result = torch_np.ops.my_gemm(a._torch(), b._torch(), alpha="2.5")
    assert type(result) is torch_np.Tensor and result.dtype == a._torch().dtype
    numpy.testing.assert_allclose(result.numpy(), wanted, rtol=1e-5)
    numpy.testing.assert_allclose(np._ops.my_gemm(a.T, np.ones((3, 2), dtype)), numpy.asarray(a).T @ numpy.ones((3, 2)),
                                  rtol=1e-5)  # strided


def test_gemm_gradients(built):
    built("gemm")
    a, b = (x._torch().requires_grad_() for x in matrices("float64", (3, 4), (4, 2)))
    assert torch_np.autograd.gradcheck(lambda a, b: torch_np.ops.my_gemm(a, b, alpha=0.5), (a, b))
    square = matrices("float64", (3, 3))[0]._torch().requires_grad_()
    # req is add for the second argument
    assert torch_np.autograd.gradcheck(lambda a: torch_np.ops.my_gemm(a, a), (square,))
    x, y = matrices("float64", (3, 4), (4, 2))
    x._requires_grad_()
    np._ops.my_gemm(x, y).sum()._backward()
    numpy.testing.assert_allclose(x._grad, numpy.ones((3, 2)) @ numpy.asarray(y).T)


def test_gemm_of_integers_is_refused_by_its_infer_type(built):
    built("gemm")
    with pytest.raises(TypeError, match=r"my_gemm\(\) of libgemm.so: .*expected float32 or float64, got int64"):
        np._ops.my_gemm([[1]], [[2]])


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
@pytest.mark.slow("compiles three libraries")
def test_attributes_that_are_not_known_or_not_numbers(built):
    built("gemm"), built("stateful_gemm"), built("batch_norm")
    m, f = np.ones((2, 2)), np.ones((2, 2), "float32")
    with pytest.raises(TypeError, match=r"my_gemm\(\) of libgemm.so: .*there is no attribute 'alhpa': expected alpha"):
        np._ops.my_gemm(m, m, alhpa=3)
    with pytest.raises(ValueError, match="attribute 'alpha': expected a number, got '3x'"):
        np._ops.my_gemm(m, m, alpha="3x")
    with pytest.raises(TypeError, match="there is no attribute 'alpha': expected none"):
        np._ops.state_gemm(f, f, alpha=3)

    def normalised(**attributes):
        return np._ops.my_batch_norm(np.array([[1.0], [3.0]]), *(np.full(1, v) for v in (1.0, 0.0, 0.0, 1.0)), **attributes).tolist()
    assert normalised(training=1) == normalised() != normalised(training=0) == normalised(training=False)
    with pytest.raises(ValueError, match="attribute 'training': expected True or False, got 'yes'"):
        normalised(training="yes")


def test_gemm_of_no_elements(built):
    built("gemm")
    assert np._ops.my_gemm(np.ones((0, 3)), np.ones((3, 2))).shape == (0, 2)
    numpy.testing.assert_array_equal(np._ops.my_gemm(np.ones((2, 0)), np.ones((0, 3))), numpy.zeros((2, 3)))


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
@pytest.mark.parametrize("transpose", [False, True])
def test_gemm_by_schema(built, transpose):
    assert built("gemm_by_schema") == ["gemm"]
    a, b = matrices("float64", (3, 4), (2, 4) if transpose else (4, 2))
    wanted = 2 * (numpy.asarray(a) @ (numpy.asarray(b).T if transpose else numpy.asarray(b)))
    numpy.testing.assert_allclose(np._ops.gemm(a, b, alpha=2, transpose=transpose), wanted)
    s, t = a._torch().requires_grad_(), b._torch().requires_grad_()

    def f(a, b):
        return torch_np.ops.gemm(a, b, alpha=0.5, transpose=transpose)
    assert torch_np.autograd.gradcheck(f, (s, t)) and torch_np.autograd.gradgradcheck(f, (s, t))


def test_gemm_by_schema_is_forty_lines_at_most():
    assert len((EXAMPLES / "gemm_by_schema/gemm.cc").read_text().splitlines()) <= 40


def test_gemm_on_meta(built):
    built("gemm_by_schema")
    result = torch_np.ops.gemm(torch_np.empty((3, 4), device="meta"), torch_np.empty((4, 2), device="meta"))
    assert result.shape == (3, 2) and result.device.type == "meta"


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
def test_relu(relu):
    assert relu == ["my_relu"]
    x = np.array([-1.5, 0.0, 2.0])
    numpy.testing.assert_array_equal(np._ops.my_relu(x), [0, 0, 2])
    assert torch_np.autograd.gradcheck(torch_np.ops.my_relu, (torch_np.tensor([-1.5, 0.5, 2.0], dtype=torch_np.float64, requires_grad=True),))
    assert float(np._ops.my_relu(np.array(-3.0))) == 0 and np._ops.my_relu(np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
@pytest.mark.slow("compiles for GPUs")
@pytest.mark.skipif(not shutil.which("nvcc") and not os.path.exists("/usr/local/cuda/bin/nvcc"), reason="needs nvcc")
def test_relu_is_compiled_by_nvcc(tmp_path):
    shutil.copytree(EXAMPLES / "relu", tmp_path / "relu")
    run(MAKE, cwd=tmp_path / "relu")
    assert (tmp_path / "relu/relu_cuda.o").exists() and (tmp_path / "relu/librelu.so").exists()


ON_A_DEVICE = """
import os, sys
import numpy, torch_np, torch_np.numpy as np
torch_np.library.load(sys.argv[1])
x = np.array([-1.5, 0.0, 2.0] * 400)._cuda()
# It may be loaded from any folder.
os.environ["EMULATED_DEVICE"] = next(line.split()[-1] for line in open("/proc/self/maps") if "libtorch_np_cuda_emulated.so" in line)
x._requires_grad_()
y = np._ops.my_relu(x)
assert y._torch().device.type == "cuda"
y.sum()._backward()
numpy.testing.assert_array_equal(y._detach()._cpu(), numpy.maximum(x._detach()._cpu(), 0))
numpy.testing.assert_array_equal(x._grad._cpu(), numpy.asarray(x._detach()._cpu()) > 0)
stream = torch_np.cuda.Stream()
with torch_np.cuda.stream(stream):
    z = torch_np.ops.my_relu(x._torch().detach())
stream.synchronize()
assert float(z.sum()) == 800
"""


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
@pytest.mark.slow("compiles a library")
def test_relu_launches_on_the_emulated_device(tmp_path):
    shutil.copytree(EXAMPLES / "relu", tmp_path / "relu")
    (tmp_path / "cuda_runtime.h").write_text(CUDA_RUNTIME)
    flags = torch_np.library.cflags().split()
    run("c++", *flags, "-DWITH_CUDA", f"-I{tmp_path}", "relu.cc", "-x", "c++", "relu_cuda.cu", "-o", "librelu.so", cwd=tmp_path / "relu")
    device = pathlib.Path(torch_np.__file__).parent / "libtorch_np_cuda_emulated.so"
    if not device.exists():
        pytest.skip("built without the emulated device")
    environment = {**ENVIRONMENT, "TORCH_NP_CUDA_EMULATED": "1"}
    done = subprocess.run([sys.executable, "-c", ON_A_DEVICE, tmp_path / "relu/librelu.so"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_stateful_gemm(built):
    assert built("stateful_gemm") == ["state_gemm"]
    a, b = matrices("float32", (3, 4), (4, 2))
    a._requires_grad_(), b._requires_grad_()
    first, second = np._ops.state_gemm(a, b), np._ops.state_gemm(a * 2, b)  # one state for each call
    numpy.testing.assert_allclose(first._detach(), numpy.asarray(a._detach()) @ numpy.asarray(b._detach()), rtol=1e-5)
    (first.sum() + second.sum())._backward()
    numpy.testing.assert_allclose(a._grad, 3 * numpy.ones((3, 2)) @ numpy.asarray(b._detach()).T, rtol=1e-5)
    numpy.testing.assert_allclose(b._grad, 3 * numpy.asarray(a._detach()).T @ numpy.ones((3, 2)), rtol=1e-5)


def test_batch_norm_changes_its_running_statistics(built):
    assert built("batch_norm") == ["my_batch_norm"]
    x, = matrices("float64", (6, 3))
    mean, variance = np.zeros(3), np.ones(3)
    y = np._ops.my_batch_norm(x, np.ones(3), np.zeros(3), mean, variance, momentum=0.5)
    host = numpy.asarray(x)
    numpy.testing.assert_allclose(y, (host - host.mean(0)) / numpy.sqrt(host.var(0) + 1e-5))
    numpy.testing.assert_allclose(mean, 0.5 * host.mean(0))
    numpy.testing.assert_allclose(variance, 0.5 + 0.5 * host.var(0, ddof=1))
    apart = np.zeros((3, 2))  # its columns are not contiguous
    np._ops.my_batch_norm(x, np.ones(3), np.zeros(3), apart[:, 0], variance, momentum=0.5)
    numpy.testing.assert_allclose(apart[:, 0], 0.5 * host.mean(0))
    numpy.testing.assert_array_equal(apart[:, 1], 0)


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_gradients(built, training):
    built("batch_norm")
    x, weight, bias = (x._torch().requires_grad_() for x in matrices("float64", (6, 3), (3,), (3,)))

    def f(x, weight, bias):
        mean, variance = torch_np.zeros(3, dtype=torch_np.float64), torch_np.ones(3, dtype=torch_np.float64)
        return torch_np.ops.my_batch_norm(x, weight, bias, mean, variance, training=training)
    assert torch_np.autograd.gradcheck(f, (x, weight, bias))


def test_batch_norm_lets_others_know_of_the_change(built):
    built("batch_norm")
    x, = matrices("float64", (6, 3))
    mean, variance = np.zeros(3), np.ones(3)
    weight = np.ones(3)
    weight._requires_grad_()
    kept = weight * mean  # its derivative needs the old mean
    np._ops.my_batch_norm(x, np.ones(3), np.zeros(3), mean, variance)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        kept.sum()._backward()


def opcheck_arguments():
    generator = torch_np.Generator()
    generator.manual_seed(1)

    def normal(*size, dtype=torch_np.float64, grad=True):
        return torch_np.randn(*size, dtype=dtype, generator=generator).requires_grad_(grad)
    yield "gemm", "my_gemm", (normal(3, 4), normal(4, 2)), {"alpha": 0.5}
    yield "gemm_by_schema", "gemm", (normal(3, 4), normal(2, 4)), {"transpose": True}
    yield "gemm_by_schema", "gemm", (normal(0, 4), normal(4, 2)), {}
    yield "relu", "my_relu", (normal(2, 3),), {}
    yield "relu", "my_relu", (normal(),), {}
    yield "stateful_gemm", "state_gemm", (normal(3, 4, dtype=torch_np.float32), normal(4, 2, dtype=torch_np.float32)), {}
    yield "batch_norm", "my_batch_norm", (normal(5, 3), normal(3), normal(3), normal(3, grad=False), torch_np.ones(3, dtype=torch_np.float64)), {}


@pytest.mark.parametrize("example, name, args, kwargs", list(opcheck_arguments()), ids=lambda v: v if isinstance(v, str) else "")
def test_every_example_behaves_as_a_built_in_operator(built, example, name, args, kwargs):
    built(example, *["NVCC="] * (example == "relu"))
    outcome = torch_np.library.opcheck(getattr(torch_np.ops, name), args, kwargs)
    assert outcome == dict.fromkeys(["test_schema", "test_faces", "test_strides", "test_meta", "test_gradients"], "SUCCESS")


CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.22)
project(mine LANGUAGES CXX)
find_package(torch_np REQUIRED)
torch_np_add_library(gemm gemm.cc)
"""


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
def test_cmake_package(tmp_path):
    cmake = shutil.which("cmake", path=os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")]))
    if not cmake:
        pytest.skip("needs CMake")
    shutil.copy(EXAMPLES / "gemm/gemm.cc", tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE_LISTS)
    generator = ["-G", "Unix Makefiles"]
    run(cmake, "-S", ".", "-B", "build", *generator, f"-Dtorch_np_DIR={torch_np.library.cmake_dir()}", cwd=tmp_path)
    run(cmake, "--build", "build", cwd=tmp_path)
    code = "import sys, torch_np; print(torch_np.library.load(sys.argv[1]))"
    library, = (tmp_path / "build").glob("*gemm.so")
    assert run(sys.executable, "-c", code, str(library), cwd=pathlib.Path.cwd()).stdout.strip() == "['my_gemm']"


NAMES = """
#include <torch_np/extension.h>
using namespace torch_np;
static void total(Tensor input, int64_t dim, bool keepdim, Tensor result) {
  result.data<double>()[0] = static_cast<double>(dim) + (keepdim ? 10 : 0) + (input.defined() ? 0 : 100);
}
static Shape total_shape(Tensor, int64_t, bool) { return {}; }
TORCH_NP_OP("examples_test::total(Tensor input, int dim=0, bool keepdim=False) -> Tensor", total).shape(total_shape);
TORCH_NP_OP("examples_test::negative(Tensor x) -> Tensor", +[](Tensor x, Tensor result) {
  for (int64_t i = 0; i < x.numel(); ++i) result.data<double>()[i] = -x.data<double>()[i];
});
"""


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
def test_numpys_names_are_translated(tmp_path):
    (tmp_path / "names.cc").write_text(NAMES)
    run("c++", *torch_np.library.cflags().split(), "names.cc", "-o", "libnames.so", cwd=tmp_path)
    assert torch_np.library.load(tmp_path / "libnames.so") == ["examples_test::total", "examples_test::negative"]
    total = np._ops.examples_test.total
    assert str(total.__signature__) == "(a, axis=0, keepdims=False)"
    x = np.ones(3)
    assert float(total(x, axis=2)) == 2 and float(total(a=x, keepdims=True)) == 10 and float(total(input=x, dim=1)) == 1
    assert float(torch_np.ops.examples_test.total(x._torch(), axis=2, keepdims=True)) == 12
    with pytest.raises(TypeError, match=r"total\(\) got multiple values for argument 'axis'"):
        total(x, axis=1, dim=1)
    assert np._ops.examples_test.negative(x).tolist() == [-1, -1, -1]


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
@pytest.mark.slow("compiles two libraries")
def test_what_the_docs_build(tmp_path):
    """docs/operators_of_your_own.md: its gemm and the derivative, combined as a reader would."""
    text = (pathlib.Path(__file__).parents[3] / "docs/operators_of_your_own.md").read_text()
    gemm, gradient, partitioner = re.findall(r"```cpp\n(.*?)```", text, re.S)
    functions, operator = gemm.rsplit("TORCH_NP_OP(", 1)
    assert ".shape(gemm_shape);" in operator
    (tmp_path / "gemm.cc").write_text(functions + gradient + "TORCH_NP_OP(" + operator.replace(";", ".gradient(gemm_gradient);"))
    run("c++", *torch_np.library.cflags().split(), "gemm.cc", "-o", "libgemm.so", cwd=tmp_path)
    (tmp_path / "part.cc").write_text("#include <torch_np/extension.h>\nusing namespace torch_np;\n" + partitioner)
    run("c++", *torch_np.library.cflags().split(), "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "part.cc", cwd=tmp_path)
    code, = re.findall(r">>> (a, b = .*?)\n>>> (torch_np.autograd.*?)\n\(True, True\)", text, re.S)
    program = f"import sys, torch_np\nassert torch_np.library.load(sys.argv[1]) == ['gemm']\n{code[0]}\nassert ({code[1]}) == (True, True)"
    run(sys.executable, "-c", program, str(tmp_path / "libgemm.so"), cwd=pathlib.Path.cwd())


LOG_EXP = r"""
import sys
import numpy, torch_np, torch_np.numpy as np
assert torch_np.library.load(sys.argv[1]) == []
x, y = (np.array(numpy.linspace(0.5, 2, 2000)) + i for i in range(2))
for f, args in ((lambda x, y: np.log(np.exp(x) * 2.5 + y), (x, y)), (lambda x, y: torch_np.log(torch_np.exp(x) * 2.5 + y), (x._torch(), y._torch()))):
    compiled = torch_np.compile(f, backend="log_exp", fullgraph=True)
    compiled(*args)
    numpy.testing.assert_allclose(numpy.asarray(compiled(*args)), numpy.log(numpy.exp(x) * 2.5 + numpy.asarray(y)), rtol=1e-13)
    assert " = log_exp(%0, %1) {" in str(compiled.lower(*args))
"""


@pytest.mark.same_when_pending("builds libraries, and computes nothing pointwise")
def test_log_exp_is_a_backend(made):
    """The library that its Makefile builds, in a separate process, since test_subgraphs.py loads
    another library with the same name and source."""
    run(sys.executable, "-c", LOG_EXP, str(made("log_exp")), cwd=pathlib.Path.cwd())
