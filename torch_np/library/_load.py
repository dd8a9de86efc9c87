"""`load`: opens, describes and lists C++ libraries of operators."""
from __future__ import annotations

import logging
import os
import threading
import traceback
from typing import Any, NamedTuple

from torch_np import _C, _backends, _registry
from torch_np.library import _schema

_log = logging.getLogger("torch_np.library")
_lock = threading.RLock()
# This lock is held across fork, as that of _registry. load() acquires it before the one of
# _registry; at a fork, handlers registered last run first, so the order is the same.
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
_LETTERS = {"bool": "b", "int": "i", "float": "f", "Scalar": "c", "str": "s"}


class LoadedLibrary(NamedTuple):
    """A loaded library: the path of its file, with links resolved, and the names of its operators.
    """

    path: str
    operators: list[str]


_loaded: dict[str, LoadedLibrary] = {}
# identity of each file when it was last opened, including files that were refused
_opened: dict[str, tuple[int, ...]] = {}


def load(path: str | os.PathLike[str]) -> list[str]:
    """Loads a shared library of operators that was built with `torch_np/extension.h`, and registers
    its contents.

    Operators are registered for Tensors in `torch_np.ops` and for ndarrays in
    `torch_np.numpy._ops`; partitioners become backends of `torch_np.compile`. Returns the names of
    the operators. Loading a library again does nothing.

        names = torch_np.library.load("libgemm.so")
        c = torch_np.ops.my_gemm(a, b)

    Either all contents are registered or none. The names are logged to the logger
    `torch_np.library`.

    Args:
      path: Path of the library.

    Errors: FileNotFoundError; OSError for a file that is not a shared library, has unresolved
    symbols, or changed since it was loaded; RuntimeError for a library without operators, one built
    for another version of the header, or one that refuses this version; ValueError for invalid
    operators, and for names that are registered already (both libraries are named).
    """
    given = os.fsdecode(path)
    if not os.path.isfile(given):
        raise FileNotFoundError(f"torch_np.library.load(): there is no file {given}")
    found = os.path.realpath(given)
    with _lock:
        identity = _identity(found)
        if _opened.get(found, identity) != identity and _C._library_is_open(found):
            raise OSError(f"torch_np.library.load(): {found} was loaded before and has changed since: start the program again")
        if found in _loaded:
            return list(_loaded[found].operators)
        _opened[found] = identity
        try:
            library, rows = _C._library_open(found)
        except RuntimeError as error:
            # SharedLibrary::open writes this message. A library's own message begins with its file
            # name, which has no slash.
            if str(error).startswith("the library /"):
                raise OSError(f"torch_np.library.load(): {error}") from None
            raise
        operators: list[Any] = []
        try:
            for i, row in enumerate(rows):
                operators.append(_operator(library, i, found, *row))
            _check_names(operators, found)
            backends = _backends.of_library(library, found)
            _backends.check_free(backends)
            _registry.add(operators)
            _backends.add(backends)
        except BaseException as error:  # close the file: a rebuilt file is not mistaken for it then
            library = None
            operators.clear()
            backends = []
            traceback.clear_frames(error.__traceback__)
            raise
        names = [op.qualified_name for op in operators]
        _loaded[found] = LoadedLibrary(found, names)
    _log.info("Found %d operator%s in %s: %s", len(names), "" if len(names) == 1 else "s", found, ", ".join(names))
    for backend in backends:
        _log.info("Found the backend %s of torch_np.compile in %s", backend.name, found)
    return list(names)


def list_libraries() -> list[LoadedLibrary]:
    """Returns the loaded libraries, in the order of loading."""
    with _lock:
        return [LoadedLibrary(each.path, list(each.operators)) for each in _loaded.values()]


def _identity(path: str) -> tuple[int, ...]:
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _check_names(operators: list[Any], path: str) -> None:
    names = [op.qualified_name for op in operators]
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise ValueError(f"{path}: several operators of the same name: {', '.join(twice)}")


