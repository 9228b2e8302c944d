# SPDX-License-Identifier: BSD-2-Clause
# test_install.py - use of installed files, also after a move of the prefix.
"""The test uses the programs in CC, CMAKE, VALAC, GJS and GI_PYTHON, if set."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from recording import BUILD, GJS, HERE, PYTHON, environment, record, run

VALAC = os.environ.get("VALAC", "")


class Installed(unittest.TestCase):
    """One prefix, which is moved after the installation."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        for part in ([], ["--component", "gi"]):
            run([os.environ["CMAKE"], "--install", BUILD, *part, "--prefix",
                 folder.name + "/first"])
        cls.prefix = folder.name + "/moved"
        os.rename(folder.name + "/first", cls.prefix)
        cls.package = cls.find("syscap-glib-1.pc")
        cls.env = environment(
            LD_LIBRARY_PATH=cls.find("libsyscap-glib-1.so"),
            GI_TYPELIB_PATH=cls.find("Syscap-1.typelib"),
            GJS_PATH="",
            XDG_DATA_DIRS=cls.prefix + "/share:/usr/local/share:/usr/share",
            PYTHONPATH=str(pathlib.Path(cls.find("Syscap.py")).parents[1]),
            PKG_CONFIG_PATH=cls.package,
        )

    @classmethod
    def find(cls, name):
        """Return the only directory with this file."""
        found = list(pathlib.Path(cls.prefix).rglob(name))
        if len(found) != 1:
            raise AssertionError(f"{name}: {found}")
        return str(found[0].parent)

    def flags(self, *options):
        """Return the output of pkg-config."""
        return run(
            ["pkg-config", *options, "syscap-glib-1"], self.env
        ).split()

    def check(self, command):
        """Check that the command's deeds are recorded."""
        printed, capture = record(command, self.env)
        self.assertEqual(printed, "recorded\n")
        self.assertIn(
            ("scope", "done"), [(n, m) for n, _, m in capture.marks("deeds")]
        )

    def test_a_c_program_is_built_with_pkg_config(self):
        program = self.folder + "/deeds"
        run([*os.environ["CC"].split(), "-Wall", "-Wextra", "-Werror",
             HERE + "/deeds.c", *self.flags("--cflags", "--libs"),
             "-o", program], self.env)
        self.check([program])

    @unittest.skipUnless(VALAC, "there is no valac")
    def test_a_vala_program_needs_no_more_than_pkg(self):
        program = self.folder + "/deeds_vala"
        run([VALAC, "--quiet", "--vapidir", self.find("syscap-glib-1.vapi"),
             "--pkg", "syscap-glib-1", "-X", "-w", "-o", program,
             HERE + "/deeds.vala"], self.env)
        self.check([program])

    @unittest.skipUnless(GJS, "there is no gjs")
    def test_gjs_finds_typelib_and_overrides(self):
        self.check([GJS, "-m", HERE + "/deeds.js"])

    def test_pygobject_finds_typelib_and_overrides(self):
        if subprocess.run([PYTHON, "-c", "import gi"], check=False,
                          stderr=subprocess.DEVNULL).returncode:
            self.skipTest("there is no PyGObject")
        self.check([PYTHON, HERE + "/deeds.py"])

    def test_nothing_of_the_core_is_shown(self):
        if not shutil.which("nm"):
            self.skipTest("there is no nm")
        shown = run(["nm", "-D", "--defined-only", "--format=posix",
                     self.find("libsyscap-glib-1.so")
                     + "/libsyscap-glib-1.so"])
        names = {line.split("@")[0].split()[0] for line in shown.split("\n")
                 if line}
        self.assertEqual(
            {name for name in names
             if not name.startswith(("syscap_glib_", "SYSCAP_GLIB_"))}, set()
        )
        self.assertIn("syscap_glib_mark", names)

    def test_the_package_tells_where_its_parts_are(self):
        for name, file in (("girdir", "Syscap-1.gir"),
                           ("typelibdir", "Syscap-1.typelib")):
            told = self.flags("--variable=" + name)[0]
            self.assertEqual(os.path.realpath(told),
                             os.path.realpath(self.find(file)))

    def test_no_file_names_the_place_it_was_built_in(self):
        for name in "Syscap-1.gir", "syscap-glib-1.pc":
            text = pathlib.Path(self.find(name), name).read_text("utf-8")
            self.assertNotIn(BUILD, text)
            self.assertNotIn(os.path.dirname(HERE), text)


if __name__ == "__main__":
    unittest.main()
