# Everything sets itself up: a virtual environment in .venv, dependencies by name from PyPI.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
BUILD  := build/dev
JOBS   ?= $(shell nproc)

.PHONY: demo test dev test-cpp test-python test-sanitizers conformance bench clean

$(VENV)/.ready: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check \
	  "scikit-build-core>=0.10" cmake ninja mkl-static mkl-include tbb-devel onednn-devel-cpu-tbb \
	  numpy==2.4.6 ml_dtypes pyyaml scikit-learn matplotlib tqdm pytest pytest-xdist hypothesis mypy types-PyYAML ruff
	touch $@

# GoogleTest and ccache are Debian packages; without them (and without root) only the GoogleTests are left out.
$(VENV)/.system: $(VENV)/.ready
	@if test "$$(id -u)" = 0 && command -v apt-get > /dev/null; then \
	  for p in libgtest-dev ccache; do dpkg -s $$p > /dev/null 2>&1 || missing="$$missing $$p"; done; \
	  test -z "$$missing" || { apt-get update -qq; apt-get install -y -qq $$missing; } > /dev/null || true; fi
	touch $@

CONFIGURE = PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cmake -G Ninja -S . -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
GTEST     = $(if $(wildcard /usr/include/gtest/gtest.h),ON,OFF)

$(BUILD)/build.ninja: $(VENV)/.system CMakeLists.txt
	$(CONFIGURE) -B $(BUILD) -DTORCH_NP_INPLACE=ON -DTORCH_NP_TESTS=$(GTEST)

dev: $(BUILD)/build.ninja           ## build in place: `python -c "import torch_np"` works from here
	$(BIN)/ninja -C $(BUILD) -j $(JOBS)

demo: dev
	PYTHONPATH=. $(BIN)/python examples/digits.py
	PYTHONPATH=. $(BIN)/python examples/lattice_boltzmann.py 1500

test: test-cpp test-python

test-cpp: dev
	@if test -x $(BUILD)/engine_tests; then $(BUILD)/engine_tests --gtest_brief=1; else echo "no GoogleTest: skipped"; fi

test-python: dev
	PYTHONPATH=. $(BIN)/python -m pytest -n $(JOBS) test/python

# The engine's tests and the malformed calls under AddressSanitizer and UndefinedBehaviorSanitizer.
SANITIZED = build/sanitizers
test-sanitizers: $(VENV)/.system
	$(CONFIGURE) -B $(SANITIZED) -DTORCH_NP_SANITIZE=address,undefined -DTORCH_NP_TESTS=$(GTEST) -DCMAKE_BUILD_TYPE=RelWithDebInfo
	$(BIN)/ninja -C $(SANITIZED) -j $(JOBS)
	test ! -x $(SANITIZED)/engine_tests || $(SANITIZED)/engine_tests --gtest_brief=1
	mkdir -p $(SANITIZED)/package/torch_np && cp -r torch_np/. $(SANITIZED)/python/ 2>/dev/null || true
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libubsan.so)" \
	  PYTHONPATH=$(SANITIZED)/package:. $(BIN)/python -m pytest -q test/python/test_malformed_calls.py

conformance: dev                    ## NumPy's own test suite, run against torch_np.numpy
	PYTHONPATH=. $(BIN)/python test/conformance/numpy_suite.py --module torch_np.numpy

bench: dev
	PYTHONPATH=. $(BIN)/python benchmarks/compare.py

clean:
	rm -rf build torch_np/_C*.so torch_np/libtorch_np.so torch_np/_operators.json
	find torch_np -name '*.pyi' -delete
