# Functions for the CMakeLists.txt of the test directories.

# The environment of each test. PATH has no program of this build.
set(syscap_tests ${CMAKE_CURRENT_SOURCE_DIR})
set(syscap_test_bin ${CMAKE_CURRENT_BINARY_DIR}/bin)
set(syscap_test_environment
	SYSCAP_SOURCE=${PROJECT_SOURCE_DIR}
	SYSCAP_BINARY=${PROJECT_BINARY_DIR}
	SYSCAP_TEST_BIN=${syscap_test_bin}
	SYSCAP_SANITIZE=${SYSCAP_SANITIZE}
	CMAKE=${CMAKE_COMMAND}
	CC=${CMAKE_C_COMPILER}
	CXX=${CMAKE_CXX_COMPILER})
if(SYSCAP_TOOLS)
	list(APPEND syscap_test_environment SYSCAP=$<TARGET_FILE:syscap_cli>)
endif()
if(sysprof_capture_FOUND)
	list(APPEND syscap_test_environment REF_COUNT=${syscap_test_bin}/ref_count)
	list(APPEND syscap_test_environment REF_FILE=${syscap_test_bin}/ref_file)
endif()

# Time limit of a test, also on a machine with twenty other busy programs.
# Sanitizers make some tests several times slower.
set(syscap_test_seconds 180)
if(SYSCAP_SANITIZE)
	set(syscap_test_seconds 400)
endif()

# Reasons for NO_TSAN that several tests share
set(syscap_handlers_unseen
	"ThreadSanitizer does not see handlers, see docs/testing.md")
set(syscap_one_thread "commands have one thread, asan runs this")
set(syscap_processes "about processes, asan runs this")

