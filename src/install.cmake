# Rules of `cmake --install`.  A user may move the prefix afterwards: package
# files use paths relative to themselves.
#
# Components: dev (archives, headers, package files), shared (libsyscap.so) and
# tools (the command and what it preloads).  The others are in CMakeLists.txt.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)

set(syscap_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/syscap)

install(TARGETS syscap syscap_capture EXPORT syscap
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The profile library needs the symbols library, and the command needs both.
set(syscap_without)
if(SYSCAP_TOOLS)
	install(TARGETS syscap_profile syscap_symbols EXPORT syscap
		ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
else()
	set(syscap_without PATTERN syscap/profile.h EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/
	DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
	PATTERN sysprof-6 EXCLUDE
	${syscap_without})
if(SYSCAP_SHARED)
	# Omit libsyscap.so, which -lsyscap would prefer to the archive
	install(TARGETS syscap_shared
		LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT shared
		NAMELINK_SKIP)
endif()
if(SYSCAP_TOOLS)
	install(TARGETS syscap_cli RUNTIME
		DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
	install(TARGETS syscap_preload syscap_preload_io syscap_preload_memory
		LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/syscap
		COMPONENT tools)
	install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/man/
		DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools
		FILES_MATCHING PATTERN "*.1")
	if(syscap_completions)
		# Directory and file name of the completions of each shell
		install(FILES ${syscap_completions}/syscap.bash
			DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
			COMPONENT tools RENAME syscap)
		install(FILES ${syscap_completions}/syscap.zsh
			DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
			COMPONENT tools RENAME _syscap)
		install(FILES ${syscap_completions}/syscap.fish
			DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
			COMPONENT tools)
	endif()
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE-BSD2
	DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT syscap NAMESPACE syscap:: FILE syscap-targets.cmake
	DESTINATION ${syscap_cmake_dir})
configure_package_config_file(syscap-config.cmake.in
	${CMAKE_CURRENT_BINARY_DIR}/syscap-config.cmake
	INSTALL_DESTINATION ${syscap_cmake_dir}
	NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
	${CMAKE_CURRENT_BINARY_DIR}/syscap-config-version.cmake
	COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/syscap-config.cmake
	${CMAKE_CURRENT_BINARY_DIR}/syscap-config-version.cmake
	DESTINATION ${syscap_cmake_dir})

# Relative paths from lib/pkgconfig to the prefix, lib and include.
file(RELATIVE_PATH syscap_pc_prefix
	${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" syscap_pc_prefix "${syscap_pc_prefix}")
file(RELATIVE_PATH syscap_pc_libdir
	${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH syscap_pc_includedir
	${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set(syscap_pc_cflags)
if(NOT SYSCAP_TLS_MODEL STREQUAL "initial-exec")
	set(syscap_pc_cflags " -DSYSCAP_TLS_MODEL=\\\"${SYSCAP_TLS_MODEL}\\\"")
endif()
configure_file(syscap.pc.in ${CMAKE_CURRENT_BINARY_DIR}/syscap.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/syscap.pc
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(SYSCAP_TOOLS)
	set(syscap_pc_lzma)
	if(LIBLZMA_FOUND)
		set(syscap_pc_lzma " -llzma")
	endif()
	configure_file(syscap-profile.pc.in
		${CMAKE_CURRENT_BINARY_DIR}/syscap-profile.pc @ONLY)
	install(FILES ${CMAKE_CURRENT_BINARY_DIR}/syscap-profile.pc
		DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# Names and paths as in packages of libsysprof-capture-4.
if(SYSCAP_DROPIN)
	install(TARGETS sysprof_capture
		ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
		${syscap_dropin_part})
	install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sysprof-6
		DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
		${syscap_dropin_part} FILES_MATCHING PATTERN "*.h")
	install(FILES org.gnome.Sysprof3.Profiler.xml
		DESTINATION ${CMAKE_INSTALL_DATADIR}/dbus-1/interfaces
		${syscap_dropin_part})
	file(RELATIVE_PATH syscap_pc_datadir
		${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_DATADIR})
	configure_file(sysprof_compat/sysprof-capture-4.pc.in
		${CMAKE_CURRENT_BINARY_DIR}/sysprof-capture-4.pc @ONLY)
	install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sysprof-capture-4.pc
		DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
		${syscap_dropin_part})
endif()
