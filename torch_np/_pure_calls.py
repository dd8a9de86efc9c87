"""The calls that a compiled function may make while it is recorded, as data. Any other call of a
function in C, or of a function in Python's standard library, is a graph break: its result may
depend on state that no guard covers.
"""
from __future__ import annotations

import builtins
import sys
import types
from typing import Any

from . import _C, _inspections, _public_names

_ARGUMENTS = "its result depends on its arguments alone"
_CONTENTS = "it reads or changes its object alone, whose contents are guarded or made by the call"
_NAMES = "it reads by a name that it is given, and guards cover all attributes that it can find"
_EFFECT = "it has an effect, which happens when the function is recorded, and returns nothing of what is outside"
_GUARDED = "it reads the environment, which is guarded"

# Functions in C: owner (a module, or a class), names (None: all but the exceptions below), reason.
C_FUNCTIONS: list[tuple[str, tuple[str, ...] | None, str]] = [
    ("builtins", ("abs", "all", "any", "ascii", "bin", "callable", "chr", "divmod", "format", "hex", "isinstance", "issubclass", "len", "max", "min", "oct",
                  "ord", "pow", "repr", "round", "sorted", "sum"), _ARGUMENTS),
    ("builtins", ("iter", "next", "aiter", "anext", "setattr", "delattr", "__build_class__"), _CONTENTS),
    ("builtins", ("getattr", "hasattr"), _NAMES),
    ("builtins", ("print",), _EFFECT),
    *((module, None, _ARGUMENTS) for module in (
        "math", "cmath", "_operator", "operator", "_functools", "functools", "itertools", "_bisect", "_heapq", "_struct", "struct", "binascii", "zlib", "_json", "_sre",
        "re", "unicodedata", "_statistics", "_string", "_abc", "_collections", "collections", "_collections_abc", "_typing", "typing", "errno", "_hashlib", "_sha2",
        "_md5", "_sha1", "_blake2", "_sha3", "_csv", "_datetime", "_types", "types")),
    *((f"builtins.{cls}", None, _CONTENTS) for cls in (
        "object", "int", "float", "complex", "bool", "str", "bytes", "bytearray", "memoryview", "tuple", "list", "dict", "set", "frozenset", "range", "slice", "type",
        "property", "generator", "coroutine", "dict_keys", "dict_values", "dict_items", "mappingproxy", "BaseException", "Exception", "super", "method", "function",
        "NoneType", "code", "cell", "builtin_function_or_method", "method_descriptor", "list_iterator", "dict_keyiterator", "tuple_iterator", "reversed", "map",
        "filter", "zip", "enumerate", "str_iterator", "range_iterator", "types.GenericAlias", "odict_iterator", "staticmethod", "classmethod")),
    *((cls, None, _CONTENTS) for cls in (
        "collections.deque", "collections.OrderedDict", "collections.defaultdict", "functools.partial", "re.Pattern", "re.Match", "types.GenericAlias",
        "types.SimpleNamespace", "datetime.date", "datetime.time", "datetime.datetime", "datetime.timedelta", "datetime.timezone", "datetime.tzinfo", "weakref.ref",
        "weakref.ReferenceType", "_io.StringIO", "_io.BytesIO", "_struct.Struct", "_hashlib.HASH", "functools._lru_cache_wrapper", "array.array",
        "operator.itemgetter", "operator.attrgetter", "_json.Scanner", "_json.Encoder", "_abc._abc_data", "typing.TypeVar")),
    *((cls, ("write", "writelines", "flush", "close"), _EFFECT) for cls in ("_io.TextIOWrapper", "_io.BufferedWriter", "_io.FileIO", "_io.BufferedRandom")),
    *((cls, ("acquire", "release", "__enter__", "__exit__"), _EFFECT) for cls in ("_thread.lock", "_thread.RLock")),
    ("_warnings", ("warn", "warn_explicit"), _EFFECT), ("_thread", ("allocate_lock", "RLock"), _EFFECT), ("sys", ("intern", "exc_info", "exception"), _CONTENTS),
    ("io", ("text_encoding",), _ARGUMENTS), ("_io", ("text_encoding",), _ARGUMENTS), ("posix", ("fspath",), _ARGUMENTS), ("nt", ("fspath",), _ARGUMENTS),
    ("_weakref", ("proxy",), _CONTENTS),
    ("_imp", ("acquire_lock", "release_lock"), _EFFECT),
    ("itertools.chain", ("from_iterable",), _ARGUMENTS), ("", ("maketrans",), _ARGUMENTS),  # a static method has no owner
    ("torch_np", None, "an operator is recorded; settings are guarded"), ("numpy", None, "its arrays are guarded, or made by the call"),
]
# Functions of this package that read files, or settings and counters that no guard covers.
SETTINGS: tuple[tuple[str, ...], str] = (
    ("initial_seed", "seed", "get_rng_state", "get_rng_state_all", "get_state", "get_num_threads", "get_num_interop_threads", "memory_allocated", "memory_reserved",
     "max_memory_allocated", "memory_stats", "mem_get_info", "current_device", "current_device_index", "current_stream", "get_printoptions", "geterr", "getbufsize", "geterrcall",
     "statistics", "kernel_statistics", "machine_code_statistics", "get_mode", "get_bit_generator", "get_worker_info", "get_sharing_strategy", "draw_seed", "get_rank",
     "get_world_size", "is_initialized", "get_all_registered_operators", "list_backends", "default_rng", "is_inference_mode_enabled", "load", "load_file",
     "loadtxt", "genfromtxt", "fromfile", "from_file", "fromregex", "memmap", "open_memmap", "safe_open"), "it reads a file, a setting or a counter")