def _operator(library: Any, index: int, path: str, name: str, schema: str | None, doc: str | None, letters: str | None) -> Any:
    """Returns the Tensor version of an operator, which refers to its ndarray version."""
    _registry.check_library_name(name, path)
    where = f"operator {name} of {path}"
    described = None if schema is None else _schema.from_text(schema, where)
    if described is not None:
        _check_defaults(described, where)
    if described is not None and letters is not None:
        _check_letters(described, letters, where)
    made = [_face(library, index, numpy_face, described, where) for numpy_face in (False, True)]
    text = "(*inputs, **attributes)" if described is None else str(described)
    for op, kind, find in zip(made, ("", " of arrays"), (_registry.found, _registry.found_numpy)):
        op.qualified_name, op.origin, op.__doc__ = name, path, doc
        op.__name__ = op.__qualname__ = _registry.split(name)[1]
        op.__module__ = "torch_np.ops"
        op.__signature__ = _schema.ANY_SIGNATURE if described is None else described.numpys_signature if kind else described.signature
        op.schema = described
        op._text = f"<operator {name}{text}{kind}>"
        op._reduced = (find, (name,))
    made[0]._numpy_operator = made[1]
    return made[0]


def _face(library: Any, index: int, numpy_face: bool, described: _schema.Schema | None, where: str) -> Any:
    if described is None:
        return _C.LibraryOperator(library, index, numpy_face, None, -1, "one")
    names = described.numpys_names if numpy_face else {p.name: p.name for p in described.parameters}
    rows = [(names[p.name], p.kind, p.several, p.optional, () if p.default is _schema.REQUIRED else p.default, p.keyword_only, p.mutated,
             [a for a in (p.name, *described.aliases.get(p.name, ())) if a != names[p.name]],
             p.name) for p in described.parameters]
    results = "list" if described.results is None else "one" if described.single else "tuple"
    try:
        return _C.LibraryOperator(library, index, numpy_face, rows, -1 if described.results is None else described.results, results)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _letters_of(parameter: _schema.Parameter) -> str:
    if parameter.is_tensor:
        return "L" if parameter.several else "T"
    letter = _LETTERS[parameter.kind]
    return (letter.upper() if parameter.several else letter) + ("?" if parameter.optional else "")


def _check_defaults(described: _schema.Schema, where: str) -> None:
    """Checks integer defaults. Errors: ValueError for an integer that does not fit into 64 bits."""
    for p in described.parameters:
        given = p.default if p.several and p.default is not _schema.REQUIRED else [p.default]
        for value in given or ():
            if p.kind in ("int", "Scalar") and isinstance(value, int) and not -2**63 <= value < 2**63:
                raise ValueError(f"{where}: {value}, the default of '{p.name}', does not fit into 64 bits")


def _check_letters(described: _schema.Schema, letters: str, where: str) -> None:
    """Checks the signatures of C++ functions. Errors: ValueError unless they match the schema."""
    arguments = "".join(map(_letters_of, described.parameters))
    results = "L" if described.results is None else "T" * described.results
    for group in letters.split(";"):
        function, _, taken = group.partition(":")
        if function not in ("forward", "shape", "gradient"):
            continue  # a function of a newer minor version, which this library does not know
        wanted = arguments + results if function == "forward" else arguments
        if taken != wanted:
            raise ValueError(f"{where}: its C++ function for {function} takes ({_in_words(taken)}), its schema {described} has ({_in_words(wanted)})" + (", the last for the results" if wanted != arguments else ""))


_IN_WORDS = {"T": "Tensor", "L": "std::vector<Tensor>", "b": "bool", "i": "int64_t", "f": "double", "c": "std::complex<double>",
             "s": "std::string", "B": "std::vector<bool>", "I": "std::vector<int64_t>", "F": "std::vector<double>"}


def _in_words(letters: str) -> str:
    words: list[str] = []
    for letter in letters:
        if letter == "?" and words:
            words[-1] = f"std::optional<{words[-1]}>"
        else:
            words.append(_IN_WORDS.get(letter, letter))
    return ", ".join(words)
