"""Writes every generated file that changed:

    python -m tools.codegen --source DIR --output DIR [--python-output DIR] [--native-only] [--list]

The list of files depends on the families and the existing functor headers only, so that CMake knows
it beforehand (--list prints it).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.codegen import (derivatives, emit_bindings, emit_boxed, emit_distributions, emit_functions, emit_kernels, emit_meta, emit_nodes,
                           emit_stubs, emit_tables, loader)
from tools.codegen.model import Entry, SpecError

LOOP_PARTS = 2  # files per functor header


def functor_headers(source: Path) -> list[str]:
    return [h.name for h in sorted((source / "aten/functors").glob("*.h"))
            if "struct FunctorSignature" not in h.read_text() and not h.stem.endswith("_math")]


# File patterns per family, i.e. per yaml file: a new operator changes the files of its family only.
FAMILY_FILES = ("aten/functions/{}.h", "aten/operators/{}.cpp", "aten/kernel_functions/{}.h", "aten/native_functions/{}.h",
                "aten/meta_functions/{}.h",
                "aten/operator_tables/{}.h", "aten/operators/{}_tables.cpp", "aten/cuda_kernels/{}.h", "aten/autograd_nodes/{}.h",
                "aten/autograd_nodes/{}.cpp", "csrc/bindings/{}.h", "csrc/bindings/{}.cpp", "csrc/tables/{}.cpp")


def file_list(source: Path) -> list[str]:
    families = [f.stem for f in loader.files(source / "native_functions.yaml")]
    files = ["aten/functions.h", "aten/boxed_families.h", "aten/machine_operations.h", "aten/cuda_tables.cpp", "aten/random/distribution.h",
             "csrc/tables.cpp"]
    files += [name.format(f) for f in families for name in FAMILY_FILES]
    files += [f"aten/cuda_loops_{Path(h).stem}.cu" for h in functor_headers(source)]
    files += [f"aten/scalar_loops_{k}.cpp" for k in range(LOOP_PARTS)]
    return files + [f"aten/loops_{Path(h).stem}_{k}.cpp" for h in functor_headers(source) for k in range(LOOP_PARTS)]


def generate(yaml: Path, source: Path, native_only: bool = False) -> tuple[dict[str, str], dict[str, str]]:
    """The text of every C++ file, and of every file of the Python package. Raises SpecError with
    all mistakes.

    With `native_only`, the bindings omit the entries of NumPy's face, to measure their cost for the
    other face.
    """
    entries = loader.load(yaml)
    if native_only:
        entries = [e for e in entries if not e.np_compat]
    errors: list[str] = []

    def report(entry: Entry, error: Exception) -> None:
        errors.append(f"{entry.place}: {entry.schema.full_name}: {error}")

    where = emit_kernels.functors(source / "aten/functors")
    natives = [e for e in entries if not e.np_compat]
    parsed: dict[str, derivatives.Derivative] = {}
    seen: dict[str, Entry] = {}
    for e in natives:
        try:
            if e.schema.full_name in seen:
                raise SpecError(f"is also in {seen[e.schema.full_name].place}")
            seen[e.schema.full_name] = e
            emit_kernels.check(e, where)
            if d := derivatives.parse(e):
                parsed[e.schema.full_name] = d
        except SpecError as error:
            report(e, error)
    python = emit_bindings.plan(entries, report)
    emit_tables.check_folds(entries, report)
    if errors:
        raise SpecError("\n".join(errors))

    families = [f.stem for f in loader.files(yaml)]
    family_of = {e.schema.name: e.family for e in natives}
    cpp = {
        "aten/functions.h": emit_functions.all_functions_h(families),
        "aten/boxed_families.h": emit_boxed.families_h(families),
        "aten/machine_operations.h": emit_kernels.machine_operations(natives),
        "aten/cuda_tables.cpp": emit_kernels.cuda_tables(families, natives, where),
        "aten/random/distribution.h": emit_distributions.distribution_h([d for e in natives for d in e.distributions]),
        "csrc/tables.cpp": emit_tables.all_tables(families),
    }
    for f in families:
        own = [e for e in natives if e.family == f]
        differentiable = [d for d in parsed.values() if d.entry.family == f]
        bindings = [b for b in python.bindings if b.family == f]
        texts = (emit_functions.functions_h(f, own), emit_functions.functions_cpp(f, own, parsed, emit_boxed.table(f, own)),
                 emit_functions.kernel_functions_h(f, own), emit_functions.native_functions_h(f, own),
                 emit_meta.meta_functions_h(f, own),
                 emit_kernels.tables_h(f, own), emit_kernels.tables_cpp(f, own), emit_kernels.cuda_kernels_h(f, own),
                 emit_nodes.nodes_h(f, differentiable), emit_nodes.nodes_cpp(f, differentiable, family_of),
                 emit_bindings.bindings_h(f, bindings), emit_bindings.bindings_cpp(f, bindings), emit_tables.tables(f, python, entries))
        cpp |= {name.format(f): text for name, text in zip(FAMILY_FILES, texts, strict=True)}
    headers = functor_headers(source)
    cpp |= {f"aten/{n}": t for n, t in emit_kernels.units(headers, LOOP_PARTS, natives, where).items()}
    cpp |= {f"aten/{n}": t for n, t in emit_kernels.scalar_units(LOOP_PARTS, natives, where).items()}
    cpp |= {f"aten/{n}": t for n, t in emit_kernels.cuda_units(headers, natives, where).items()}
    return cpp, emit_stubs.files(entries, python)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def remove_old_stubs(folder: Path, files: dict[str, str]) -> None:
    """Removes stubs of earlier generators. They would hide the annotations of the modules beside
    them from type checkers."""
    for stub in folder.rglob("*.pyi"):
        if str(stub.relative_to(folder)) not in files:
            stub.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools.codegen", description=__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--python-output", type=Path)
    parser.add_argument("--native-only", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print(";".join(file_list(options.source)))
        return 0
    try:
        cpp, package = generate(options.source / "native_functions.yaml", options.source, options.native_only)
    except SpecError as error:
        print(error, file=sys.stderr)
        return 1
    write(options.output, cpp)
    if options.python_output:
        write(options.python_output, package)
        remove_old_stubs(options.python_output, package)
    return 0


if __name__ == "__main__":
    sys.exit(main())
