# Frames of SpiderMonkey: the header, an example, tests, a benchmark.
# bindings/cpp/CMakeLists.txt includes this file.

set(syscap_sm ${CMAKE_CURRENT_LIST_DIR})
set(syscap_sm_why "")
include(CheckLanguage)
check_language(CXX)
find_package(PkgConfig)
if(NOT CMAKE_CXX_COMPILER)
	set(syscap_sm_why "there is no C++ compiler: g++")
elseif(NOT PkgConfig_FOUND)
	set(syscap_sm_why "there is no pkg-config")
else()
	if(NOT CMAKE_CXX_COMPILER_LOADED)
		enable_language(CXX)
	endif()
	pkg_check_modules(mozjs IMPORTED_TARGET mozjs-102)
	if(NOT mozjs_FOUND)
		set(syscap_sm_why "there is no mozjs-102: libmozjs-102-dev")
	endif()
endif()
if(syscap_sm_why)
	syscap_binding_skipped(cpp spidermonkey "${syscap_sm_why}")
	return()
endif()

add_library(syscap_spidermonkey INTERFACE)
target_include_directories(syscap_spidermonkey INTERFACE ${syscap_sm}/include)
target_link_libraries(syscap_spidermonkey
	INTERFACE syscap::syscap PkgConfig::mozjs)
target_compile_features(syscap_spidermonkey INTERFACE cxx_std_17)

# syscap_sm_program(<name> <source>...): without exceptions and RTTI, like
# Mozilla's code
function(syscap_sm_program name)
	list(TRANSFORM ARGN PREPEND ${syscap_sm}/)
	add_executable(${name} ${ARGN})
	target_link_libraries(${name}
		PRIVATE syscap_options syscap_spidermonkey)
	target_compile_options(${name} PRIVATE
		$<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>)
	set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

if(SYSCAP_EXAMPLES OR SYSCAP_TESTS)
	syscap_sm_program(syscap-spidermonkey examples/spidermonkey.cpp)
endif()
if(SYSCAP_BENCH)
	syscap_sm_program(bench_spidermonkey bench/bench_spidermonkey.cpp)
	target_link_options(bench_spidermonkey PRIVATE -Wl,--wrap=sigaction)
endif()
if(NOT SYSCAP_TESTS OR NOT SYSCAP_TOOLS)
	return()
endif()

find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
	syscap_binding_skipped(cpp spidermonkey "there is no python3: python3")
	return()
endif()
if(SYSCAP_SANITIZE MATCHES "thread")
	syscap_binding_skipped(cpp spidermonkey
		"ThreadSanitizer has signals wait until its own functions run")
	return()
endif()
syscap_sm_program(spidermonkey_shell
	tests/spidermonkey_shell.cpp tests/spidermonkey_watch.c)
target_sources(spidermonkey_shell
	PRIVATE ${PROJECT_SOURCE_DIR}/tests/harness/pure.c)
target_include_directories(spidermonkey_shell
	PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(spidermonkey_shell PRIVATE ${CMAKE_DL_LIBS})
target_link_options(spidermonkey_shell PRIVATE -Wl,--wrap=sigaction
	-Wl,--wrap=syscap_stack_push -Wl,--wrap=syscap_stack_scratch)
set(syscap_sm_environment
	SPIDERMONKEY_SHELL=$<TARGET_FILE:spidermonkey_shell>
	SPIDERMONKEY_EXAMPLE=$<TARGET_FILE:syscap-spidermonkey>)

# syscap_sm_test(<case> [LABEL ...] [TIMEOUT ...] [ARGS <argument>...])
function(syscap_sm_test case)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;LABEL;TIMEOUT" "ARGS")
	if(NOT arg_NAME)
		set(arg_NAME ${case})
	endif()
	syscap_binding_test(cpp spidermonkey.${arg_NAME} LABEL long
		LABEL ${arg_LABEL} TIMEOUT ${arg_TIMEOUT}
		ENVIRONMENT ${syscap_sm_environment}
		COMMAND ${Python3_EXECUTABLE}
			${syscap_sm}/tests/spidermonkey_test.py ${case} ${arg_ARGS})
endfunction()

foreach(case order hot kinds deep_interpreted deep_native collecting purity
		lifetime own_stack example)
	syscap_sm_test(${case})
endforeach()
syscap_sm_test(churn LABEL long ARGS 4)
syscap_sm_test(churn NAME churn.soak LABEL verylong TIMEOUT 300 ARGS 60)
syscap_binding_test(cpp spidermonkey.gui LABEL verylong
	ENVIRONMENT ${syscap_sm_environment}
	COMMAND ${syscap_sm}/tests/spidermonkey_gui.sh)
