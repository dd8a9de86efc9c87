"""Shared libraries of operators, compiled by the tests against the folder of torch_np/extension.h
alone: no other include path is given.

Workers of pytest-xdist share the compiled libraries. Most are written in C: the C interface
compiles ten times as fast as the C++ part of the header.
"""
from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import torch_np

INCLUDE = torch_np.library.include_dir()
HEADER = Path(INCLUDE, "torch_np", "extension.h")
FLAGS = ("-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra")

needs_compiler = pytest.mark.skipif(not (shutil.which("g++") and shutil.which("gcc")), reason="there is no g++ to build libraries with")

# The beginning of every library in C. OPERATOR(name, ...) is a table; its default forward writes
# zeros.
C_START = r"""
#include <torch_np/extension.h>
#include <string.h>
#define EXPORTED __attribute__((visibility("default")))
#define UNUSED __attribute__((unused))
UNUSED static int32_t fail(const TorchNpCall* call, int32_t kind, const char* message) {
  call->host->set_error(call->context, kind, message);
  return 1;
}
UNUSED static int32_t nothing(const TorchNpOperator* op, const TorchNpCall* call) { return (void)op, (void)call, 0; }
UNUSED static void forget(const TorchNpOperator* op, void* state) { (void)op, (void)state; }
#define OPERATOR(name_, ...) {.size = sizeof(TorchNpOperator), .name = name_, .forward_cpu = nothing, __VA_ARGS__}
"""
C_VERSION = "EXPORTED const int32_t torch_np_extension_version[2] = {TORCH_NP_EXTENSION_MAJOR, TORCH_NP_EXTENSION_MINOR};\n"
C_ENTRY = """
EXPORTED const TorchNpLibrary* torch_np_extension_library(const TorchNpHost* host, void* context);
EXPORTED const TorchNpLibrary* torch_np_extension_library(const TorchNpHost* host, void* context) {
  (void)host, (void)context;
"""


def c_library(tables: str, before: str = "") -> str:
    """The source of a library in C with the operators `tables`, a list of initializers separated by
    commas. `before` defines the functions that they name."""
    return (f"{C_START}{before}\n{C_VERSION}static const TorchNpOperator tables[] = {{\n{tables}}};\n{C_ENTRY}"
            "  enum { kCount = sizeof(tables) / sizeof(tables[0]) };\n  static const TorchNpOperator* all[kCount];\n"
            "  static TorchNpLibrary library = {sizeof(library), kCount, all};\n"
            "  for (int i = 0; i < kCount; ++i) all[i] = &tables[i];\n  return &library;\n}\n")


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """A lock between processes, so that only the first one builds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Builds:
    """Compiles sources, each once in a run of the tests."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def c(self, name: str, source: str, flags: Sequence[str] = ()) -> Path:
        return self._built(name, {f"{name}.c": source}, ["gcc", "-std=gnu11", "-Wno-missing-field-initializers", *FLAGS, *flags])

    def cpp(self, name: str, *sources: str, flags: Sequence[str] = (), compiler: str = "g++") -> Path:
        files = {f"{name}_{i}.cc": source for i, source in enumerate(sources)}
        return self._built(name, files, [compiler, "-std=c++17", *FLAGS, *flags])

    def _built(self, name: str, files: dict[str, str], command: list[str]) -> Path:
        command = [*command, f"-I{INCLUDE}"]
        key = hashlib.sha256("\0".join([*command, *files, *files.values(), HEADER.read_text()]).encode()).hexdigest()[:16]
        folder = self._folder / f"{name}-{key}"
        folder.mkdir(exist_ok=True)
        made = folder / f"lib{name}.so"
        with locked(folder / "lock"):
            if not made.exists():
                for file, text in files.items():
                    (folder / file).write_text(text)
                unfinished = folder / "unfinished.so"
                ran = subprocess.run([*command, *(str(folder / file) for file in files), "-o", str(unfinished)],
                                     capture_output=True, text=True, env=compiler_environment())
                assert ran.returncode == 0, ran.stderr
                unfinished.rename(made)
        return made


def compiler_environment() -> dict[str, str]:
    """Removes libraries that a sanitizer's run preloads into Python: the compiler is not under
    test."""
    return {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
