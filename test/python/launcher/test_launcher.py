"""The ways to start the launcher, and what a program sees: modules, names, versions, reprs."""
import importlib.util
import sys

import pytest

MARK = "runs programs in processes of their own, on the CPU"
pytestmark = [pytest.mark.same_on_devices(MARK), pytest.mark.same_when_pending(MARK)]

PROGRAM = """
    import sys
    import torch
    print(__name__, sys.argv[1:], torch.__name__, float((torch.ones(3) * 2).sum()))
    """
PRINTS = "__main__ ['a', '-b'] torch 6.0\n"
CODE = "import sys, torch; print(__name__, sys.argv, torch.__name__, sys.path[0])"


# --- ways to start

def test_a_program(run):
    assert run(PROGRAM, "a", "-b") == PRINTS
    assert run(PROGRAM, "a", "-b", launcher=("-m", "torch_np", "--torch")) == PRINTS


def test_a_module(run, tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "__main__.py").write_text("from . import part\nimport sys, torch\nprint(__name__, __package__, sys.argv[1:], torch.__name__)")
    (tmp_path / "package" / "part.py").write_text("import torch\nprint(__name__, torch.__name__)")
    assert run(None, "-m", "package", "x") == "package.part torch\n__main__ package ['x'] torch\n"
    assert run(None, "-m", "package.part") == "__main__ torch\n"
    assert run(None, str(tmp_path / "package" / "part.py")) == "__main__ torch\n"


def test_code(run):
    assert run(None, "-c", CODE, "x", "-m") == "__main__ ['-c', 'x', '-m'] torch \n"


def test_a_folder_and_a_zip_file(run, tmp_path):
    import zipfile

    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__main__.py").write_text(CODE)
    with zipfile.ZipFile(tmp_path / "program.zip", "w") as archive:
        archive.writestr("__main__.py", CODE)
    assert run(None, "folder") == "__main__ ['folder'] torch folder\n"
    assert run(None, "program.zip") == "__main__ ['program.zip'] torch program.zip\n"


def test_the_folder_of_the_program_is_first_in_the_path(run, tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "start.py").write_text("import beside")
    (tmp_path / "inner" / "beside.py").write_text("import torch; print(torch.__name__)")
    assert run(None, "inner/start.py") == "torch\n"


@pytest.mark.parametrize("arguments, error", [
    ((), "no program is given"), (("-m",), "-m needs an argument"), (("--fast", "x.py"), "unknown option --fast"),
    (("none.py",), "can't open file"), (("-m", "no_such_module"), "No module named no_such_module"), (("-m", "json"), "package without a module __main__")])
def test_wrong_commands(run, arguments, error):
    run(None, *arguments, error=error)


def test_help(run):
    assert run(None, "--help").startswith("usage: python -m torch_np")


def test_errors_and_exit_codes_of_the_program(run):
    assert "program.py" in run("import torch\nraise ValueError('of the program')\n", error="ValueError: of the program")
    run("import sys\nsys.exit('ended')", error="ended")


def test_install_in_a_program(run):
    assert run("""
        import torch_np
        torch_np.install()
        torch_np.install()      # the second call does nothing
        import torch
        print(torch is torch_np, torch.__name__)
        """, launcher=()) == "True torch\n"


def test_install_after_pytorch(run):
    run("""
        import sys, types
        sys.modules["torch"] = types.ModuleType("torch")
        import torch_np
        torch_np.install()
        """, launcher=(), error="RuntimeError: torch_np.install(): PyTorch is already imported (without a file)")


def test_without_the_launcher_nothing_changes(run):
    assert run("""
        import sys, torch_np
        torch_np.install(torch=False)
        print(torch_np.__version__, torch_np.version.__version__, torch_np.__name__, torch_np.float32, torch_np.Size([2]), torch_np.Tensor, torch_np.nn.Linear)
        print("torch" in sys.modules, [f for f in sys.meta_path if "_launcher" in type(f).__module__])
        """, launcher=()) == ("0.1.0 0.1.0 torch_np torch_np.float32 torch_np.Size([2]) <class 'torch_np.Tensor'> "
                              "<class 'torch_np.nn.modules.linear.Linear'>\nFalse []\n")


@pytest.mark.skipif(importlib.util.find_spec("IPython") is None, reason="needs IPython")
def test_the_extension_of_notebooks(run):
    assert "True torch" in run(None, "-m", "IPython", "--no-banner", "--colors=NoColor", "-c", "get_ipython().run_line_magic('load_ext', 'torch_np')\n"
                               "import torch, torch_np\nprint(torch is torch_np, torch.__name__)", launcher=())


