# Files of `cmake --install`.  The prefix can be moved.  README.md lists the
# variables for a prefix that languages do not search.
set(SYSCAP_GJS_OVERRIDES_DIR ${CMAKE_INSTALL_DATADIR}/gjs-1.0/overrides
	CACHE PATH "Where GJS looks for overrides")
if(SYSCAP_GI_PYTHON AND NOT DEFINED SYSCAP_PYGOBJECT_OVERRIDES_DIR)
	# Below the prefix, the same place as PyGObject's overrides in Python's
	# prefix.
	execute_process(COMMAND ${SYSCAP_GI_PYTHON} -c "
import gi.overrides, os, sys
print(os.path.relpath(gi.overrides.__path__[-1], sys.prefix))"
		OUTPUT_VARIABLE folder ERROR_QUIET
		OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(NOT folder OR folder MATCHES "^\\.\\.")
	set(folder lib/python3/dist-packages/gi/overrides)
endif()
set(SYSCAP_PYGOBJECT_OVERRIDES_DIR ${folder}
	CACHE PATH "Where PyGObject looks for overrides")
mark_as_advanced(SYSCAP_GJS_OVERRIDES_DIR SYSCAP_PYGOBJECT_OVERRIDES_DIR)

file(RELATIVE_PATH syscap_pc_prefix
	${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" syscap_pc_prefix "${syscap_pc_prefix}")
file(RELATIVE_PATH syscap_pc_libdir
	${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH syscap_pc_includedir
	${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(syscap-glib-1.pc.in
	${CMAKE_CURRENT_BINARY_DIR}/syscap-glib-1.pc @ONLY)

install(TARGETS syscap_glib LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
	${syscap_gi_part})
install(DIRECTORY include/
	DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/syscap-glib-1
	${syscap_gi_part} FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/syscap-glib-1.pc
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${syscap_gi_part})
if(TARGET syscap_gi_typelib)
	install(FILES ${CMAKE_CURRENT_BINARY_DIR}/Syscap-1.gir
		DESTINATION ${SYSCAP_GIRDIR} ${syscap_gi_part})
	install(FILES ${CMAKE_CURRENT_BINARY_DIR}/Syscap-1.typelib
		DESTINATION ${SYSCAP_TYPELIBDIR} ${syscap_gi_part})
	install(FILES overrides/Syscap.js
		DESTINATION ${SYSCAP_GJS_OVERRIDES_DIR} ${syscap_gi_part})
	install(FILES overrides/Syscap.py
		DESTINATION ${SYSCAP_PYGOBJECT_OVERRIDES_DIR} ${syscap_gi_part})
endif()
if(TARGET syscap_gi_vapi)
	install(FILES ${CMAKE_CURRENT_BINARY_DIR}/syscap-glib-1.vapi
		vala/syscap-glib-1.deps DESTINATION ${SYSCAP_VAPIDIR} ${syscap_gi_part})
endif()
