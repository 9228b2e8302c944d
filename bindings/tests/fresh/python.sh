# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC1091,SC2034,SC2164,SC2016
# python.sh - the package in fresh environments: from the sources, with an
# installed library, from a wheel and from an sdist.
README=/syscap/bindings/python/README.md
. /user/fresh/typed.sh
packages 'gcc cmake python3-dev python3-venv'
cd /syscap
find . | sort >/user/before
{
	printf 'def main(): answer("x"); digest("y")\nn = 1\n'
	block 1
} >/user/app.py

# uses PYTHON: checks that the package installed for PYTHON records
uses() {
	(
		cd /user
		PATH=$(dirname "$1"):$PATH
		typed 'syscap record -o out.syscap -- python3 app.py'
		typed 'syscap stat out.syscap'
		recorded out.syscap 'server +answer' 'server +requests'
		rm -f out.syscap
		typed 'syscap record -o out.syscap -- python3 -m syscap app.py argument...'
		recorded out.syscap 'server +answer'
		rm -f out.syscap
		"$1" -c 'import pathlib, importlib.metadata as m
assert any(f.name == "LICENSE" for f in m.files("syscap"))
import syscap._walker'
	)
}

typed 'python3 -m venv venv'
typed 'venv/bin/pip install bindings/python'
uses /syscap/venv/bin/python3
SYSCAP_SAMPLE=1000 syscap record -o /user/story.syscap -- \
	venv/bin/python3 bindings/python/examples/pipeline.py >/dev/null
recorded /user/story.syscap 'pipeline +crunch' count_primes
rm -rf venv
find . | sort >/user/after
diff /user/before /user/after

typed 'python3 -m venv venv'
typed 'SYSCAP_PREFIX=/opt/syscap venv/bin/pip install bindings/python'
uses /syscap/venv/bin/python3

echo '$ pip wheel, into another environment'
venv/bin/pip wheel -q --no-deps -w /user/wheels bindings/python
python3 -m venv /user/other
/user/other/bin/pip install --no-index /user/wheels/*.whl
uses /user/other/bin/python3

echo '$ build_sdist(), into another environment'
has 'build_sdist()'
(cd bindings/python && python3 -B -c \
	'import build_package as b; b.build_sdist("/user")')
python3 -m venv /user/third
SYSCAP_PREFIX=/opt/syscap /user/third/bin/pip install /user/syscap-*.tar.gz
uses /user/third/bin/python3
rm -rf venv
find . | sort >/user/after
diff /user/before /user/after
