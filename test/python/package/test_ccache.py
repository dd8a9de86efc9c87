"""Checkouts share ccache's results (cmake/ccache.sh)."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = [pytest.mark.same_on_devices("compiles text"), pytest.mark.same_when_pending("compiles text"),
              pytest.mark.skipif(shutil.which("ccache") is None or shutil.which("g++") is None, reason="needs ccache and g++")]
LAUNCHER = Path(__file__).resolve().parents[3] / "cmake/ccache.sh"


class Checkout:
    """A source tree with one precompiled header, which CMake's command makes."""

    def __init__(self, folder: Path, cache: Path):
        folder.mkdir()
        self.folder, self.log = folder, folder / "log"
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("CCACHE_")} | {"CCACHE_DIR": str(cache), "CCACHE_STATSLOG": str(self.log)}

    def precompile(self, header: str) -> bytes:
        (self.folder / "all.hxx").write_text(header)
        (self.folder / "all.hxx.cxx").write_text("/* empty */\n")
        self._compile("-Winvalid-pch", "-x", "c++-header", "-include", self.folder / "all.hxx", "-MD", "-MT", "all.hxx.gch", "-MF", "all.hxx.gch.d",
                      "-o", "all.hxx.gch", "-c", self.folder / "all.hxx.cxx")
        return (self.folder / "all.hxx.gch").read_bytes()

    def compile(self, source: str) -> None:
        (self.folder / "a.cpp").write_text(source)
        self._compile("-include", self.folder / "all.hxx", "-o", "a.o", "-c", self.folder / "a.cpp")

    def _compile(self, *arguments) -> None:
        self.log.unlink(missing_ok=True)
        subprocess.run(["sh", LAUNCHER, self.folder, "ccache", "g++", "-fpch-preprocess", *arguments], cwd=self.folder, env=self.environment, check=True)

    def hit(self) -> bool:
        return "direct_cache_hit" in self.log.read_text()


@pytest.fixture
def checkouts(tmp_path):
    return [Checkout(tmp_path / name, tmp_path / "cache") for name in ("one", "another_one")]


def test_checkouts_share_precompiled_headers_and_what_includes_them(checkouts):
    for checkout in checkouts:
        checkout.precompile("inline int f() { return 1; }\n")
        assert checkout.hit() == (checkout is checkouts[1])
        checkout.compile("int g() { return f(); }\n")
        assert checkout.hit() == (checkout is checkouts[1])


def test_a_precompiled_header_made_again_is_of_the_headers_and_not_of_the_last_one(checkouts):
    for checkout in checkouts:
        checkout.precompile("inline int f() { return 1; }\n")
    a, b = checkouts
    assert b"changed_in_a" in a.precompile("inline int changed_in_a() { return 1; }\n")
    assert b"changed_in_b" in b.precompile("inline int changed_in_b() { return 1; }\n")
    assert b"changed_in_a" in b.precompile("inline int changed_in_a() { return 1; }\n") and b.hit()


def test_a_change_of_a_comment_makes_the_precompiled_header_again(checkouts):
    a = checkouts[0]
    for comment in ("one", "another"):
        (a.folder / "part.h").write_text(f"#pragma once\n// {comment}\nstruct S {{}};\n")
        a.precompile('#include "part.h"\n')
        a.compile(f'#include "part.h"\nS {comment};\n')  # which the cache does not hold