# Not of these owners.
C_EXCEPTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "builtins.object": (("__hash__", "__repr__", "__str__", "__dir__", "__sizeof__"), "it depends on the object's address, or on all of its attributes"),
    "builtins.type": (("__subclasses__", "__dir__"), "it depends on all classes of the program"),
    "datetime.date": (("today",), "a clock"), "datetime.datetime": (("now", "utcnow", "today", "fromtimestamp", "timestamp", "astimezone"), "a clock, or the local time zone"),
    "functools._lru_cache_wrapper": (("cache_info",), "it reads the state of a cache"),
    "numpy": (("fromfile", "memmap", "_get_extobj", "geterr", "get_printoptions", "get_handler_name", "get_handler_version", "seterr", "geterrcall"),
              "it reads a file, or a setting of NumPy"),
}
C_EXCEPTIONS["torch_np"] = SETTINGS

# Python's standard library: modules whose functions may run, with the reason. Their calls of C
# functions are subject to the list above.
_PURE_PYTHON = "its functions depend on their arguments alone"
MODULES: dict[str, str] = dict.fromkeys((
    "abc", "_collections_abc", "collections", "collections.abc", "contextlib", "copy", "copyreg", "dataclasses", "enum", "functools", "fractions", "numbers", "operator",
    "re", "re._compiler", "re._parser", "re._casefix", "re._constants", "string", "textwrap", "typing", "types", "json", "json.encoder", "json.decoder", "json.scanner",
    "statistics", "heapq", "bisect", "posixpath", "ntpath", "genericpath", "pathlib", "pathlib._local", "pathlib._abc", "pathlib.types", "keyword", "reprlib", "struct",
    "base64", "hashlib", "colorsys", "datetime", "io", "_weakrefset", "weakref", "zlib", "cmath", "graphlib", "_py_abc"), _PURE_PYTHON)
# Functions of other modules.
FUNCTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "os": (("__getitem__", "get", "getenv", "getenvb", "__contains__", "__iter__", "__len__", "keys", "encode", "decode", "encodekey", "fspath", "fsencode", "fsdecode", "_fspath"),
           _GUARDED)}
# Functions of the modules above that read more than their arguments.
MODULE_EXCEPTIONS: dict[str, tuple[str, ...]] = {
    "posixpath": ("expanduser", "expandvars", "abspath", "realpath"), "ntpath": ("expanduser", "expandvars", "abspath", "realpath"), "pathlib": ("cwd", "home", "expanduser"),
    "typing": ("get_type_hints",)}
# Functions that these modules may call although a function itself may not: they use the result as
# a key, or to make a class.
WITHIN = {"id", "hash", "vars", "dir", "eval", "exec", "globals", "locals", "_getframe", "_getframemodulename", "get_ident", "__hash__", "compile", "open_code",
          "lock_held", "__subclasses__", "__import__", "getrecursionlimit", "mro", "__repr__"}
