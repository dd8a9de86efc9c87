"""Runs at the start of each Python process that a program under torch_np's launcher starts. It makes
`import torch` find torch_np, and `import numpy` torch_np.numpy, at the first such import: a process
that needs no arrays starts as fast as before. Then it runs the sitecustomize module that this one
hides.

It imports nothing of torch_np before that, as other interpreters may read it, too.
"""
import builtins
import importlib
import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_PACKAGE = os.path.dirname(os.path.dirname(_FOLDER))
_STANDS_FOR = [name for name in os.environ.get("TORCH_NP_INSTALL", "").split(",") if name]


_NAMES = {"torch": "PyTorch", "numpy": "NumPy"}
_hooks = []  # pairs of functions that add and remove a hook


def _install():
    """Installs the launcher in place of the hooks of this module, which are kept if that fails."""
    for _, remove in _hooks:
        remove()
    try:
        _install_launcher()
    except BaseException:
        for add, _ in _hooks:
            add()
        raise


def _install_launcher():
    parent = os.path.dirname(_PACKAGE)
    try:
        import torch_np
    except ModuleNotFoundError as error:
        if error.name != "torch_np" or parent in sys.path:
            raise
        sys.path.append(parent)
        import torch_np
    packages = [name for name in os.environ.get("TORCH_NP_NUMPY_FOR", "").split(",") if name]
    torch_np.install(torch="torch" in _STANDS_FOR, numpy="numpy" in _STANDS_FOR, numpy_for=[n for n in packages if n[0] != "-"],
                     no_numpy_for=[n[1:] for n in packages if n[0] == "-"])


def _without_torch_np(name, error):
    return ImportError("TORCH_NP_INSTALL=%s lets torch_np stand for %s, but this Python cannot import torch_np (%s); unset the variable to use %s"
                       % (",".join(_STANDS_FOR), _NAMES[name], error, _NAMES[name]), name=name)


class _FirstImport:
    """Finder that installs the launcher at the first import of `torch`, or at the first question for
    its metadata. The launcher's own finder answers then.
    """

    def _install(self):
        _install()
        # install() has entered the module; the import system, which asks for it, would load it again
        sys.modules.pop("torch", None)
        from torch_np._launcher._finder import finder
        return finder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] != "torch":
            return None
        try:
            return self._install().find_spec(name, path, target)
        except ImportError as error:
            if error.name is not None and error.name.partition(".")[0] == "torch":
                raise
            raise _without_torch_np("torch", error) from error

    def find_distributions(self, context=None):
        name = getattr(context, "name", None)
        if name is None or name.lower() == "torch":
            try:
                finder = self._install()
            except ImportError:  # the import of torch says why
                return
            sys.modules["torch"] = sys.modules["torch_np"]
            for distribution in finder.find_distributions(context):
                yield distribution

    def invalidate_caches(self):
        pass


def _run_hidden():
    """Runs the next sitecustomize module in sys.path, in place of this one."""
    import importlib.machinery
    import importlib.util

    elsewhere = [p for p in sys.path if os.path.abspath(p or os.curdir) != _FOLDER]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def _hook_torch():
    finder = _FirstImport()

    def remove():
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)

    return (lambda: sys.meta_path.insert(0, finder)), remove


def _hook_numpy():
    """The hooks are `__import__` and import_module, since those of the launcher answer by the asking
    module.
    """
    python_import, python_import_module = builtins.__import__, importlib.import_module

    def asks_for_numpy(name):
        return (name == "numpy" or name.startswith("numpy.")) and not _is_loading("torch_np") and not _is_loading("numpy")

    def install():
        try:
            _install()
        except ImportError as error:
            raise _without_torch_np("numpy", error) from error

    def __import__(name, globals=None, locals=None, fromlist=(), level=0):
        if level == 0 and builtins.__import__ is __import__ and asks_for_numpy(name):
            install()
            return builtins.__import__(name, globals, locals, fromlist, level)
        return python_import(name, globals, locals, fromlist, level)

    def import_module(name, package=None):
        if importlib.import_module is import_module and asks_for_numpy(name):
            install()
            return builtins.__import__(name, sys._getframe(1).f_globals, None, ("__name__",))
        return python_import_module(name, package)

    def add():
        builtins.__import__, importlib.import_module = __import__, import_module

    def remove():
        if builtins.__import__ is __import__:
            builtins.__import__ = python_import
        if importlib.import_module is import_module:
            importlib.import_module = python_import_module

    return add, remove


def _is_loading(name):
    """Whether the module is being imported: torch_np imports NumPy, and NumPy itself."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return getattr(spec, "_initializing", False)


if "torch" in _STANDS_FOR and "torch" not in sys.modules:
    _hooks.append(_hook_torch())
if "numpy" in _STANDS_FOR and "numpy" not in sys.modules:
    _hooks.append(_hook_numpy())
for _add, _ in _hooks:
    _add()
_run_hidden()
