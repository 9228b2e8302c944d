# SPDX-License-Identifier: BSD-2-Clause
"""The build backend of the package for pip (PEP 517), which needs Python and cc.

The library is a static archive.  The backend searches, in this order:

    SYSCAP_PREFIX=DIR       the prefix of the installed library
    the surrounding sources, which CMake builds in a separate directory
    pkg-config syscap       the library installed for all users

CC, CFLAGS and LDFLAGS have the usual meaning.  The backend writes nothing into
the sources.
"""

from __future__ import annotations

import base64
import hashlib
import os
import pathlib
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
CFLAGS = ["-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-DNDEBUG"]
# A signal handler must not resolve symbols, and ticks may come after an unload
LDFLAGS = ["-shared", "-Wl,-z,now", "-Wl,-z,nodelete",
           "-Wl,--exclude-libs,ALL", "-pthread"]
FOLDERS = ["src", "csrc", "tests", "examples"]
FILES = ["pyproject.toml", "build_package.py", "README.md"]

# Remove the byte code of this file, which Python has written
try:
    os.remove(__cached__)
    os.rmdir(os.path.dirname(__cached__))
except (NameError, OSError):
    pass

with open(HERE / "pyproject.toml", "rb") as _file:
    PROJECT = tomllib.load(_file)["project"]
NAME = f"{PROJECT['name']}-{PROJECT['version']}"


def _run(*command: str) -> None:
    print(shlex.join(command), flush=True)
    subprocess.run(command, check=True)


# ------------------------------------------------------------ the library


def _in_prefix(prefix: pathlib.Path) -> tuple[str, str]:
    for archive in sorted(prefix.glob("lib*/**/libsyscap.a")):
        return str(prefix / "include"), str(archive)
    raise SystemExit(f"there is no libsyscap.a in {prefix}")


def _from_tree(work: str) -> tuple[str, str]:
    off = [
        f"-DSYSCAP_{part}=OFF"
        for part in ("TOOLS", "DROPIN", "SHARED", "EXAMPLES", "BINDINGS",
                     "TESTS", "INSTALL")
    ]
    _run("cmake", "-S", str(TREE), "-B", f"{work}/library", *off)
    _run("cmake", "--build", f"{work}/library", "--target", "syscap")
    return str(TREE / "include"), f"{work}/library/src/libsyscap.a"


def _by_pkg_config() -> tuple[str, str]:
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
            "libsyscap.a was not found: install syscap, or set SYSCAP_PREFIX "
            "to its prefix"
        ) from None


def _find_library(work: str) -> tuple[str, str]:
    prefix = os.environ.get("SYSCAP_PREFIX")
    if prefix:
        return _in_prefix(pathlib.Path(prefix))
    if (TREE / "include" / "syscap.h").exists():
        return _from_tree(work)
    return _by_pkg_config()


# ------------------------------------------------------------ the modules


def _has_walker() -> bool:
    return (
        sys.implementation.name == "cpython"
        and (3, 11) <= sys.version_info < (3, 14)
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
    )


def _compile(
    part: str, output: str, include: str, *more: str
) -> pathlib.Path:
    sources = sorted(str(f) for f in (HERE / "csrc" / part).glob("*.c"))
    _run(
        *shlex.split(os.environ.get("CC", "cc")),
        *CFLAGS,
        *shlex.split(os.environ.get("CFLAGS", "")),
        f"-I{HERE / 'csrc'}",
        f"-I{include}",
        f"-I{sysconfig.get_path('include')}",
        *sources,
        *more,
        *LDFLAGS,
        *shlex.split(os.environ.get("LDFLAGS", "")),
        "-o",
        output,
    )
    return pathlib.Path(output)


def _modules(work: str) -> list[pathlib.Path]:
    include, archive = _find_library(work)
    made = [
        _compile("events", f"{work}/_events.abi3.so", include, archive,
                 "-DPy_LIMITED_API=0x030b0000")
    ]
    if _has_walker():
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        made.append(_compile("walker", f"{work}/_walker{suffix}", include))
    return made


# ----------------------------------------------------------- the packages


def _license() -> bytes:
    own = HERE / "LICENSE"
    return (own if own.exists() else TREE / "LICENSE-BSD2").read_bytes()


def _metadata() -> bytes:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {PROJECT['name']}",
        f"Version: {PROJECT['version']}",
        f"Summary: {PROJECT['description']}",
        f"Author: {PROJECT['authors'][0]['name']}",
        f"License: {PROJECT['license']['text']}",
        "License-File: LICENSE",
        f"Keywords: {','.join(PROJECT['keywords'])}",
        *(f"Classifier: {c}" for c in PROJECT["classifiers"]),
        f"Requires-Python: {PROJECT['requires-python']}",
        "Description-Content-Type: text/markdown",
        "",
        (HERE / PROJECT["readme"]).read_text(encoding="utf-8"),
    ]
    return "\n".join(lines).encode()


def _tag() -> str:
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if not _has_walker():
        return f"cp311-abi3-{platform}"
    version = "cp{}{}".format(*sys.version_info)
    return f"{version}-{version}-{platform}"


class _Wheel(zipfile.ZipFile):
    def __init__(self, path: pathlib.Path) -> None:
        super().__init__(path, "w", zipfile.ZIP_DEFLATED)
        self._records: list[str] = []

    def put(self, name: str, data: bytes, mode: int = 0o644) -> None:
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr = mode << 16
        self.writestr(entry, data, zipfile.ZIP_DEFLATED)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        self._records.append(
            f"{name},sha256={digest.rstrip(b'=').decode()},{len(data)}"
        )

    def finish(self, name: str) -> None:
        lines = [*self._records, f"{name},,", ""]
        self.writestr(name, "\n".join(lines))


def build_wheel(
    wheel_directory: str,
    config_settings: Any = None,
    metadata_directory: str | None = None,
) -> str:
    tag = _tag()
    name = f"{NAME}-{tag}.whl"
    info = f"{NAME}.dist-info"
    with tempfile.TemporaryDirectory() as work:
        modules = _modules(work)
        with _Wheel(pathlib.Path(wheel_directory, name)) as wheel:
            for file in sorted((HERE / "src" / "syscap").glob("*")):
                if file.suffix in (".py", ".pyi") or file.name == "py.typed":
                    wheel.put(f"syscap/{file.name}", file.read_bytes())
            for file in modules:
                wheel.put(f"syscap/{file.name}", file.read_bytes(), 0o755)
            wheel.put(f"{info}/LICENSE", _license())
            wheel.put(f"{info}/METADATA", _metadata())
            wheel.put(
                f"{info}/WHEEL",
                "Wheel-Version: 1.0\nGenerator: syscap\n"
                f"Root-Is-Purelib: false\nTag: {tag}\n".encode(),
            )
            wheel.finish(f"{info}/RECORD")
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    name = f"{NAME}.tar.gz"

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        if "__pycache__" in entry.name:
            return None
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry

    with (
        tempfile.TemporaryDirectory() as work,
        tarfile.open(pathlib.Path(sdist_directory, name), "w:gz",
                     format=tarfile.PAX_FORMAT) as sdist,
    ):
        for part in (*FILES, *FOLDERS):
            sdist.add(HERE / part, f"{NAME}/{part}", filter=plain)
        for part, data in (("LICENSE", _license()),
                           ("PKG-INFO", _metadata())):
            made = pathlib.Path(work, part)
            made.write_bytes(data)
            sdist.add(made, f"{NAME}/{part}", filter=plain)
    return name
