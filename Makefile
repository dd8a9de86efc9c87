# The two commands: `make demo` and `make test`. Each sets up what it needs in .venv, from PyPI and Debian only.
PYTHON ?= python3
VENV := .venv
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check -q
JOBS ?= $(shell nproc)
# CMake and Ninja come from .venv, so that a bare machine needs only a compiler.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
# The package is built in place; scripts elsewhere in the tree find it here.
export PYTHONPATH := $(CURDIR)
# Shows percent instead of commands; the log has their output.
PROGRESS := $(PYTHON) tools/build_progress.py

.PHONY: demo demo-of-build test test-all dev-all wheel-here test-times test-programs dev wheel wheel-cuda test-cpp test-devices test-cuda test-cuda-sanitizers test-python test-verified test-all-verified test-pending test-numpy-pending test-fused test-fused-python test-numpy-baseline test-blas test-isa test-arm test-sanitizers test-threads test-walkthroughs conformance fuzz special-accuracy bench tune bench-cuda bench-instructions bench-operators bench-programs bench-nn bench-examples bench-distributed bench-fused torch-programs test-libraries libraries-table test-packages packages-table docs test-docs lint tidy format clean

$(VENV)/.stamp: requirements-dev.txt
	@echo "Installing what builds and tests need into $(VENV), from PyPI: some minutes, most of them for oneMKL"
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --no-compile -r requirements-dev.txt
	touch $@

# GoogleTest and ccache come from Debian. Without root, there are no C++ tests (CMake reports it),
# and no cache for the next checkout.
build/.debian: | build
	@(test -e /usr/include/gtest/gtest.h && command -v ccache > /dev/null) || test "$$(id -u)" != 0 || \
	  (apt-get update -q && apt-get install -qy --no-install-recommends libgtest-dev ccache) > build/debian.log 2>&1 || true
	@touch $@
build:
	@mkdir -p build

# Builds the extension, stubs and the operator list in place: afterwards `.venv/bin/python -c
# 'import torch_np'` works here. The loops are those of this processor's best instruction set.
# `make test` builds the C++ tests and the emulated device.
CONFIGURE = $(PROGRESS) --log build/dev/configure.log Configuring -- cmake --preset dev
BUILD = $(PROGRESS) --log build/dev/build.log Building -- cmake --build build/dev -j $(JOBS)
ALL_CAPABILITIES := baseline;avx2;avx512
dev: $(VENV)/.stamp build/.debian
	@test -e build/dev/build.ninja || $(CONFIGURE) -DTORCH_NP_CPU_CAPABILITIES=native
	@$(BUILD) --target _C

# As `dev`, with the loops of all instruction sets, from now on.
dev-all: $(VENV)/.stamp build/.debian
	@test -e build/dev/build.ninja && ! grep -q '^TORCH_NP_CPU_CAPABILITIES:.*=native$$' build/dev/CMakeCache.txt || \
	  $(CONFIGURE) "-DTORCH_NP_CPU_CAPABILITIES=$(ALL_CAPABILITIES)"
	@$(BUILD) --target _C

# If `make wheel` has made a wheel of the same sources, here or in another clone, nothing is built:
# the wheel is installed into a separate environment (docs/building.md).
EXAMPLES = $(1) examples/digits.py && $(1) examples/lattice_boltzmann.py 1500 && $(1) examples/gpt.py --steps 600 --length 400
demo:
	@if wheel=$$($(PYTHON) -m tools.wheels.cache) && echo "$$wheel was made of these sources: nothing to build" && \
	  $(PYTHON) -m tools.wheels.demo_environment "$$wheel" build/demo; \
	then export PYTHONPATH=; $(call EXAMPLES,build/demo/bin/python); \
	else echo "No wheel of these sources that this machine can install: building the library"; $(MAKE) --no-print-directory demo-of-build; fi

demo-of-build: dev
	$(call EXAMPLES,$(VENV)/bin/python)

# Makes a wheel for other machines, in dist/ and in the user's cache; and one of the CUDA library.
# `make test` makes one of its build, for the test of the wheel.
wheel: dev-all
	@$(VENV)/bin/python -m tools.wheels.wheel

wheel-here: dev
	@$(TIMED) wheel $(VENV)/bin/python -m tools.wheels.wheel --here

