# SPDX-License-Identifier: BSD-2-Clause
"""The package's build by pip without a network, and its types.

    "test_package.py build" needs venv and cmake; "test_package.py" runs the
    other tests
"""

import ast
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent.parent


class Types(unittest.TestCase):
    def test_stubs_name_what_the_modules_have(self):
        for name in ("_events", "_walker"):
            module = importlib.import_module(f"syscap.{name}")
            stub = pathlib.Path(module.__file__).parent / f"{name}.pyi"
            tree = ast.parse(stub.read_text())
            named = set()
            for node in tree.body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    named.add(node.name)
                elif isinstance(node, ast.AnnAssign):
                    named.add(node.target.id)
            has = {n for n in vars(module) if not n.startswith("__")}
            self.assertEqual(named, has)

    def test_classes_have_what_their_stubs_say(self):
        import syscap._events as events

        tree = ast.parse(pathlib.Path(events.__file__).with_name(
            "_events.pyi").read_text())
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                for item in node.body:
                    name = getattr(item, "name", None) or item.target.id
                    self.assertTrue(
                        hasattr(getattr(events, node.name), name), name)

    def test_all_is_all_there_is(self):
        import syscap

        for name in syscap.__all__:
            self.assertTrue(getattr(syscap, name).__doc__ or name.isupper(),
                            name)
        self.assertEqual(dir(syscap), sorted([*syscap.__all__, "__version__"]))
        self.assertTrue(
            (pathlib.Path(syscap.__file__).parent / "py.typed").exists())

    def test_signatures_are_known(self):
        import inspect

        import syscap

        self.assertEqual(str(inspect.signature(syscap.scope)),
                         "(group, name, message=None)")
        self.assertIn("begin=None", str(inspect.signature(syscap.mark)))

    def test_the_library_is_in_one_module_only(self):
        import syscap._walker as walker

        told = subprocess.run(["nm", "-a", walker.__file__], text=True,
                              capture_output=True, check=True).stdout
        self.assertNotIn("syscap_", told)


class Build(unittest.TestCase):
    """A fresh environment (venv) with only Python and pip.

    Each test installs the package and removes it again.  The compiler does not
    optimise, which would take most of the time.
    """

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.venv = pathlib.Path(folder.name, "venv")
        made = subprocess.run([sys.executable, "-m", "venv", str(cls.venv)],
                              capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise unittest.SkipTest(
                "venv does not work here (Debian: python3-venv)")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def copy(self):
        """Copy the sources of the package into a new tree."""
        tree = self.folder / "tree"
        for part in ("CMakeLists.txt", "LICENSE-BSD2", "include", "src",
                     "bindings/python"):
            source, target = HERE.parent.parent / part, tree / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns(
                    "__pycache__"))
            else:
                shutil.copy(source, target)
        return tree

    def pip(self, *arguments, **environment):
        """Run pip; return the environment variables."""
        env = dict(os.environ, CFLAGS="-O0", CMAKE_BUILD_TYPE="Debug",
                   **environment)
        env.pop("PYTHONPATH", None)
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run(
            [str(self.venv / "bin" / "pip"), *arguments],
            env=env, capture_output=True, text=True, timeout=1400, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return env

    def install(self, package, **environment):
        """Install the package; return the interpreter of the environment."""
        env = self.pip("install", "--no-index", "--no-cache-dir", str(package),
                       **environment)
        self.addCleanup(self.pip, "uninstall", "--yes", "syscap")
        return str(self.venv / "bin" / "python"), env

    def check(self, python, env):
        """Check that the package is complete, with its licence, and works."""
        told = subprocess.run(
            [python, "-c", """if True:
             import importlib.metadata as metadata, pathlib, syscap
             import syscap._walker
             files = {f.name for f in metadata.files("syscap")}
             assert {"LICENSE", "py.typed", "_events.pyi"} <= files, files
             about = metadata.metadata("syscap")
             assert about["Version"] == syscap.__version__
             assert about["License"] == "BSD-2-Clause"
             assert about["License-File"] == "LICENSE"
             assert about["Author"] and about["Keywords"] and about["Summary"]
             assert pathlib.Path(syscap.__file__).is_relative_to(
                 pathlib.Path(__import__("sys").prefix))
             with syscap.recording("own.syscap"):
                 with syscap.scope("installed", "scope"): pass
             """], env=env, cwd=self.folder, check=False,
            capture_output=True, text=True)
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        dump = subprocess.run(
            [os.environ["SYSCAP"], "dump", "own.syscap"], cwd=self.folder,
            check=True, capture_output=True, text=True)
        self.assertIn("installed", dump.stdout)
        (self.folder / "own.syscap").unlink()

    def test_pip_installs_the_sources_and_leaves_nothing_in_them(self):
        tree = self.copy()
        before = sorted(tree.rglob("*"))
        self.check(*self.install(tree / "bindings" / "python"))
        self.assertEqual(sorted(tree.rglob("*")), before)

    def test_the_sdist_is_enough_where_the_library_is_installed(self):
        tree = self.copy()
        subprocess.run(
            [sys.executable, "-c",
             "import build_package as b; b.build_sdist(%r)"
             % str(self.folder)],
            cwd=tree / "bindings" / "python", check=True)
        [sdist] = self.folder.glob("syscap-*.tar.gz")
        with tarfile.open(sdist) as packed:
            names = {name.partition("/")[2] for name in packed.getnames()}
        for name in ("LICENSE", "PKG-INFO", "pyproject.toml",
                     "tests/test_events.py", "csrc/bridge.h"):
            self.assertIn(name, names)
        self.assertFalse([n for n in names if "__pycache__" in n])
        prefix = self.folder / "prefix"
        (prefix / "lib").mkdir(parents=True)
        shutil.copytree(tree / "include", prefix / "include")
        shutil.copy(pathlib.Path(os.environ["SYSCAP_BINARY"], "src",
                                 "libsyscap.a"), prefix / "lib")
        self.check(*self.install(sdist, SYSCAP_PREFIX=str(prefix)))


if __name__ == "__main__":
    which = "Build" if sys.argv[1:] == ["build"] else "Types"
    unittest.main(argv=[sys.argv[0], which])
