"""Makes a virtual environment with a wheel and the requirements of the examples, for `make demo`.

    python -m tools.wheels.demo_environment WHEEL FOLDER

It prints its progress. If the wheel cannot be installed, it exits with 1 and pip's message.
"""
from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

from tools.wheels.sources import digest_of_wheel

MADE_OF = "sources.sha256"


def main(wheel: Path, folder: Path) -> int:
    """Creates the environment, unless the folder already has one with a wheel of the same
    sources."""
    sources, mark = digest_of_wheel(wheel), folder / MADE_OF
    if mark.exists() and mark.read_text() == sources:
        return 0
    print(f"Installing it into {folder}, with NumPy, scikit-learn, matplotlib and tqdm from PyPI", flush=True)
    if not (folder / "bin" / "python").exists():
        venv.create(folder, with_pip=True, symlinks=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "-q", "install"]
    # Other sources have the same version, so pip would consider them installed.
    for options in (["--no-deps", "--force-reinstall", str(wheel)], [f"{wheel}[demo]"]):
        if subprocess.run([*pip, *options]).returncode != 0:
            return 1
    mark.write_text(sources or "")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
