# demo.cmake - recording of the demo on the files below FOLDER, and a summary of
# the capture.  The target `demo` runs this script, with SYSCAP, DEMO, CAPTURE
# and FOLDER set.

function(run)
	list(JOIN ARGN " " line)
	message("\n$ ${line}")
	execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
	if(NOT status EQUAL 0)
		message(FATAL_ERROR "${line}: ${status}")
	endif()
endfunction()

# Remove the old files: the recorder never overwrites a capture.
string(REGEX REPLACE "[.]syscap$" ".html" PAGE ${CAPTURE})
file(REMOVE ${CAPTURE} ${PAGE})
run(${SYSCAP} record --sample -o ${CAPTURE} -- ${DEMO} ${FOLDER})
run(${SYSCAP} stat ${CAPTURE})
run(${SYSCAP} report -o ${PAGE} ${CAPTURE})
message("
The capture is ${CAPTURE}
Its report is ${PAGE}
  open it in any browser: a flame graph, with marks and counters above it

What to do next:
  ${SYSCAP} dump ${CAPTURE} | less
  ${SYSCAP} stat --json ${CAPTURE}
  ${SYSCAP} record --sample --report -- YOUR-PROGRAM
      samples need no change of the program; marks of GTK programs are there,
      too, and those of other programs come from <syscap.h>
  sysprof ${CAPTURE}
      draws it, where GNOME Sysprof is installed
")
