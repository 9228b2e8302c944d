# Rules of "cmake --build BUILD --target uninstall", which removes the files
# that CMake's manifests in BUILD list.  DESTDIR must have the same value as at
# the installation.  Directories stay, because other programs may use the
# directories.
file(GLOB manifests ${BUILD}/install_manifest*.txt)
if(NOT manifests)
	message(FATAL_ERROR "nothing was installed from ${BUILD}: there is no "
		"install_manifest.txt")
endif()
foreach(manifest ${manifests})
	file(STRINGS ${manifest} files)
	foreach(file ${files})
		if(EXISTS "$ENV{DESTDIR}${file}" OR IS_SYMLINK "$ENV{DESTDIR}${file}")
			message(STATUS "Removing: $ENV{DESTDIR}${file}")
			file(REMOVE "$ENV{DESTDIR}${file}")
		endif()
	endforeach()
	file(REMOVE ${manifest})
endforeach()