wheel-cuda: dev
	@$(PROGRESS) --log build/dev/cuda.log "Building for GPUs" -- cmake --build build/dev -j $(JOBS) --target torch_np_cuda
	@$(VENV)/bin/python -m tools.wheels.cuda_wheel

# Runs the tests of an ordinary change: all on the CPU, then those that can differ on a device or
# with pending results. Prints the minutes of each part (docs/testing.md).
PARTS := test-cpp wheel-here docs test-python test-verified test-devices test-pending test-numpy-pending test-libraries
test:
	@$(TIMES) begin
	@$(TIMED) build $(MAKE) --no-print-directory test-programs
	@$(MAKE) --no-print-directory $(PARTS)
	@$(TIMES) table

# Runs all three passes of the Python tests in full, with the loops of all instruction sets. Run
# this before an issue is resolved.
test-all:
	@$(TIMES) begin
	@$(TIMED) loops $(MAKE) --no-print-directory dev-all
	@$(TIMED) build $(MAKE) --no-print-directory test-programs
	@$(MAKE) --no-print-directory test-cpp wheel docs test-python test-all-verified test-cuda test-fused test-libraries
	@$(TIMES) table

# Writes the minutes of the last `make test` into docs/testing.md.
test-times:
	$(TIMES) table --write

TIMES := $(PYTHON) tools/test_times.py
TIMED := $(TIMES) run
PYTEST := $(VENV)/bin/python -m pytest -n $(JOBS)

# Builds the C++ tests, if GoogleTest is installed, and the emulated device.
test-programs: dev
	@targets=$$(cmake --build build/dev --target help | sed -nE 's/^(torch_np_tests|torch_np_cuda_emulated): .*/\1/p'); \
	test -z "$$targets" || $(PROGRESS) --log build/dev/tests.log "Building for tests" -- cmake --build build/dev -j $(JOBS) --target $$targets

test-cpp: test-programs
	if test -x build/dev/torch_np_tests; then $(TIMED) test-cpp build/dev/torch_np_tests --gtest_brief=1; fi

test-python: test-programs
	$(TIMED) test-python $(PYTEST) test/python

# Runs the Python tests with their arrays on the GPU, or on the emulated one (docs/cuda.md): those
# that can differ there, or all. If nvcc is installed, it compiles the kernels first.
test-devices test-cuda: test-programs
	if cmake --build build/dev --target help | grep -q '^torch_np_cuda:'; then cmake --build build/dev -j $(JOBS) --target torch_np_cuda; fi
	if $(VENV)/bin/python -c 'import sys, torch_np; sys.exit(not torch_np.cuda.is_available())'; \
	then $(TIMED) $@ $(PYTEST) --max-worker-restart 100 --device cuda $(SECOND_PASS) test/python; \
	else TORCH_NP_CUDA_EMULATED=1 $(TIMED) $@ $(PYTEST) --device cuda $(SECOND_PASS) test/python; fi
test-devices test-pending: SECOND_PASS := --second-pass

# Runs the Python tests with results pending wherever possible (docs/fusion.md): those that can
# differ, or all.
test-pending test-fused-python: test-programs
	TORCH_NP_FUSION=always $(TIMED) $@ $(PYTEST) $(SECOND_PASS) test/python

# Runs the tests of compiled functions and of pending results with each replay and each expression
# verified (torch_np.compiler.verify()).
test-verified: test-programs
	TORCH_NP_VERIFY=1 $(TIMED) $@ $(PYTEST) test/python/compiler test/python/fusion

# Runs a part of the suite on a GPU under compute-sanitizer, which comes from PyPI. Every array has
# a separate allocation, so that accesses beyond it are found.
CUDA_SANITIZED := $(addprefix test/python/numpy_face/test_,indexing.py reductions.py sorting.py products.py histograms.py random.py philox.py linalg.py fft.py) \
  test/python/torch_face/test_scatter.py
test-cuda-sanitizers: dev
	cmake --build build/dev -j $(JOBS) --target torch_np_cuda
	$(PIP) install 'nvidia-cuda-sanitizer-api==13.0.*'
	sanitizer=$$(find $(VENV)/lib -path '*bin/compute-sanitizer'); \
	for tool in 'memcheck --leak-check no' 'racecheck' 'synccheck'; do \
	  echo "== $$tool"; \
	  TORCH_NP_CUDA_NO_CACHE=1 $$sanitizer --tool $$tool --target-processes all --error-exitcode 9 \
	    $(VENV)/bin/python -m pytest -q --device cuda $(CUDA_SANITIZED) || exit 1; \
	done

