# The tests of <syscap.hpp>.

set(syscap_cpp_tests ${CMAKE_CURRENT_LIST_DIR})

# The compiler of the build, and other installed compilers, each once
set(syscap_cpp_compilers "")
set(seen "")
foreach(name ${CMAKE_CXX_COMPILER} g++ clang++ clang++-14)
	find_program(SYSCAP_CXX_${name} ${name})
	mark_as_advanced(SYSCAP_CXX_${name})
	set(compiler ${SYSCAP_CXX_${name}})
	if(compiler)
		file(REAL_PATH ${compiler} is)
		if(NOT is IN_LIST seen)
			list(APPEND seen ${is})
			string(APPEND syscap_cpp_compilers " ${compiler}")
		endif()
	endif()
endforeach()

foreach(standard 11 14 17 20)
	syscap_binding_test(cpp standard${standard} LABEL long TIMEOUT 300
		ENVIRONMENT "CXXS=${syscap_cpp_compilers}"
		COMMAND sh ${syscap_cpp_tests}/standard.sh ${standard})
endforeach()
syscap_binding_test(cpp refused LABEL long TIMEOUT 400 ENVIRONMENT CXX=${CMAKE_CXX_COMPILER}
	COMMAND sh ${syscap_cpp_tests}/refused.sh)
syscap_binding_test(cpp off_path LABEL long
	ENVIRONMENT CXX=${CMAKE_CXX_COMPILER}
	COMMAND sh ${syscap_cpp_tests}/off_path.sh)
syscap_binding_test(cpp copies LABEL long
	ENVIRONMENT CXX=${CMAKE_CXX_COMPILER}
	COMMAND sh ${syscap_cpp_tests}/copies.sh $<TARGET_FILE:syscap>)

if(NOT SYSCAP_TOOLS)
	return()
endif()
if(NOT Python3_FOUND)
	syscap_binding_skipped(cpp uses "there is no python3 (Debian: python3)")
	return()
endif()
foreach(standard 11 17)
	syscap_cpp_program(cpp_uses${standard} ${standard}
		${syscap_cpp_tests}/uses.cpp ${syscap_cpp_tests}/uses_more.cpp)
	syscap_binding_test(cpp uses${standard}
		COMMAND ${Python3_EXECUTABLE} -B ${syscap_cpp_tests}/uses_test.py
			$<TARGET_FILE:cpp_uses${standard}>)
endforeach()
syscap_cpp_program(cpp_uses_bare 20
	${syscap_cpp_tests}/uses.cpp ${syscap_cpp_tests}/uses_more.cpp)
target_compile_options(cpp_uses_bare PRIVATE -fno-exceptions -fno-rtti)
syscap_binding_test(cpp uses_without_exceptions
	COMMAND ${Python3_EXECUTABLE} -B ${syscap_cpp_tests}/uses_test.py
		$<TARGET_FILE:cpp_uses_bare>)
syscap_binding_test(cpp example
	COMMAND ${Python3_EXECUTABLE} -B ${syscap_cpp_tests}/example_test.py
		$<TARGET_FILE:syscap-cpp>)
if(NOT TARGET syscap-game)
	syscap_binding_skipped(cpp story "the C++ compiler has no C++20")
elseif(SYSCAP_SANITIZE)
	syscap_binding_skipped(cpp story
		"what a sanitizer does to frames is not the example's matter")
else()
	syscap_binding_story(cpp story COMMAND $<TARGET_FILE:syscap-game>)
endif()
