# Find out what syscap supports on the target machine.  Sets SYSCAP_HAS_TOOLS, and
# ends with an error if nothing is supported.
include(CheckCSourceCompiles)

# syscap_machine_is(<variable> <condition of the preprocessor>...)
function(syscap_machine_is variable)
	string(JOIN " " condition ${ARGN})
	check_c_source_compiles("#if ${condition}
int main(void) { return 0; }
#else
#error other machine
#endif" ${variable})
endfunction()

set(CMAKE_REQUIRED_QUIET ON)
syscap_machine_is(SYSCAP_HAS_TOOLS
	"defined(__LP64__) && (defined(__x86_64__) ||"
	"(defined(__riscv) && __riscv_xlen == 64) ||"
	"(defined(__aarch64__) && !defined(__AARCH64EB__)))")
if(NOT SYSCAP_HAS_TOOLS)
	syscap_machine_is(SYSCAP_MACHINE_HAS_TABLES
		"defined(__i386__) || (defined(__powerpc64__) &&"
		"_CALL_ELF == 2 && defined(__LITTLE_ENDIAN__)) ||"
		"defined(__s390x__)")
	syscap_machine_is(SYSCAP_MACHINE_IS_ARMHF
		"defined(__ARMEL__) && defined(__ARM_EABI__)")
	if(NOT SYSCAP_MACHINE_HAS_TABLES AND NOT SYSCAP_MACHINE_IS_ARMHF)
		message(FATAL_ERROR "syscap does not support this machine "
			"(${CMAKE_SYSTEM_PROCESSOR}).  It supports x86-64 (not x32), "
			"aarch64 and riscv64, and libraries without the command on "
			"i386, armhf, ppc64el and s390x")
	endif()
endif()
if(SYSCAP_LIBUNWIND)
	message(STATUS "Stacks: by libunwind")
elseif(SYSCAP_HAS_TOOLS)
	message(STATUS "Stacks: by the tables in .eh_frame")
elseif(SYSCAP_MACHINE_HAS_TABLES)
	message(STATUS "Stacks: by the tables in .eh_frame; the command is not "
		"built for this machine")
else()
	message(STATUS "Stacks: none, samples have only the interrupted function, "
		"because programs of this machine have no .eh_frame; the command is "
		"not built")
endif()
unset(CMAKE_REQUIRED_QUIET)
