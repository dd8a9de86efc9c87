"""Processes that programs under the launcher start find torch_np as `torch`, too."""
import importlib.util
import sys

import pytest

MARK = "runs programs in processes of their own, on the CPU"
pytestmark = [pytest.mark.same_on_devices(MARK), pytest.mark.same_when_pending(MARK)]

CHILD = "import sys; import torch; print(torch.__name__, torch is sys.modules['torch_np'] is sys.modules['torch'])"


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_workers_of_multiprocessing(run, way):
    assert run(f"""
        import multiprocessing
        import torch
        def work(x):
            import torch
            return torch.__name__, x * 2
        if __name__ == "__main__":
            with multiprocessing.get_context({way!r}).Pool(1) as pool:
                print(pool.map(work, [torch.ones(2)]))
        """) == "[('torch', tensor([2., 2.]))]\n"


def test_workers_of_a_data_loader(run):
    assert run("""
        import torch
        class Rows(torch.utils.data.Dataset):
            def __len__(self):
                return 2
            def __getitem__(self, i):
                return torch.full((2,), float(i)), torch.__name__
        if __name__ == "__main__":
            for way in ("fork", "spawn"):
                print(list(torch.utils.data.DataLoader(Rows(), num_workers=1, multiprocessing_context=way)))
        """) == "[[tensor([[0., 0.]]), ['torch']], [tensor([[1., 1.]]), ['torch']]]\n" * 2


@pytest.mark.skipif(importlib.util.find_spec("joblib") is None, reason="needs joblib")
def test_workers_of_joblib(run):
    assert run("""
        import joblib, torch
        def work(x):
            return torch.__name__, x * 2
        print(joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(work)(torch.ones(2)) for _ in range(2)))
        """) == "[('torch', tensor([2., 2.])), ('torch', tensor([2., 2.]))]\n"


def test_other_python_processes(run):
    assert run(f"""
        import subprocess, sys
        print(subprocess.run([sys.executable, "-c", {CHILD!r}], capture_output=True, text=True, check=True).stdout)
        print(subprocess.run([sys.executable, "-c", "import sys; print('torch_np' in sys.modules)"], capture_output=True, text=True).stdout)
        print(subprocess.run([sys.executable, "-c", "from importlib.metadata import version; print(version('torch'))"], capture_output=True, text=True).stdout)
        """) == "torch True\n\nFalse\n\n2.15.0+torch_np.0.1.0\n\n"


def test_children_of_children(run):
    assert run(f"""
        import subprocess, sys
        code = "import subprocess, sys; print(subprocess.run([sys.executable, '-c', sys.argv[1]], capture_output=True, text=True, check=True).stdout)"
        print(subprocess.run([sys.executable, "-c", code, {CHILD!r}], capture_output=True, text=True, check=True).stdout)
        """) == "torch True\n\n\n"


def test_the_hidden_sitecustomize_runs(run, tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("print('customized')\nvalue = 5\n")
    assert run("""
        import os, subprocess, sys
        os.environ["PYTHONPATH"] += os.pathsep + os.path.abspath("site")
        code = "import sitecustomize, torch; print(sitecustomize.value, torch.__name__)"
        print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        """) == "customized\n5 torch\n\n"


def test_the_variable_alone_decides(run):
    assert run("""
        import os, subprocess, sys
        os.environ["TORCH_NP_INSTALL"] = ""
        code = "import importlib.util; print(importlib.util.find_spec('torch') is not None and 'torch_np' in importlib.util.find_spec('torch').origin)"
        print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        """) == "False\n\n"


def test_an_interpreter_without_torch_np(run, tmp_path):
    """The error says why, and PyTorch is not loaded silently."""
    (tmp_path / "shadow" / "torch_np").mkdir(parents=True)
    (tmp_path / "shadow" / "torch_np" / "__init__.py").write_text("raise ImportError('built for another Python')")
    error = run("""
        import os, subprocess, sys
        os.environ["PYTHONPATH"] = os.environ["PYTHONPATH"].replace(os.pathsep, os.pathsep + os.path.abspath("shadow") + os.pathsep, 1)
        sys.exit(subprocess.run([sys.executable, "-c", "import torch"]).returncode)
        """, error="this Python cannot import torch_np (built for another Python)")
    assert "TORCH_NP_INSTALL" in error


def test_interpreters_that_ignore_the_environment(run, tmp_path):
    (tmp_path / "start.py").write_text(f"import sys\nsys.path.insert(0, {str(tmp_path.parent)!r})\nsys.path.insert(0, {__import__('torch_np').__path__[0].removesuffix('/torch_np')!r})\n"
                                       "import torch_np\ntorch_np.install()\n")
    assert run(None, "-W", "error", "-I", "start.py", launcher=(), error="RuntimeWarning: torch_np.install(): this interpreter was started with -E")


@pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None, reason="needs mpi4py and an MPI: pip install 'torch-np[mpi]'")
def test_processes_of_torchrun(run, tmp_path):
    (tmp_path / "each.py").write_text("import torch, torch.distributed as dist\ndist.init_process_group()\n"
                                      "x = torch.ones(1)\ndist.all_reduce(x)\nprint(f'{torch.__name__} {x}\\n', end='', flush=True)\n")
    assert run(None, "-m", "torch.distributed.run", "--nproc-per-node", "2", "each.py").count("torch tensor([2.])") == 2


def test_the_file_of_children_needs_nothing_of_torch_np():
    from torch_np._launcher import _children

    source = open(f"{_children.FOLDER}/sitecustomize.py").read()
    imports = [line for line in source.splitlines() if line.strip() == "import torch_np"]
    assert len(imports) == 2 and all(line.startswith("        ") for line in imports) and sys.version_info >= (3, 11)