# Runs some cases of each function in NumPy's own suite with pending results. Cases that pass
# without pending results must pass. (Excluded is a test whose outcome depends on addresses in either
# mode: the order of writes to overlapping elements of an out=.)
NUMPY_CASES ?= 1
NUMPY_SUITE = $(VENV)/bin/python test/conformance/numpy_suite.py --module torch_np.numpy --jobs $(JOBS) --max-cases $(NUMPY_CASES) --tests '^(?!.*mem_overlap.*fuzz)'
test-numpy-pending: dev
	TORCH_NP_FUSION=always $(TIMED) $@ $(NUMPY_SUITE) --compare TORCH_NP_FUSION=off > build/numpy_suite.log || (cat build/numpy_suite.log; exit 1)

test-fused: test-fused-python test-numpy-pending

# Verifies the replays and expressions of all Python tests, of NumPy's suite and of random programs.
# Results are pending wherever possible, so that there are many expressions.
VERIFIED_PROGRAMS ?= 10000
test-all-verified: test-programs
	TORCH_NP_FUSION=always TORCH_NP_VERIFY=1 $(TIMED) $@ $(PYTEST) test/python
	TORCH_NP_FUSION=always TORCH_NP_VERIFY=1 $(TIMED) numpy-suite-verified $(NUMPY_SUITE) --compare TORCH_NP_FUSION=off > build/numpy_suite.log || (cat build/numpy_suite.log; exit 1)
	TORCH_NP_VERIFY=1 $(MAKE) --no-print-directory fuzz PART=programs CALLS=$(VERIFIED_PROGRAMS)

# Calls other libraries with our arrays, and writes the page about them (docs/libraries.md). The
# libraries are installed for these tests only.
$(VENV)/.libraries.stamp: $(VENV)/.stamp requirements-libraries.txt
	$(PIP) install -r requirements-dev.txt -r requirements-libraries.txt
	touch $@

test-libraries: dev $(VENV)/.libraries.stamp
	$(TIMED) test-libraries $(VENV)/bin/python -m pytest test/libraries

libraries-table: dev $(VENV)/.libraries.stamp
	PYTHONPATH=$(CURDIR):$(CURDIR)/test $(VENV)/bin/python -m libraries.tables docs/libraries.md

# Packages written for PyTorch, by the launcher. They are installed without their dependencies.
build/packages/.stamp: requirements-packages.txt
	$(PIP) install --no-deps --target build/packages --upgrade -r requirements-packages.txt
	touch $@

test-packages: dev $(VENV)/.libraries.stamp build/packages/.stamp
	PYTHONPATH=$(CURDIR):$(CURDIR)/test:$(CURDIR)/build/packages $(VENV)/bin/python -m packages

packages-table: dev $(VENV)/.libraries.stamp build/packages/.stamp
	PYTHONPATH=$(CURDIR):$(CURDIR)/test:$(CURDIR)/build/packages $(VENV)/bin/python -m packages --table docs/packages.md

# Runs the Python tests against a NumPy that uses its baseline loops only. Tests that expect results
# of its loops for AVX2 and AVX-512 fail.
test-numpy-baseline: dev
	features=$$($(VENV)/bin/python test/python/support/numpy_oracle.py) || exit 1; \
	echo "== without $$features"; \
	NPY_DISABLE_CPU_FEATURES="$$features" $(PYTEST) test/python

# Tests linear algebra with each of its libraries, and products with our own loops
# (docs/building.md).
test-blas: dev
	for library in mkl openblas loops; do \
	  echo "== $$library"; \
	  TORCH_NP_BLAS=$$library $(PYTEST) test/python/numpy_face/test_linalg.py test/python/numpy_face/test_products.py \
	    test/python/kernels/test_blas_libraries.py || exit 1; \
	done

# Runs all tests once for each instruction set that is compiled and that this machine supports.
test-isa: dev-all
	for capability in baseline avx2 avx512; do \
	  export TORCH_NP_CPU_CAPABILITY=$$capability; \
	  have=$$($(VENV)/bin/python -c 'import torch_np; print(torch_np.cpu.get_cpu_capability())') || exit 1; \
	  test $$have = $$capability || continue; \
	  echo "== $$capability"; \
	  $(MAKE) test-cpp test-python || exit 1; \
	done

