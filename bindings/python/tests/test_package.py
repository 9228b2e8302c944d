# SPDX-License-Identifier: BSD-2-Clause
"""The package: built by setuptools without a network, and its types.

    test_package.py build    wants setuptools, and cmake or pkg-config
    test_package.py          the rest
"""

import ast
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
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
        names = {n for n in vars(syscap) if not n.startswith("_")}
        self.assertEqual(names - set(syscap.__all__),
                         {"annotations", "Any", "TYPE_CHECKING"} & names)
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
    def test_setuptools_builds_it_offline(self):
        with tempfile.TemporaryDirectory() as folder:
            # Its own copy of the tree: nothing is written into the sources
            tree = pathlib.Path(folder, "tree")
            for part in ("CMakeLists.txt", "include", "src",
                         "bindings/python"):
                source = HERE.parent.parent / part
                target = tree / part
                target.parent.mkdir(parents=True, exist_ok=True)
                if source.is_dir():
                    shutil.copytree(source, target,
                                    ignore=shutil.ignore_patterns(
                                        "build", "*.egg-info"))
                else:
                    shutil.copy(source, target)
            where = tree / "bindings" / "python"
            lib = pathlib.Path(folder, "lib")
            run = subprocess.run(
                [sys.executable, "setup.py", "-q", "build",
                 "--build-lib", str(lib)],
                cwd=where, capture_output=True, text=True, timeout=400,
                check=False)
            self.assertEqual(run.returncode, 0, run.stderr + run.stdout)
            self.assertTrue((lib / "syscap" / "_events.abi3.so").exists())
            self.assertTrue((lib / "syscap" / "py.typed").exists())
            self.assertTrue((lib / "syscap" / "_events.pyi").exists())
            subprocess.run(
                [sys.executable, "-c",
                 "import syscap, syscap._walker; "
                 f"assert syscap.__file__.startswith({str(lib)!r})"],
                env=dict(os.environ, PYTHONPATH=str(lib)), cwd=folder,
                check=True)


if __name__ == "__main__":
    which = "Build" if sys.argv[1:] == ["build"] else "Types"
    unittest.main(argv=[sys.argv[0], which])
