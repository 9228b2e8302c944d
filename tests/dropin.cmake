# The interface of libsysprof-capture-4: each test program is built with our
# library (NAME_ours) and, where it is installed, with GNOME's (NAME_ref).

# syscap_dropin_program(<name> SOURCES <file of tests/dropin>...
#	[PLUGIN <file, for NAME_plugin.so>])
function(syscap_dropin_program name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "PLUGIN" "SOURCES")
	list(TRANSFORM arg_SOURCES PREPEND dropin/)
	set(builds ours)
	if(sysprof_capture_FOUND)
		list(APPEND builds ref)
	endif()
	set(ours_library sysprof_capture)
	set(ref_library PkgConfig::sysprof_capture)
	foreach(build IN LISTS builds)
		add_executable(${name}_${build} ${arg_SOURCES})
		target_link_libraries(${name}_${build} PRIVATE syscap_options
			${${build}_library} syscap_make_capture
			${CMAKE_DL_LIBS})
		target_include_directories(${name}_${build}
			PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
		set_target_properties(${name}_${build} PROPERTIES
			C_EXTENSIONS ON
			RUNTIME_OUTPUT_DIRECTORY ${syscap_test_bin})
		if(arg_PLUGIN)
			set(plugin ${name}_${build}_plugin)
			add_library(${plugin} MODULE dropin/${arg_PLUGIN})
			target_link_libraries(${plugin} PRIVATE syscap_options
				${${build}_library})
			set_target_properties(${plugin} PROPERTIES PREFIX ""
				C_EXTENSIONS ON
				LIBRARY_OUTPUT_DIRECTORY ${syscap_test_bin})
		endif()
	endforeach()
	# What the interface has no words for, ours says in <syscap.h>
	target_compile_definitions(${name}_ours PRIVATE DEFECTS_OURS)
	target_include_directories(${name}_ours
		PRIVATE ${PROJECT_SOURCE_DIR}/include)
endfunction()

# A plain program is the test: 0 passed, 77 skipped.
function(syscap_program_test name program label)
	add_test(NAME ${name} COMMAND ${program} ${ARGN})
	set_tests_properties(${name} PROPERTIES LABELS ${label}
		SKIP_RETURN_CODE 77 TIMEOUT 300
		ENVIRONMENT "${syscap_test_environment}")
endfunction()

# --- the surface, and what each function does

# The table as a program; of release 46 with both libraries.
set(generate ${CMAKE_CURRENT_SOURCE_DIR}/dropin/make_api_test.sh)
function(syscap_api_test name library)
	set(file ${CMAKE_CURRENT_BINARY_DIR}/dropin_api_${name}.c)
	add_custom_command(OUTPUT ${file}
		COMMAND ${generate} ${ARGN} > ${file}
		DEPENDS ${generate} ${CMAKE_CURRENT_SOURCE_DIR}/dropin/api.txt
		VERBATIM)
	add_executable(dropin_api_${name} ${file})
	target_link_libraries(dropin_api_${name}
		PRIVATE syscap_options ${library})
	set_target_properties(dropin_api_${name} PROPERTIES C_EXTENSIONS ON
		RUNTIME_OUTPUT_DIRECTORY ${syscap_test_bin})
	syscap_program_test(dropin.api.${name} dropin_api_${name} short)
endfunction()
syscap_api_test(ours sysprof_capture)
syscap_api_test(46 sysprof_capture 46)

syscap_dropin_program(dropin_behaviour SOURCES test_behaviour.c
	behaviour_collector.c behaviour_counters.c behaviour_cursor.c
	behaviour_files.c behaviour_frames.c behaviour_join.c
	behaviour_newer.c behaviour_reader.c behaviour_stacks.c
	behaviour_system.c behaviour_writer.c)
syscap_program_test(dropin.behaviour.ours dropin_behaviour_ours short)
if(sysprof_capture_FOUND)
	syscap_api_test(ref PkgConfig::sysprof_capture 46)
	syscap_program_test(dropin.behaviour.ref dropin_behaviour_ref short)
else()
	foreach(test api behaviour)
		syscap_test_skipped(dropin.${test}.ref
			"there is no sysprof-capture-4")
	endforeach()
endif()
syscap_test(dropin complete.sh)
syscap_test(dropin headers.sh LABEL long ONCE)
syscap_test(dropin interfaces.sh LABEL long ONCE)
syscap_test(dropin link.sh LABEL long)

# --- known defects of the reference

syscap_dropin_program(defects_collector SOURCES defects_collector.c
	defects_collector_copies.c defects_collector_frames.c
	defects_collector_losses.c defects_collector_processes.c
	defects_collector_read.c defects_collector_stacks.c
	defects_collector_texts.c
	defects_collector_waits.c ring_peer.c
	PLUGIN defects_collector_plugin.c)
foreach(file writer writer_io writer_end writer_args writer_fd writer_padding
	writer_join reader reader_files)
	syscap_dropin_program(defects_${file}
		SOURCES defects_${file}.c defects_files.c)
endforeach()
syscap_dropin_program(defects_reader_order SOURCES defects_reader_order.c
	defects_reader_words.c defects_files.c)
foreach(table defects defects_files)
	syscap_test(dropin defects.sh NAME ${table} LABEL long
		ARGS ${CMAKE_CURRENT_SOURCE_DIR}/dropin/${table}.txt)
endforeach()

# --- writers and signals

syscap_test(dropin test_writer_signals.c LABEL long TIMEOUT 300 WHOLE
	SOURCES dropin/writer_ledger.c stress/stepper.c
	LIBS sysprof_capture)