# Cross-compiles for Arm (docs/processors.md), and runs tests in an emulator. Both tools are
# Debian's; the linked libraries come from Debian and PyPI.
test-arm: $(VENV)/.stamp
	@(command -v aarch64-linux-gnu-g++ && command -v qemu-aarch64-static) > /dev/null || test "$$(id -u)" != 0 || \
	  (apt-get update -q && apt-get install -qy --no-install-recommends g++-aarch64-linux-gnu qemu-user-static)
	$(VENV)/bin/python tools/aarch64.py prepare
	test -e build/aarch64/build.ninja || cmake --preset aarch64
	cmake --build build/aarch64 -j $(JOBS)
	$(VENV)/bin/python tools/aarch64.py test -j $(JOBS)

# Runs the C++ tests, and all Python tests except those of memory and time, under AddressSanitizer
# and UBSan. test/python/sanitizer_exceptions.txt lists the exceptions with reasons.
test-sanitizers: $(VENV)/.stamp build/.debian
	test -e build/sanitizers/build.ninja || cmake --preset sanitizers
	cmake --build build/sanitizers -j $(JOBS)
	$(VENV)/bin/python tools/run_sanitized.py build/sanitizers -j $(JOBS)

# Runs the tests with threads under ThreadSanitizer. tools/tsan_suppressions.txt lists suppressions
# with reasons.
test-threads: $(VENV)/.stamp
	test -e build/threads/build.ninja || cmake --preset threads
	cmake --build build/threads -j $(JOBS)
	$(VENV)/bin/python tools/run_sanitized.py build/threads --threads

# Fuzzes: hostile arguments, both faces against NumPy and PyTorch's rules, gradients against finite
# differences (docs/testing.md). `make fuzz SEED=7 MINUTES=60`, `PART=hostile` for one part,
# `CALLS=1000000` for a number of cases of each, `PART=... CASE=...` for one case again.
SEED ?= 0
MINUTES ?= 10
fuzz: dev
	PYTHONPATH=$(CURDIR):$(CURDIR)/test nice $(VENV)/bin/python -W ignore -m fuzz --seed $(SEED) --jobs $(JOBS) \
	  $(if $(PART),--part $(PART)) $(if $(CASE),--case $(CASE),$(if $(CALLS),--calls $(CALLS),--minutes $(MINUTES))) \
	  $(if $(WRITE_BOUNDS),--write-bounds)

# Compares special functions with Arb (python-flint and mpmath, from PyPI), and writes the table of
# docs/special.md. POINTS is the number for each function and dtype: 100,000 take 5 minutes.
POINTS ?= 100000
special-accuracy: dev
	$(PIP) install python-flint mpmath
	$(VENV)/bin/python test/python/support/special_accuracy.py $(POINTS) $(FUNCTIONS)

# Follows docs/add_an_operator.md and docs/add_a_pass.md in a copy in build/walkthroughs: builds it,
# and tests it on the CPU and the emulated device.
test-walkthroughs: $(VENV)/.stamp
	$(VENV)/bin/python tools/walkthroughs.py -j $(JOBS) $(if $(MEASURE),--measure) $(CMAKE_OPTIONS)

# Runs NumPy's own test suite against torch_np.numpy: about 160 seconds on 2 cores.
conformance: dev
	$(VENV)/bin/python test/conformance/numpy_suite.py --module torch_np.numpy

# Compares timings with NumPy, and with PyTorch if installed. Writes this processor's column in
# benchmarks/results, and from all columns docs/performance.md and .png. Takes about ten minutes, on
# a quiet machine.
bench: dev
	$(VENV)/bin/python benchmarks/compare.py --backends numpy,torch,torch_np.numpy,torch_np --json build/benchmarks.json
	$(VENV)/bin/python benchmarks/report.py build/benchmarks.json

# Measures whether our own functions or a library's are faster on this processor: the rows of the
# tables that choose between them.
tune: dev
	cmake --build build/dev -j $(JOBS) --target tune_vector_math
	build/dev/tune_vector_math
	$(VENV)/bin/python benchmarks/tune_products.py

# Compares timings on a GPU with PyTorch and CuPy, if installed, in docs/performance.md.
bench-cuda: dev
	cmake --build build/dev -j $(JOBS) --target torch_np_cuda
	$(VENV)/bin/python benchmarks/gpu.py --json build/cuda.json --page docs/performance.md