# Modules whose functions run for their effects. Calls inside are not examined.
EFFECTS: dict[str, tuple[tuple[str, ...] | None, str]] = {
    "logging": (("debug", "info", "warning", "error", "critical", "exception", "log", "getLogger"), _EFFECT), "warnings": (None, _EFFECT)}

# Classes of the standard library and NumPy that read state when they are called, or whose instances
# do: a function that names one of them runs uncompiled.
CLASSES: dict[str, str] = {
    "decimal.Decimal": "decimal arithmetic depends on the context of the thread", "random.Random": "it draws a seed", "random.SystemRandom": "it draws random numbers",
    "threading.local": "its attributes depend on the thread", "_thread._local": "its attributes depend on the thread"}

# Variables of library modules that no guard covers.
VARIABLES: dict[str, str] = {
    "sys.modules": "through which code can find any variable", "sys.last_value": "which the interpreter sets", "sys.last_traceback": "which the interpreter sets",
    "sys.stdin": "whose contents no guard covers"}

# Attributes of functions, frames and generators through which code can find any variable.
ATTRIBUTES = frozenset({"__globals__", "__builtins__", "f_globals", "f_locals", "f_builtins", "f_back", "gi_frame", "gi_yieldfrom", "cr_frame", "ag_frame", "tb_frame"})

_KNOWN: dict[tuple[str, str | None], str] = {}
for _owner, _names, _reason in C_FUNCTIONS:
    for _name in _names or (None,):
        _KNOWN[_owner, _name] = _reason


def owner_of(function: Any) -> str:
    """Returns the module of a function in C, or the class that has the method."""
    held = getattr(function, "__self__", None)
    if held is None or isinstance(held, types.ModuleType):
        return _public_names.own(str(function.__module__ or getattr(held, "__name__", "")))
    name = function.__name__
    for cls in (*(held.__mro__ if isinstance(held, type) else ()), *type(held).__mro__):
        if name in vars(cls) and not isinstance(vars(cls)[name], types.FunctionType):
            return f"{_public_names.own(cls.__module__)}.{cls.__qualname__}"
    return f"{_public_names.own(type(held).__module__)}.{type(held).__qualname__}"


def name_of(function: Any) -> str:
    owner = owner_of(function)
    return f"{owner.removeprefix('builtins.') if owner != 'builtins' else ''}.{function.__name__}".lstrip(".")


def reason_to_record(function: Any) -> str | None:
    """Returns why a function in C may be called while a function is recorded; None if it may not."""
    owner, name = owner_of(function), function.__name__
    top = owner.partition(".")[0]
    for key in (owner, top):
        if name in C_EXCEPTIONS.get(key, ((),))[0]:
            return None
    if owner.startswith("numpy.random"):
        return None
    return _KNOWN.get((owner, name)) or _KNOWN.get((owner, None)) or (_KNOWN.get((top, None)) if top in ("torch_np", "numpy") else None)


CLOCKS = ("now", "utcnow", "today", "fromtimestamp")  # of dates


def is_exception(name: str) -> bool:
    """Whether a method of this name may read more than its object."""
    return any(name in names for names, _ in C_EXCEPTIONS.values())


def is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


