# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC1091,SC2034,SC2164,SC2016
# library.sh - the library, built and installed in /opt/syscap.
README=/syscap/README.md
. /user/fresh/typed.sh
has 'gcc or clang, make and CMake 3.25'
apt-get -q update
apt-get install -q -y gcc make cmake
README=/syscap/docs/install.md
has 'cmake -B build -DSYSCAP_TESTS=OFF -DSYSCAP_BENCH=OFF cmake --build build cmake --install build --prefix DIR'
cd /syscap
echo '$ cmake ...'
cmake -B build -DSYSCAP_TESTS=OFF -DSYSCAP_BENCH=OFF &&
	cmake --build build -j 2 && cmake --install build --prefix /opt/syscap
/opt/syscap/bin/syscap --version
