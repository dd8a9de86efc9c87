"""Runs at the start of each Python process that a program under torch_np's launcher starts. It makes
`import torch` find torch_np, at the first such import: a process that needs no tensors starts as
fast as before. Then it runs the sitecustomize module that this one hides.

It imports nothing of torch_np before that, as other interpreters may read it, too.
"""
import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_PACKAGE = os.path.dirname(os.path.dirname(_FOLDER))


class _FirstImport:
    """Finder that installs the launcher at the first import of `torch`, or at the first question for
    its metadata. The launcher's own finder answers then.
    """

    def _install(self):
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        parent = os.path.dirname(_PACKAGE)
        try:
            import torch_np
        except ModuleNotFoundError as error:
            if error.name != "torch_np" or parent in sys.path:
                raise
            sys.path.append(parent)
            import torch_np
        torch_np.install()
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
            raise ImportError("TORCH_NP_INSTALL=torch lets torch_np stand for PyTorch, but this Python cannot import torch_np (%s); unset the "
                              "variable to use PyTorch" % error, name=name) from error

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


if "torch" in os.environ.get("TORCH_NP_INSTALL", "").split(",") and "torch" not in sys.modules:
    sys.meta_path.insert(0, _FirstImport())
_run_hidden()
