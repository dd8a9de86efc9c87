"""torch_np.hub: models of local repositories, and files of parameters in a local cache.

Nothing is downloaded. A repository is a folder with a Python file `hubconf`, whose public functions make
models.
"""
from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn
from urllib.parse import urlparse

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]

_HUBCONF = "hubconf" + ".py"
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")  # the hash in the name of a file
_hub_dir: str | None = None


def __getattr__(name: str) -> Any:
    if name != "tqdm":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    try:
        from tqdm import tqdm
    except ImportError:
        from torch_np._absent import absent_class

        tqdm = absent_class("tqdm", "bars of progress need the package tqdm", __name__)
    return tqdm


def _get_torch_home() -> str:
    """The folder of PyTorch's caches: $TORCH_HOME, which is ~/.cache/torch at first."""
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """Returns the folder of the cache: that of `set_dir`; else `hub` in $TORCH_HOME, which is
    ~/.cache/torch at first.
    """
    return _hub_dir if _hub_dir is not None else os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Sets the folder of the cache.

    Args:
      d: The folder.
    """
    global _hub_dir
    _hub_dir = os.path.expanduser(d)


def _refuse(name: str, source: str) -> NoReturn:
    raise NotImplementedError(f"{name}(): {source} is not downloaded, since access to networks is not implemented; "
                              "download it by other means, and pass a local folder with source='local', or a file to torch_np.load")


def _repository(name: str, folder: Any, source: str) -> str:
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "local":
        return os.fspath(folder)
    # the folder of the cache that PyTorch downloads the repository to
    repository, _, ref = str(folder).partition(":")
    owner, _, project = repository.partition("/")
    for branch in [ref] if ref else ["main", "master"]:
        cached = os.path.join(get_dir(), "_".join([owner, project, branch.replace("/", "_")]))
        if os.path.isdir(cached):
            return cached
    return _refuse(name, f"the repository '{folder}'")


def _hubconf(folder: str) -> ModuleType:
    path = os.path.join(folder, _HUBCONF)
    spec = importlib.util.spec_from_file_location("hubconf", path)
    if spec is None or spec.loader is None or not os.path.isfile(path):
        raise FileNotFoundError(f"hub: the repository {folder} has no file {_HUBCONF}")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    missing = [name for name in getattr(module, "dependencies", ()) if importlib.util.find_spec(name) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    return module


def _entry(module: ModuleType, model: str) -> Callable[..., Any]:
    if not isinstance(model, str):
        raise ValueError("Invalid input: model should be a string of function name")
    entry = getattr(module, model, None)
    if entry is None or not callable(entry):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return entry


def list(github: Any, force_reload: bool = False, skip_validation: bool = False, trust_repo: Any = "check",  # noqa: A001
         verbose: bool = True) -> Any:
    """Returns the names of the models of a repository in the cache.

    Args:
      github: 'owner/name' or 'owner/name:branch'; or the path of a folder.
      force_reload: Must be False, as nothing is downloaded.
      skip_validation: Nothing is downloaded, so nothing is validated.
      trust_repo: Nothing is downloaded; a repository in the cache runs.
      verbose: Nothing is printed.

    Errors: NotImplementedError for a repository that is not in the cache, or if `force_reload`;
    FileNotFoundError without a file hubconf.
    """
    module = _hubconf(_find("list", github, force_reload))
    return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_") and not isinstance(value, type)]


def _find(name: str, github: Any, force_reload: bool) -> str:
    if force_reload:
        _refuse(name, f"the repository '{github}'")
    return _repository(name, github, "local" if os.path.isdir(github) else "github")


def help(github: Any, model: str, force_reload: bool = False, skip_validation: bool = False, trust_repo: Any = "check") -> str | None:  # noqa: A001
    """Returns the docstring of a model of a repository in the cache.

    Args:
      github: 'owner/name' or 'owner/name:branch'; or the path of a folder.
      model: Name of the model.
      force_reload: Must be False, as nothing is downloaded.
      skip_validation: Nothing is downloaded, so nothing is validated.
      trust_repo: Nothing is downloaded; a repository in the cache runs.

    Errors: as of `list`; RuntimeError without such a model.
    """
    return _entry(_hubconf(_find("help", github, force_reload)), model).__doc__


def load(repo_or_dir: Any, model: str, *args: Any, source: str = "github", trust_repo: Any = "check", force_reload: bool = False,
         verbose: bool = True, skip_validation: bool = False, **kwargs: Any) -> Any:
    """Makes a model of a local repository, or of one in the cache.

    Args:
      repo_or_dir: Path of the folder, or 'owner/name' or 'owner/name:branch' for source='github'.
      model: Name of a function in its file hubconf.
      args: Arguments of the function.
      source: 'github' or 'local'.
      trust_repo: Nothing is downloaded; a repository in the cache runs.
      force_reload: Must be False for source='github', as nothing is downloaded.
      verbose: Nothing is printed.
      skip_validation: Nothing is downloaded, so nothing is validated.
      kwargs: Keyword arguments of the function.

    Errors: ValueError for another `source`; NotImplementedError for a repository that is not in the
    cache, or if `force_reload`; FileNotFoundError without a file hubconf; RuntimeError without such a
    model, or if packages are missing.
    """
    if source.lower() == "github" and force_reload:
        _refuse("load", f"the repository '{repo_or_dir}'")
    return _entry(_hubconf(_repository("load", repo_or_dir, source.lower())), model)(*args, **kwargs)


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Raises NotImplementedError, as nothing is downloaded.

    Args:
      url: Address.
      dst: File.
      hash_prefix: Beginning of the file's SHA256.
      progress: Whether to show progress.
    """
    _refuse("download_url_to_file", url)


def load_state_dict_from_url(url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True,
                             check_hash: bool = False, file_name: str | None = None, weights_only: bool = False) -> Any:
    """Loads a file of parameters from the cache.

    Args:
      url: Address that the file came from. Its last part is the file's name.
      model_dir: Folder of the file; None is `checkpoints` in the cache.
      map_location: Device of the tensors.
      progress: Nothing is downloaded, so there is no progress.
      check_hash: Whether to compare the file's SHA256 with the hexadecimal digits in its name.
      file_name: Name of the file in place of that of the address.
      weights_only: Passed to torch_np.load.

    Errors: NotImplementedError if the file is not in the cache; RuntimeError for another hash.
    """
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    path = os.path.join(folder, file_name or os.path.basename(urlparse(url).path))
    if not os.path.exists(path):
        _refuse("load_state_dict_from_url", f"{url} is not in {folder}, and it")
    if check_hash:
        _check_hash(path)
    import torch_np
    return torch_np.load(path, map_location=map_location, weights_only=weights_only)


def _check_hash(path: str) -> None:
    import hashlib
    import re
    match = re.search(r"-([a-f0-9]*)\.", os.path.basename(path))
    if match:
        with open(path, "rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if not found.startswith(match.group(1)):
            raise RuntimeError(f'invalid hash value (expected "{match.group(1)}", got "{found}")')
