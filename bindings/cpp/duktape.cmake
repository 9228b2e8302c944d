# The safe points of Duktape: an example, and a test of its recording.

find_path(SYSCAP_DUKTAPE_INCLUDE duktape.h)
find_library(SYSCAP_DUKTAPE duktape)
mark_as_advanced(SYSCAP_DUKTAPE_INCLUDE SYSCAP_DUKTAPE)
if(NOT SYSCAP_DUKTAPE_INCLUDE OR NOT SYSCAP_DUKTAPE)
	syscap_binding_skipped(cpp duktape
		"there is no Duktape (Debian: duktape-dev)")
	return()
endif()
if(NOT SYSCAP_EXAMPLES AND NOT SYSCAP_TESTS)
	return()
endif()

add_executable(syscap-duktape ${CMAKE_CURRENT_LIST_DIR}/examples/duktape.c)
target_include_directories(syscap-duktape
	SYSTEM PRIVATE ${SYSCAP_DUKTAPE_INCLUDE})
target_compile_definitions(syscap-duktape PRIVATE _GNU_SOURCE)
target_link_libraries(syscap-duktape
	PRIVATE syscap_options syscap::syscap ${SYSCAP_DUKTAPE} m)
set_target_properties(syscap-duktape PROPERTIES C_EXTENSIONS OFF)

if(SYSCAP_TESTS AND SYSCAP_TOOLS)
	if(Python3_FOUND)
		syscap_binding_test(cpp duktape COMMAND ${Python3_EXECUTABLE} -B
			${CMAKE_CURRENT_LIST_DIR}/tests/duktape_test.py
			$<TARGET_FILE:syscap-duktape>)
	else()
		syscap_binding_skipped(cpp duktape
			"there is no python3 (Debian: python3)")
	endif()
endif()
