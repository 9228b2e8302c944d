# syscap as a subdirectory of this project, which FetchContent adds if
# FETCH_CONTENT is on. syscap must not change the project's settings, and all new
# targets, tests and options must have names of syscap.

# Variables of CMake's modules are allowed: installation directories, threads,
# and FetchContent.
set(embed_allowed
	"^_?(SYSCAP_|syscap_|embed_)|INSTALL_|Threads|THREADS|CMAKE_HAVE_LIBC_PTHREAD")
if(FETCH_CONTENT)
	string(APPEND embed_allowed "|^FETCHCONTENT_|^__cmake_")
endif()

# Every variable and cache entry, in embed_<when>_<name>.
macro(embed_note when)
	get_cmake_property(embed_names VARIABLES)
	get_cmake_property(embed_cached CACHE_VARIABLES)
	list(APPEND embed_names ${embed_cached})
	list(REMOVE_DUPLICATES embed_names)
	set(embed_${when})
	foreach(embed_name IN LISTS embed_names)
		if(NOT embed_name MATCHES "${embed_allowed}")
			list(APPEND embed_${when} "${embed_name}")
			set("embed_${when}_${embed_name}" "${${embed_name}}")
		endif()
	endforeach()
endmacro()

if(FETCH_CONTENT)
	include(FetchContent)
	FetchContent_Declare(syscap SOURCE_DIR "${SYSCAP_TREE}")
endif()
embed_note(before)
if(FETCH_CONTENT)
	FetchContent_MakeAvailable(syscap)
else()
	add_subdirectory(${SYSCAP_TREE} syscap)
endif()
embed_note(after)

list(APPEND embed_after ${embed_before})
list(REMOVE_DUPLICATES embed_after)
foreach(embed_name IN LISTS embed_after)
	set(embed_was "${embed_before_${embed_name}}")
	set(embed_is "${embed_after_${embed_name}}")
	if(NOT embed_was STREQUAL embed_is)
		message(SEND_ERROR "${embed_name} was \"${embed_was}\", "
			"with us it is \"${embed_is}\"")
	endif()
endforeach()

# Allowed targets: two libraries, and their compile options.
function(embed_targets folder)
	get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
	foreach(target IN LISTS targets)
		if(NOT target MATCHES "^syscap(_capture|_options)?$")
			message(SEND_ERROR "${target} is built here too")
		endif()
	endforeach()
	get_property(tests DIRECTORY ${folder} PROPERTY TESTS)
	if(tests)
		message(SEND_ERROR "there are tests: ${tests}")
	endif()
	get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
	foreach(inner IN LISTS folders)
		embed_targets(${inner})
	endforeach()
endfunction()
embed_targets(${SYSCAP_TREE})