def test_the_function_that_notebooks_call(run):
    assert run("import torch_np\ntorch_np.load_ipython_extension(None)\nimport torch\nprint(torch.__name__)", launcher=()) == "torch\n"


# --- modules

def test_each_module_has_one_object_under_two_names(run):
    assert run("""
        import sys
        import torch_np.optim.adam          # before torch.optim
        import torch.nn.functional as F, torch.utils.data, torch.distributions.normal
        from torch.optim import lr_scheduler
        import torch, torch_np
        torch.fft.fft, torch.linalg.inv, torch.special.erf, torch.func if hasattr(torch, "func") else None
        assert torch is torch_np and F is torch_np.nn.functional and lr_scheduler is torch_np.optim.lr_scheduler
        for name, module in list(sys.modules.items()):
            top, _, rest = name.partition(".")
            if top == "torch":
                assert sys.modules["torch_np" + name[5:]] is module, name
            elif top == "torch_np" and rest.partition(".")[0] != "numpy":
                assert sys.modules["torch" + name[8:]] is module, name
        assert "torch.numpy" not in sys.modules and "torch.optim.adam" in sys.modules
        torch.marked = torch.nn.marked = 1
        print(torch_np.marked, torch_np.nn.marked)
        """) == "1 1\n"


def test_lazy_modules_are_registered_when_they_are_loaded(run):
    assert run("""
        import sys, torch
        print("torch.distributions" in sys.modules)
        torch.distributions.Normal
        print("torch.distributions" in sys.modules, "torch.distributions.normal" in sys.modules, torch.distributions.__spec__.loader.__class__.__name__)
        from torch.distributions import normal
        print(normal is sys.modules["torch_np.distributions.normal"])
        """) == "False\nTrue True SourceFileLoader\nTrue\n"


def test_modules_that_do_not_exist(run):
    assert run("""
        for name in ("torch.no_such_module", "torch.nn.no_such_module", "torch.numpy"):
            try:
                __import__(name)
            except ModuleNotFoundError as error:
                print(error.name, error)
        """) == "".join(f"{name} No module named {name!r}: torch_np, which stands for PyTorch here, does not have it\n"
                        for name in ("torch.no_such_module", "torch.nn.no_such_module", "torch.numpy"))


def test_a_module_that_fails_is_not_left_behind(run):
    assert run("""
        import sys, torch
        sys.modules["torch_np.nn.utils"] = None     # its import raises
        try:
            import torch.nn.utils.rnn
        except ImportError as error:
            print(type(error).__name__, "torch.nn.utils.rnn" in sys.modules)
        """) == "ModuleNotFoundError False\n"


def test_sources_of_modules(run):
    assert run("""
        import importlib, inspect, torch
        print("class Linear" in inspect.getsource(torch.nn.Linear), inspect.getmodule(torch.nn.Linear).__name__)
        print(importlib.util.find_spec("torch.nn.functional").origin == torch.nn.functional.__file__, importlib.util.find_spec("torch") is not None)
        """) == "True torch.nn.modules.linear\nTrue True\n"


# --- names, versions, reprs

def test_reprs(run):
    assert run("""
        import torch
        from torch import nn
        print(torch.float32, torch.bfloat16, torch.Size([2]), torch.ones(2, 3).shape, torch.ones(2, dtype=torch.float64), torch.channels_last)
        print(torch.Tensor, torch.dtype, torch.device, torch.Size, torch.Generator, torch.FloatTensor)
        print(nn.Linear, nn.Parameter, torch.optim.Adam, torch.distributions.Normal, torch.utils.data.DataLoader)
        print(nn.functional.relu.__module__, torch.add.__module__, torch.nn.__name__, torch.optim.lr_scheduler.__name__)
        print(type(torch.ones(3).max(0)), torch.optim.lr_scheduler.StepLR)
        """) == """\
torch.float32 torch.bfloat16 torch.Size([2]) torch.Size([2, 3]) tensor([1., 1.], dtype=torch.float64) torch.channels_last
<class 'torch.Tensor'> <class 'torch.dtype'> <class 'torch.device'> <class 'torch.Size'> <class 'torch._C.Generator'> <class 'torch.FloatTensor'>
<class 'torch.nn.modules.linear.Linear'> <class 'torch.nn.parameter.Parameter'> <class 'torch.optim.adam.Adam'> \
<class 'torch.distributions.normal.Normal'> <class 'torch.utils.data.dataloader.DataLoader'>
torch.nn.functional torch torch.nn torch.optim.lr_scheduler
<class 'torch.return_types.max'> <class 'torch.optim.lr_scheduler.StepLR'>
"""