# syscap_test_program(<name> SOURCES <file>... [LIBS <target>...])
#
# A program for tests, in $SYSCAP_TEST_BIN.
function(syscap_test_program name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
	add_executable(${name} ${arg_SOURCES})
	target_include_directories(${name} PRIVATE
		${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
		${syscap_tests})
	target_link_libraries(${name} PRIVATE syscap_options ${arg_LIBS})
	set_target_properties(${name} PROPERTIES C_EXTENSIONS OFF
		RUNTIME_OUTPUT_DIRECTORY ${syscap_test_bin})
endfunction()

# syscap_test_module(<name> SOURCES <file>... [LIBS <target>...])
#
# <name> is $SYSCAP_TEST_BIN/<name>.so, which tests load.  The symbols of LIBS
# stay hidden.
function(syscap_test_module name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
	add_library(${name} MODULE ${arg_SOURCES})
	target_include_directories(${name} PRIVATE
		${PROJECT_SOURCE_DIR}/include ${syscap_tests})
	target_link_libraries(${name} PRIVATE syscap_options ${arg_LIBS})
	set_target_properties(${name} PROPERTIES PREFIX "" C_EXTENSIONS OFF
		LIBRARY_OUTPUT_DIRECTORY ${syscap_test_bin})
endfunction()

# syscap_test_library(<name> SOURCES <file>... [LIBS <target>...])
#
# A library for tests, which are then also linked with LIBS.
function(syscap_test_library name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
	add_library(${name} STATIC ${arg_SOURCES})
	target_include_directories(${name} PUBLIC ${syscap_tests}
		PRIVATE ${PROJECT_SOURCE_DIR}/src)
	target_link_libraries(${name} PRIVATE syscap_options PUBLIC ${arg_LIBS})
	set_target_properties(${name} PROPERTIES C_EXTENSIONS OFF)
endfunction()

# syscap_test(<file> [NAME <name>] [LABEL quick|long|verylong]
#	[LIBS <target>...] [SOURCES <file>...] [ARGS <argument>...]
#	[TIMEOUT <seconds of each test in it>] [SERIAL] [WHOLE] [ONCE]
#	[PROCESSORS <number, as ctest counts>]
#	[NO_TSAN <reason>] [NO_SANITIZER <reason>])
#
# <file> is a C file that uses the harness, or a shell script.  The name of the
# test is <folder>.<file without test_>, with dots for slashes: cli/stat/json.sh
# is cli.stat.json.
#
# WHOLE: adds the test <folder>.<name>_whole, label verylong, which runs all
# cases. test_is_whole() in harness/test.h is then true, or the script's last
# argument is "whole".  NO_TSAN, NO_SANITIZER: skipped with ThreadSanitizer,
# with any sanitizer.  ONCE: skipped with any sanitizer, since the test runs no
# sanitized program.
function(syscap_test file)
	cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL;WHOLE;ONCE"
		"NAME;LABEL;TIMEOUT;PROCESSORS;NO_TSAN;NO_SANITIZER" "LIBS;SOURCES;ARGS")
	set(path ${CMAKE_CURRENT_SOURCE_DIR}/${file})
	if(NOT EXISTS ${path})
		message(FATAL_ERROR "There is no ${path}")
	endif()
	if(arg_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "${file}: ${arg_UNPARSED_ARGUMENTS}?")
	endif()
	get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
	if(NOT arg_NAME)
		string(REGEX REPLACE "^test_" "" arg_NAME ${file})
		string(REGEX REPLACE "\\.[a-z]+$" "" arg_NAME ${arg_NAME})
		string(REPLACE "/" "." arg_NAME ${arg_NAME})
	endif()
	set(name ${folder}.${arg_NAME})
	if(arg_ONCE)
		set(arg_NO_SANITIZER "runs nothing that is sanitized, the preset test has it")
	endif()
	if(SYSCAP_SANITIZE AND arg_NO_SANITIZER)
		syscap_test_skipped(${name} ${arg_NO_SANITIZER})
		return()
	endif()
	if(SYSCAP_SANITIZE MATCHES "thread" AND arg_NO_TSAN)
		syscap_test_skipped(${name} ${arg_NO_TSAN})
		return()
	endif()
	if(NOT arg_LABEL)
		set(arg_LABEL quick)
	endif()
	if(NOT arg_TIMEOUT)
		set(arg_TIMEOUT ${syscap_test_seconds})
	endif()

	if(file MATCHES "\\.c$")
		set(program test_${folder}_${arg_NAME})
		syscap_test_program(${program} SOURCES ${file} ${arg_SOURCES}
			LIBS syscap_harness ${arg_LIBS})
		set(command ${program} --timeout ${arg_TIMEOUT})
		set(whole ${program} --timeout 1800 --whole)
		set(last)
		math(EXPR limit "${arg_TIMEOUT} * 40")
	else()
		set(command ${path})
		set(whole ${path})
		set(last whole)
		math(EXPR limit "${arg_TIMEOUT} * 4")
	endif()
	add_test(NAME ${name} COMMAND ${command} ${arg_ARGS})
	set_tests_properties(${name} PROPERTIES
		LABELS ${arg_LABEL} SKIP_RETURN_CODE 77 TIMEOUT ${limit}
		ENVIRONMENT "${syscap_test_environment}")
	if(arg_SERIAL)
		set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
	endif()
	if(arg_PROCESSORS)
		set_tests_properties(${name} PROPERTIES
			PROCESSORS ${arg_PROCESSORS})
	endif()
	if(arg_WHOLE)
		add_test(NAME ${name}_whole COMMAND ${whole} ${arg_ARGS} ${last})
		set_tests_properties(${name}_whole PROPERTIES
			LABELS verylong SKIP_RETURN_CODE 77 TIMEOUT 7200
			ENVIRONMENT "${syscap_test_environment}")
	endif()
endfunction()

# A test that cannot run here stays in ctest's list, and prints the reason.
function(syscap_test_skipped name reason)
	add_test(NAME ${name} COMMAND sh -c "echo \"skip: $1\"; exit 77"
		sh "${reason}")
	set_tests_properties(${name} PROPERTIES LABELS quick
		SKIP_RETURN_CODE 77)
endfunction()
