# SPDX-License-Identifier: BSD-2-Clause
"""The extension modules of syscap.

The library is a static archive.  It is looked for, in this order:

    SYSCAP_PREFIX=DIR   where it was installed (cmake --install)
    the sources around this folder: built by CMake, in the build folder
    pkg-config syscap   where it was installed for all
"""

from __future__ import annotations

import os
import pathlib
import shlex
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
EVENTS = ["args", "text", "number", "mark", "scope", "traced", "counter",
          "recording", "sampler", "module"]
WALKER = ["eval", "name", "walk", "threads", "reach", "bootstrap", "check",
          "module"]
CFLAGS = ["-std=gnu11", "-fvisibility=hidden", "-O2"]
# Nothing is to be looked up in a signal handler, and ticks may come late
LDFLAGS = ["-Wl,-z,now", "-Wl,-z,nodelete", "-Wl,--exclude-libs,ALL", "-pthread"]


def sources(folder: str, names: list[str]) -> list[str]:
    return [f"csrc/{folder}/{name}.c" for name in names]


def has_walker() -> bool:
    return (
        sys.implementation.name == "cpython"
        and (3, 11) <= sys.version_info < (3, 14)
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
    )


def extensions() -> list[Extension]:
    modules = [
        Extension(
            "syscap._events",
            sources("events", EVENTS),
            include_dirs=["csrc"],
            define_macros=[("Py_LIMITED_API", "0x030b0000")],
            py_limited_api=True,
            extra_compile_args=CFLAGS,
            extra_link_args=LDFLAGS,
        )
    ]
    if has_walker():
        modules.append(
            Extension(
                "syscap._walker",
                sources("walker", WALKER),
                include_dirs=["csrc"],
                extra_compile_args=CFLAGS,
                extra_link_args=LDFLAGS,
            )
        )
    return modules


class Build(build_ext):
    def build_extensions(self) -> None:
        include, archive = self.find_library()
        for extension in self.extensions:
            extension.include_dirs.append(include)
            if extension.name == "syscap._events":
                extension.extra_objects = [archive]
        super().build_extensions()

    def find_library(self) -> tuple[str, str]:
        prefix = os.environ.get("SYSCAP_PREFIX")
        if prefix:
            return self.in_prefix(pathlib.Path(prefix))
        if (TREE / "include" / "syscap.h").exists():
            return self.from_tree()
        return self.by_pkg_config()

    def in_prefix(self, prefix: pathlib.Path) -> tuple[str, str]:
        for archive in sorted(prefix.glob("lib*/**/libsyscap.a")):
            return str(prefix / "include"), str(archive)
        raise SystemExit(f"there is no libsyscap.a in {prefix}")

    def from_tree(self) -> tuple[str, str]:
        build = pathlib.Path(self.build_temp).resolve() / "library"
        off = [
            f"-DSYSCAP_{part}=OFF"
            for part in ("TOOLS", "DROPIN", "SHARED", "EXAMPLES", "BINDINGS",
                         "TESTS", "INSTALL")
        ]
        for command in (
            ["cmake", "-S", str(TREE), "-B", str(build), *off],
            ["cmake", "--build", str(build), "--target", "syscap"],
        ):
            print(shlex.join(command), flush=True)
            subprocess.run(command, check=True)
        return str(TREE / "include"), str(build / "src" / "libsyscap.a")

    def by_pkg_config(self) -> tuple[str, str]:
        def ask(variable: str) -> str:
            return subprocess.run(
                ["pkg-config", f"--variable={variable}", "syscap"],
                check=True,
                capture_output=True,
                text=True,
            ).stdout.strip()

        try:
            return ask("includedir"), f"{ask('libdir')}/libsyscap.a"
        except (OSError, subprocess.CalledProcessError):
            raise SystemExit(
                "libsyscap.a was not found: install syscap, or say where it "
                "is by SYSCAP_PREFIX"
            ) from None


# The walker is for one version: the package as a whole is, too, where it is in
setup(ext_modules=extensions(), cmdclass={"build_ext": Build})
