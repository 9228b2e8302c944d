# Target bench_python measures the cost of the package, with a recording and
# without, and of C.
#
#	cmake --build build --target bench_python
add_executable(python_bench_c EXCLUDE_FROM_ALL
	${CMAKE_CURRENT_LIST_DIR}/bench.c)
target_link_libraries(python_bench_c PRIVATE syscap syscap_options)

set(bench_commands)
set(bench_record $<TARGET_FILE:syscap_cli> record
	--ring-kib=32768 -o ${CMAKE_CURRENT_BINARY_DIR}/bench.syscap --)
set(bench_depends)
list(APPEND bench_commands COMMAND python_bench_c
	COMMAND ${bench_record} $<TARGET_FILE:python_bench_c>)
foreach(id IN LISTS python_ids)
	set(bench_empty ${CMAKE_CURRENT_BINARY_DIR}/bench/${id})
	get_target_property(bench_include python_events_${id}
		INCLUDE_DIRECTORIES)
	add_library(python_bench_${id} MODULE EXCLUDE_FROM_ALL
		${CMAKE_CURRENT_LIST_DIR}/empty.c)
	python_module(python_bench_${id} empty .abi3.so ${bench_empty}
		"${bench_include}")
	set(bench_path ${CMAKE_CURRENT_BINARY_DIR}/packages/${id})
	set(bench_python ${CMAKE_COMMAND} -E env
		PYTHONPATH=${bench_path}:${bench_empty}
		PYTHONDONTWRITEBYTECODE=1)
	list(APPEND bench_commands
		COMMAND ${bench_python} ${python_of_${id}}
			${CMAKE_CURRENT_LIST_DIR}/bench.py
		COMMAND ${bench_python} ${bench_record} ${python_of_${id}}
			${CMAKE_CURRENT_LIST_DIR}/bench.py)
	list(APPEND bench_depends python_package_${id} python_bench_${id})
endforeach()
if(SYSCAP_TOOLS)
	add_custom_target(bench_python ${bench_commands} USES_TERMINAL VERBATIM)
	add_dependencies(bench_python python_bench_c syscap_cli ${bench_depends})
endif()