def test_no_public_class_or_function_shows_our_name(run):
    assert run("""
        import importlib, pkgutil, sys, torch
        for found in pkgutil.walk_packages(torch.__path__, "torch_np."):
            name = found.name
            if not any(part.startswith("_") for part in name.split(".")) and ".numpy" not in name and "safetensors" not in name:
                try:
                    importlib.import_module(name)
                except ImportError:     # of a library that is not installed
                    pass
        wrong = set()
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == "torch" and not any(part.startswith("_") for part in name.split(".")):
                for key, value in vars(module).items():
                    if not key.startswith("_") and isinstance(value, (type, type(test := lambda: 0))):
                        if str(value.__module__).startswith("torch_np") and not str(value.__module__).startswith("torch_np.numpy"):
                            wrong.add(f"{name}.{key}")
        print(sorted(wrong))
        """) == "[]\n"


def test_versions(run):
    assert run("""
        import importlib.metadata
        from importlib.metadata import distribution, version
        print(version("torch"), version("Torch"), distribution("torch").metadata["Name"], distribution("torch").version)
        print([d.version for d in importlib.metadata.distributions() if d.metadata["Name"] == "torch"][0])
        import torch
        from torch.version import __version__
        print(torch.__version__, __version__, torch.__version__ >= (2, 1), torch.__version__ > "2.9", "2.16" > torch.__version__, torch.version.cuda)
        """) == ("2.15.0+torch_np.0.1.0 2.15.0+torch_np.0.1.0 torch 2.15.0+torch_np.0.1.0\n2.15.0+torch_np.0.1.0\n"
                 "2.15.0+torch_np.0.1.0 2.15.0+torch_np.0.1.0 True True True None\n")


def test_other_distributions_are_found(run):
    assert run("from importlib.metadata import version\nimport numpy\nprint(version('numpy') == numpy.__version__)") == "True\n"


def test_errors_name_the_function_that_the_program_calls(run):
    program = """
        import torch
        try:
            torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.ones(5, dtype=torch.int64))
        except Exception as error:
            print(type(error).__name__, error)
        """
    assert run(program) == run(program.replace("import torch", "import torch_np as torch"), launcher=())


def test_compiled_functions(run):
    assert run("""
        import torch
        layer = torch.nn.Linear(2, 1)
        @torch.compile
        def f(x):
            return (layer(x) * 2).sum() + torch.nn.functional.relu(x).sum()
        x = torch.ones(3, 2)
        first = f(x)
        print(bool(first == f(x)), f.statistics()["replays"] if "replays" in f.statistics() else sorted(f.statistics()))
        """).startswith("True")


@pytest.mark.parametrize("text", ["1.0", "2.15.0", "2.15.0+cpu", "2.15.0.dev20260101", "2.15.0a1", "2.15.0rc2", "2.15.0.post1", "2.9", "2.10.0", "1!0.1"])
def test_versions_compare_as_packaging_does(text):
    version = pytest.importorskip("packaging.version")
    from torch_np.torch_version import TorchVersion

    for other in ("1.0", "2.15", "2.15.0", "2.15.0+cpu", "2.15.0+torch_np.0.1.0", "2.15.0.dev1", "2.15.0b1", "2.16"):
        ours, theirs = TorchVersion(text), version.Version(text)
        there = version.Version(other)
        assert (ours < other, ours <= other, ours > other, ours >= other, ours == other, ours != other) == \
               (theirs < there, theirs <= there, theirs > there, theirs >= there, theirs == there, theirs != there), other
    assert TorchVersion("2.15.0") >= (2, 15) and TorchVersion("2.9") < [2, 15, 0] and TorchVersion("abc") < "abd"
    assert hash(TorchVersion(text)) == hash(text) and sys.getrefcount(TorchVersion) > 0


def test_functorch_is_part_of_pytorch(run):
    assert run("""
        import functorch, torch
        from functorch import make_functional, vmap
        from functorch.einops import rearrange
        function, params = make_functional(torch.nn.Linear(2, 2))
        print(tuple(vmap(torch.sin)(torch.zeros(4)).shape), tuple(rearrange(torch.zeros(2, 3), "a b -> b a").shape), len(params))
        """) == "(4,) (3, 2) 2\n"
