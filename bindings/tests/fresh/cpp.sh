# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC1091,SC2034,SC2164,SC2016
# cpp.sh - the headers by CMake, by pkg-config and as a part of the tree.
README=/syscap/bindings/cpp/README.md
. /user/fresh/typed.sh
packages 'g++ cmake pkg-config'
mkdir -p /user/demo
cd /user/demo
{
	block 1 | grep -v '^	\.\.\.$'
	echo 'int main() { for (int i = 0; i < 3; i++) draw("x"); }'
} >demo.cpp

uses() {
	typed 'syscap record -- ./demo'
	typed 'syscap stat capture.syscap'
	recorded capture.syscap 'demo +draw' 'demo +frames'
	rm capture.syscap demo
}

# shellcheck disable=SC2046 # words
g++ -o demo demo.cpp $(typed 'pkg-config --cflags --libs syscap' |
	grep -v '^\$')
echo '$ pkg-config --cflags --libs syscap'
uses

has 'find_package(syscap REQUIRED) target_link_libraries(demo PRIVATE syscap::cpp)'
echo '$ cmake'
{
	echo 'cmake_minimum_required(VERSION 3.25)'
	echo 'project(demo CXX)'
	echo 'add_executable(demo demo.cpp)'
	block 3
} >CMakeLists.txt
cmake -B build -DCMAKE_PREFIX_PATH=/opt/syscap
cmake --build build
mv build/demo .
uses

has 'With the tree as a subdirectory and `-DSYSCAP_BINDINGS=ON`, the target is `syscap::cpp`, too'
echo '$ cmake, with the tree below'
rm -rf build
ln -s /syscap below
sed -i 's/^find_package.*/add_subdirectory(below)/
	s/(demo CXX)/(demo C CXX)/' CMakeLists.txt
cmake -B build -DSYSCAP_BINDINGS=ON
cmake --build build -j 2 --target demo
mv build/demo .
uses
