# The tests of the package, with each interpreter that it was built for.

# python_test(<id> <name> <arguments of syscap_binding_test and COMMAND's>)
function(python_test id name script)
	cmake_parse_arguments(PARSE_ARGV 3 arg "SERIAL"
		"LABEL;TIMEOUT" "ENVIRONMENT;ARGUMENTS")
	set(serial)
	if(arg_SERIAL)
		set(serial SERIAL)
	endif()
	if(NOT arg_TIMEOUT)
		set(arg_TIMEOUT 240)
	endif()
	syscap_binding_test(python ${id}.${name} ${serial}
		LABEL ${arg_LABEL} TIMEOUT ${arg_TIMEOUT}
		ENVIRONMENT PYTHONDONTWRITEBYTECODE=1
			PYTHONPATH=${CMAKE_CURRENT_BINARY_DIR}/packages/${id}
			${arg_ENVIRONMENT}
		COMMAND ${python_of_${id}}
			${CMAKE_CURRENT_SOURCE_DIR}/tests/${script}.py
			${arg_ARGUMENTS})
endfunction()

if(NOT SYSCAP_TOOLS)
	syscap_binding_skipped(python recordings "there is no syscap command")
	return()
endif()

foreach(id IN LISTS python_ids)
	python_test(${id} events test_events LABEL long)
	python_test(${id} traced test_traced LABEL long)
	python_test(${id} children test_children LABEL long)
	python_test(${id} threads test_threads LABEL long)
	python_test(${id} lines test_lines LABEL long)
	python_test(${id} sampling test_sampling LABEL long)
	python_test(${id} churn test_churn LABEL long)
	python_test(${id} churn_12 test_churn LABEL verylong TIMEOUT 900
		ARGUMENTS 12 6)
	# The number of crashes without the checks of walk.c
	set(unchecked ${CMAKE_CURRENT_BINARY_DIR}/unchecked/${id})
	add_custom_command(OUTPUT ${unchecked}.copied
		COMMAND ${CMAKE_COMMAND} -E copy_directory
			${CMAKE_CURRENT_SOURCE_DIR}/src/syscap
			${unchecked}/syscap
		COMMAND ${CMAKE_COMMAND} -E copy
			$<TARGET_FILE:python_events_${id}> ${unchecked}/syscap
		COMMAND ${CMAKE_COMMAND} -E touch ${unchecked}.copied
		DEPENDS ${package_files} python_events_${id})
	add_custom_target(python_unchecked_package_${id} ALL
		DEPENDS ${unchecked}.copied)
	python_test(${id} churn_unchecked test_churn LABEL verylong
		TIMEOUT 900 ARGUMENTS 6 4 ${unchecked})
	python_test(${id} purity test_purity LABEL long)
	python_test(${id} types test_package LABEL quick)
	python_test(${id} example test_example LABEL quick)
	syscap_binding_story(python ${id}.story
		ENVIRONMENT PYTHONDONTWRITEBYTECODE=1
			PYTHONPATH=${CMAKE_CURRENT_BINARY_DIR}/packages/${id}
		COMMAND ${python_of_${id}}
			${CMAKE_CURRENT_SOURCE_DIR}/examples/pipeline.py)
endforeach()

list(GET python_ids 0 id)
python_test(${id} pip test_package LABEL long TIMEOUT 1500 ARGUMENTS build)