# Runs whole programs with NumPy and with torch_np.numpy: one minute. `NPBENCH=` is a checkout of
# github.com/spcl/npbench; `LINES=1` shows the slower lines of programs.
bench-programs: dev
	$(VENV)/bin/python benchmarks/programs.py $(if $(NPBENCH),--npbench $(NPBENCH)) $(if $(LINES),--lines)

# Measures a call of a library's operator, compared with the same operator of the engine.
bench-operators: dev
	$(VENV)/bin/python benchmarks/operators_of_your_own.py

# Runs the examples in the docstrings of NumPy (or PyTorch: LIBRARY=torch) on it and on torch_np:
# two to ten minutes.
bench-examples: dev
	$(VENV)/bin/python benchmarks/doc_examples.py $(or $(LIBRARY),numpy)

# Compares layers and training steps of torch_np.nn with PyTorch, if installed, and the peak memory
# of steps: four minutes, on a quiet machine.
bench-nn: dev
	$(VENV)/bin/python benchmarks/nn.py --json build/nn.json

# Measures the parts of a training step in two processes, and extrapolates to many nodes
# (docs/scaling.md): a minute, on a quiet machine.
bench-distributed: dev
	$(VENV)/bin/python -m torch_np.distributed.run -n 2 benchmarks/processes.py --json build/distributed.json
	$(VENV)/bin/python benchmarks/scaling.py build/distributed.json

# Compares functions written for NumPy, with and without fusion, with NumPy and, if installed,
# numexpr, Numba, JAX and torch.compile. Ours alone take a minute.
bench-fused: dev
	$(VENV)/bin/python benchmarks/fused.py --json build/fused.json

# Runs public programs written for PyTorch, with only their imports redirected. `CHECKOUTS=` is a
# folder with their checkouts (listed in the script).
torch-programs: dev
	$(VENV)/bin/python test/conformance/torch_programs.py $(CHECKOUTS)

# Counts instructions per call under callgrind, compared with benchmarks/instructions.txt; and the
# overhead of the NumPy face.
bench-instructions: dev
	cmake --build build/dev -j $(JOBS) --target _C_native
	$(VENV)/bin/python benchmarks/instructions.py --native build/dev/native

# Builds the documentation site, build/docs/html: pages, gallery, reference. A Sphinx warning or a
# broken link is an error.
$(VENV)/.stamp-docs: requirements-docs.txt $(VENV)/.stamp
	$(PIP) install -r requirements-docs.txt
	touch $@

docs: dev $(VENV)/.stamp-docs
	$(TIMED) docs $(VENV)/bin/python -m tools.documentation.site

# Checks the site in a headless browser from Debian: scripts raise no errors, and the search works.
# `PICTURES=folder` takes screenshots.
test-docs: docs
	@command -v chromium > /dev/null || test "$$(id -u)" != 0 || (apt-get update -q && apt-get install -qy --no-install-recommends chromium)
	$(VENV)/bin/python -m tools.documentation.browse $(PICTURES)

# test/python/package/codegen holds the generator's exact output.
FORMATTED = $(shell git ls-files '*.cpp' '*.h' '*.cu' | grep -v '^test/python/package/codegen/')
# The build makes the package's stubs, which mypy reads.
lint: dev
	$(VENV)/bin/clang-format --dry-run --Werror $(FORMATTED)
	$(VENV)/bin/ruff check torch_np torch_np_dask tools test examples benchmarks
	$(VENV)/bin/mypy torch_np torch_np_dask examples tools/codegen
	$(VENV)/bin/python -m tools.words
	$(VENV)/bin/python -m tools.header_cost

# Runs clang-tidy, from PyPI, over the hand-written C++ (.clang-tidy): a quarter of a minute a file,
# so not in lint. TIDY=csrc/args/call.cpp selects files.
TIDY ?= $(shell git ls-files 'aten/*.cpp' 'csrc/*.cpp')
tidy: dev
	$(PIP) install 'clang-tidy==20.1.0'
	echo $(TIDY) | tr ' ' '\n' | xargs -P $(JOBS) -n 1 $(VENV)/bin/clang-tidy -p build/dev --quiet

format: $(VENV)/.stamp
	$(VENV)/bin/clang-format -i $(FORMATTED)

clean:
	rm -rf build dist torch_np/*.so torch_np/_operators.json torch_np/*.pyi torch_np/_C