class Calls:
    """Notes the first call that no list covers (csrc/compiler/call_watch.h).

    Args:
      codes: Code of the functions whose state is guarded.
    """

    def __init__(self, codes: set[types.CodeType]) -> None:
        self.codes = codes
        self.trouble: str | None = None
        self.is_misled = False  # code has seen a 0-d array where it would have seen a scalar
        self.known: dict[types.CodeType, bool] = {}

    def __call__(self, frame: types.FrameType, function: Any) -> bool:
        try:
            if self.trouble:
                return False
            if function is not None:
                return self.c_function(frame, function)
            code = frame.f_code
            if _is_misled(frame):
                self.note(frame, f"it passes a NumPy scalar to {frame.f_globals.get('__name__')}.{code.co_qualname}(), which looks at its class")
                self.is_misled = True
                return False
            if code not in self.known:
                self.known[code] = self.python_function(frame)
            return self.known[code]
        except Exception as error:  # an exception would reach the function
            self.trouble = f"its calls cannot be examined ({type(error).__name__}: {error})"
            return False

    def python_function(self, frame: types.FrameType) -> bool:
        """Examines a function that starts. Returns whether its calls are not examined."""
        code, module = frame.f_code, str(frame.f_globals.get("__name__", ""))
        if not is_standard(module):
            if self.is_part_of_an_operator(frame):
                return True
            if _package(module) == "torch_np" and code.co_name in SETTINGS[0] or _package(module) == "numpy" and code.co_name in C_EXCEPTIONS["numpy"][0]:
                if _package(str((frame.f_back or frame).f_globals.get("__name__", ""))) not in ("torch_np", "numpy"):
                    self.note(frame.f_back or frame, f"it calls {module}.{code.co_qualname}(), which reads state that no guard covers")
                return False
            if _package(module) not in ("torch_np", "numpy") and code not in self.codes and not _is_generated(code, module) \
                    and not _within_a_finalizer(frame):
                self.note(frame.f_back or frame, f"it runs {code.co_qualname}(), which it reaches in a way that guards cannot follow")
            return False
        if module.startswith("importlib._bootstrap"):  # a library imports a module when it needs it
            return True
        effects, reason = EFFECTS.get(_package(module), ((), ""))
        if reason and (effects is None or code.co_name in effects or code.co_name.startswith(("_", "<"))):
            return True
        if code.co_name in FUNCTIONS.get(module, ((),))[0]:
            return False
        if module in MODULES and code.co_name not in MODULE_EXCEPTIONS.get(module, ()):
            return False
        if _package(str(_responsible(frame.f_back).f_globals.get("__name__", ""))) in ("torch_np", "numpy"):
            return True
        self.note(frame.f_back or frame, f"it calls {module}.{code.co_qualname}(), which may read state that no guard covers")
        return True

    def is_part_of_an_operator(self, frame: types.FrameType) -> bool:
        """Whether the function belongs to an operator of the user's own. A replay calls it."""
        caller = frame.f_back
        return caller is not None and _public_names.own(str(caller.f_globals.get("__name__"))) == "torch_np.operator" and _package(str(frame.f_globals.get("__name__"))) != "torch_np"

    def c_function(self, frame: types.FrameType, function: Any) -> bool:
        """Examines a call of a function in C. Returns whether the calls inside are not examined."""
        module = str(frame.f_globals.get("__name__", ""))
        if _package(module) == "torch_np":
            return False
        if reason := reason_to_record(function):
            return reason is _EFFECT
        if is_standard(module) and function.__name__ in WITHIN:
            return False
        responsible = _package(str(_responsible(frame).f_globals.get("__name__", "")))
        if responsible == "torch_np" or responsible == "numpy" and owner_of(function) not in ("_io", "io", "posix", "nt", "time"):
            return False
        if _within_a_finalizer(frame):
            return False
        self.note(frame, f"it calls {name_of(function)}(), whose result may depend on state that no guard covers")
        return False

    def note(self, frame: types.FrameType, what: str) -> None:
        at = frame
        while at.f_back is not None and (is_standard(str(at.f_globals.get("__name__", ""))) or _package(str(at.f_globals.get("__name__", ""))) in ("torch_np", "numpy")):
            at = at.f_back
        self.trouble = f"{what} ({at.f_code.co_filename}:{at.f_lineno})"


def _is_misled(frame: types.FrameType) -> bool:
    """Whether a function of the standard library, called by a program, has an argument that stands
    for a NumPy scalar, and code that tells it from an array."""
    names = frame.f_globals
    if not is_standard(str(names.get("__name__", ""))) or not _inspections.inspections_of(frame.f_code):
        return False
    if not any(_C._is_array(o) and _C._stands_for_scalar(o) for o in frame.f_locals.values()):
        return False
    if _package(str(_responsible(frame.f_back).f_globals.get("__name__", ""))) in ("torch_np", "numpy"):
        return False
    return _inspections.first_of_scalars(frame.f_code, lambda name: names[name] if name in names else vars(builtins)[name]) is not None


def _is_generated(code: types.CodeType, module: str) -> bool:
    """Whether a dataclass, a named tuple or the like has made the method, which reads its arguments."""
    return code.co_filename.startswith("<") and code.co_name.startswith("__") and code.co_name.endswith("__") or module.startswith("namedtuple_")


def _package(module: str) -> str:
    return _public_names.top(module)


def _responsible(frame: types.FrameType | None) -> Any:
    """The innermost function that does not belong to a pure module of the standard library."""
    while frame is not None and frame.f_back is not None and str(frame.f_globals.get("__name__", "")) in MODULES:
        frame = frame.f_back
    return frame


def _within_a_finalizer(frame: types.FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False
