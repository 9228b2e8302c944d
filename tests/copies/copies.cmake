# Several copies of the library in one process.
#
# copies_a.so, copies_b.so and copies_other.so have one each, hidden; that of
# copies_other.so is of what stands for another version.  copies_golden.so has
# one of the first version, as it was, where there is one for this machine.

find_package(Threads REQUIRED)
get_target_property(copies_sources syscap SOURCES)
list(TRANSFORM copies_sources PREPEND ${PROJECT_SOURCE_DIR}/src/)
add_library(copies_of_other STATIC ${copies_sources})
target_include_directories(copies_of_other
	PUBLIC ${PROJECT_SOURCE_DIR}/include
	PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(copies_of_other
	PRIVATE syscap_options PUBLIC Threads::Threads)
target_compile_definitions(copies_of_other PRIVATE SC_PRIVATE_ABI=99u)
set_target_properties(copies_of_other PROPERTIES
	POSITION_INDEPENDENT_CODE ON C_EXTENSIONS OFF)

# syscap_copy(<name> <library or object>...)
function(syscap_copy name)
	add_library(copies_${name} MODULE copies/part.c)
	target_include_directories(copies_${name} PRIVATE
		${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
	target_link_libraries(copies_${name} PRIVATE syscap_options ${ARGN})
	target_compile_definitions(copies_${name}
		PRIVATE PART_NAME="${name}")
	target_link_options(copies_${name} PRIVATE -Wl,--exclude-libs,ALL)
	set_target_properties(copies_${name} PROPERTIES PREFIX ""
		C_EXTENSIONS OFF LIBRARY_OUTPUT_DIRECTORY ${syscap_test_bin})
	set(copies_parts ${copies_parts} copies_${name} PARENT_SCOPE)
endfunction()

syscap_copy(a syscap::syscap)
syscap_copy(b syscap::syscap)
syscap_copy(other copies_of_other)
set(copies_golden ${CMAKE_CURRENT_SOURCE_DIR}/copies/golden)
string(APPEND copies_golden /v1-${CMAKE_SYSTEM_PROCESSOR}.o)
if(EXISTS ${copies_golden})
	add_library(copies_golden MODULE ${copies_golden})
	set_source_files_properties(${copies_golden}
		PROPERTIES EXTERNAL_OBJECT ON)
	target_link_libraries(copies_golden PRIVATE Threads::Threads)
	set_target_properties(copies_golden PROPERTIES PREFIX ""
		LINKER_LANGUAGE C LIBRARY_OUTPUT_DIRECTORY ${syscap_test_bin})
	list(APPEND copies_parts copies_golden)
endif()

# The program has a copy too where part.c is among its sources.
set(copies_support copies/parts.c copies/census.c)
function(syscap_copies_test file)
	syscap_test(copies test_${file}.c ${ARGN}
		SOURCES ${copies_support} ${copies_${file}_sources}
		LIBS syscap_peer syscap::capture ${CMAKE_DL_LIBS})
	add_dependencies(test_copies_${file} ${copies_parts})
	# A sanitizer would not see what the old object file does
	if(NOT TARGET copies_golden OR file MATCHES "many|place" OR
	   SYSCAP_SANITIZE)
		return()
	endif()
	# Once more, with the first version in the place of the other one
	get_test_property(copies.${file} LABELS label)
	get_test_property(copies.${file} TIMEOUT limit)
	get_test_property(copies.${file} ENVIRONMENT environment)
	add_test(NAME copies.${file}_golden COMMAND test_copies_${file}
		--timeout 300)
	set_tests_properties(copies.${file}_golden PROPERTIES
		LABELS ${label} TIMEOUT ${limit} SKIP_RETURN_CODE 77
		ENVIRONMENT "${environment};COPIES_OTHER=golden")
endfunction()

set(copies_share_sources copies/part.c)
syscap_copies_test(share LABEL long)
set(copies_place_sources copies/place.c)
syscap_copies_test(place)
syscap_copies_test(many)
syscap_copies_test(unload LABEL long)
syscap_copies_test(exit)
if(SYSCAP_SANITIZE)
	syscap_test_skipped(copies.roll
		"single steps through a run time that is not ours")
else()
	syscap_test(copies test_roll.c LIBS syscap_peer)
endif()
set(copies_handlers_sources copies/part.c)
syscap_copies_test(handlers LABEL long WHOLE)
set(copies_step_sources copies/part.c)
if(SYSCAP_SANITIZE MATCHES "thread")
	syscap_test_skipped(copies.step
		"ThreadSanitizer does not see handlers, see docs/testing.md")
else()
	syscap_copies_test(step LABEL long TIMEOUT 300 WHOLE)
endif()
set(copies_fork_sources copies/part.c)
syscap_copies_test(fork LABEL long)
foreach(file self started)
	set(copies_${file}_sources copies/part.c copies/everywhere.c
		copies/census_file.c harness/written.c)
	syscap_copies_test(${file} LABEL long)
endforeach()

# The drop-in's copies, and GNOME's beside them.
if(SYSCAP_DROPIN)
	syscap_test(copies test_collector.c LIBS syscap_peer ${CMAKE_DL_LIBS})
	target_compile_definitions(test_copies_collector PRIVATE
		COPIES_HAVE_STOCK=$<BOOL:${sysprof_capture_FOUND}>)
	set(collector_a sysprof_capture)
	set(collector_b sysprof_capture)
	set(collector_stock PkgConfig::sysprof_capture)
	foreach(name a b stock)
		if(name STREQUAL stock AND NOT sysprof_capture_FOUND)
			continue()
		endif()
		add_library(copies_collector_${name} MODULE copies/collector.c)
		target_include_directories(copies_collector_${name}
			PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
		target_link_libraries(copies_collector_${name}
			PRIVATE syscap_options ${collector_${name}})
		set_target_properties(copies_collector_${name} PROPERTIES
			PREFIX "" C_EXTENSIONS ON
			LIBRARY_OUTPUT_DIRECTORY ${syscap_test_bin})
		add_dependencies(test_copies_collector
			copies_collector_${name})
	endforeach()
endif()
