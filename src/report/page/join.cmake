# join.cmake - construction of one script from modules, and of the head of a
# page.  The variables are FOLDER (the directory of the modules), OUTPUT and
# MODULES.  When a module is loaded, it needs only earlier modules.  The script
# does not need node, because the modules import only each other, by name.
set(script "(function () {\n'use strict';\n")
foreach(module ${MODULES})
	file(READ ${FOLDER}/${module} text)
	# CMake separates list items by semicolons, so a semicolon in a text is
	# escaped.
	string(REGEX REPLACE "(^|\n)import [^']*'[^']*';" "\\1" text "${text}")
	string(REGEX REPLACE "(^|\n)export \\{[^}]*\\};" "\\1" text "${text}")
	string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
	string(APPEND script "${text}")
endforeach()
string(APPEND script "})();\n")
file(WRITE ${OUTPUT}/script.js "${script}")

# The policy names the script and the style by their hashes, in base64.
function(hash_of text variable)
	set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
	string(SHA256 hex "${text}")
	set(base64)
	string(APPEND hex "00")
	foreach(at RANGE 0 60 6)
		string(SUBSTRING "${hex}" ${at} 6 six)
		math(EXPR bits "0x${six}")
		foreach(shift 18 12 6 0)
			math(EXPR digit "(${bits} >> ${shift}) & 63")
			string(SUBSTRING "${digits}" ${digit} 1 digit)
			string(APPEND base64 "${digit}")
		endforeach()
	endforeach()
	# 32 bytes are 43 digits.
	string(SUBSTRING "${base64}" 0 43 base64)
	set(${variable} "sha256-${base64}=" PARENT_SCOPE)
endfunction()

file(READ ${FOLDER}/page.css STYLE)
hash_of("${script}" SCRIPT_HASH)
hash_of("${STYLE}" STYLE_HASH)
file(READ ${FOLDER}/head.html head)
string(CONFIGURE "${head}" head @ONLY)
file(WRITE ${OUTPUT}/head.html "${head}")
file(READ ${FOLDER}/body.html body)
file(WRITE ${OUTPUT}/body.html "${body}")
