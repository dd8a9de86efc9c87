"""A machine with Python and the C library only: programs run there find no compiler, and no part of
this tree.

`Machine.run` starts a program with an empty environment. If the kernel lets users make mount
namespaces (`unshare`), it runs in its own root, which has the system's libraries, the interpreter
and one folder, and no /usr/bin. Otherwise it runs in the same folder, with a PATH that has only the
programs of the virtual environment.
"""
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

COMPILERS = ("cc", "gcc", "g++", "c++", "clang", "clang++", "ld", "as", "cmake", "ninja", "nvcc")
# System paths: libraries and the files that the loader needs to find them. Compilers proper lie in
# folders below.
SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/proc", "/sys")
HIDDEN = ("gcc", "gcc-cross", "llvm-*", "ccache", "cuda*")

# Another interpreter runs this in the namespace. It builds the root, and then executes the program
# in it.
ENTER = """
import glob, json, os, subprocess, sys
root, parts, hidden, folder, environment, command = json.loads(sys.argv[1])
mount = lambda *arguments: subprocess.run(["mount", *arguments], check=True)
mount("-t", "tmpfs", "none", root)
for part in parts:
    inside = root + part
    if not os.path.lexists(part) or os.path.lexists(inside):
        continue
    os.makedirs(os.path.dirname(inside), exist_ok=True)
    if os.path.islink(part) and os.path.dirname(part) == "/":
        os.symlink(os.readlink(part), inside)
        continue
    if os.path.isdir(part):
        os.makedirs(inside)
    else:
        open(inside, "w").close()
    mount("--rbind", part, inside)
for pattern in hidden:
    for found in glob.glob(root + pattern):
        if os.path.isdir(found) and not os.path.islink(found):
            mount("-t", "tmpfs", "none", found)
for name in ("tmp", "dev/shm"):
    os.makedirs(os.path.join(root, name), exist_ok=True)
os.chroot(root)
os.chdir(folder)
os.execve(command[0], command, environment)
"""
UNSHARE = ["unshare", "--user", "--map-root-user", "--mount"]


def can_make_roots():
    """Whether the kernel lets this user make a mount namespace, and a file system in it."""
    try:
        return subprocess.run([*UNSHARE, "mount", "-t", "tmpfs", "none", "/tmp"], capture_output=True).returncode == 0
    except OSError:
        return False


class Machine:
    """`base` is an empty folder: the virtual environment becomes `base`/environment, programs run in `base`/home."""

    def __init__(self, base):
        self.base, self.home, self.environment = base, base / "home", base / "environment"
        self.home.mkdir()
        venv.create(self.environment, with_pip=True, symlinks=True)
        self.python = self.environment / "bin" / "python"
        self.has_own_root = can_make_roots()

    @property
    def variables(self):
        return {"PATH": str(self.environment / "bin"), "HOME": str(self.home), "LANG": "C.UTF-8", "MPLBACKEND": "agg"}

    def install(self, *packages):
        """Installs from PyPI, and wheels only: there is no compiler."""
        names = ("PIP_INDEX_URL", "PIP_CACHE_DIR", "PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY",
                 "https_proxy", "http_proxy", "no_proxy", "PIP_CONFIG_FILE", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST")
        # Pip finds its settings and its cache in the user's own home, and needs the network: this
        # part runs outside of the root.
        environment = self.variables | {name: os.environ[name] for name in (*names, "HOME") if name in os.environ}
        done = subprocess.run([self.python, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--no-compile", "--only-binary", ":all:", *packages],
                              cwd=self.home, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]

    def run(self, *arguments, timeout=600):
        """The output of `python arguments...` in the home folder. Raises AssertionError if it
        fails."""
        command = [str(self.python), *map(str, arguments)]
        if self.has_own_root:
            root = self.base / "root"
            root.mkdir(exist_ok=True)
            real = os.path.realpath(self.python)
            base = Path(sys.base_prefix)
            links = [str(path) for path in interpreter_links(self.python)]
            parts = [str(self.environment), str(self.home), *SYSTEM, *links, real, str(base / "lib")]
            hidden = [f"{folder}/{name}" for folder in ("/usr/lib", "/usr/lib64", "/usr/local") for name in HIDDEN]
            what = [str(root), parts, hidden, str(self.home), self.variables, command]
            command = [*UNSHARE, sys.executable, "-c", ENTER, json.dumps(what)]
        done = subprocess.run(command, cwd=self.home, env=None if self.has_own_root else self.variables, capture_output=True, text=True, timeout=timeout)
        assert done.returncode == 0, f"{arguments} ended with {done.returncode}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout


def interpreter_links(python):
    """The symbolic links from a virtual environment's interpreter to the real file, without the
    first."""
    path = Path(python)
    while path.is_symlink():
        path = path.parent / os.readlink(path)
        yield Path(os.path.normpath(path))


def compilers(path):
    """The programs among COMPILERS that a PATH finds."""
    return [name for name in COMPILERS if shutil.which(name, path=path)]
