# contexts.awk - list of functions: "root NAME" for each function that the
# comment above the function calls signal-safe.  One comment may describe
# several functions.
/^[ \t]*\/\*/ { comment = ""; safe = 0; inside = 1 }
inside {
	comment = comment " " $0
	if ($0 !~ /\*\//)
		next
	inside = 0
	gsub(/[ \t*]+/, " ", comment)
	if (comment ~ /Context:[^.]*signal-safe/)
		safe = 1
	next
}
safe && /^[^ \t#]/ && match($0, /(syscap|syc)_[a-z0-9_]+\(/) {
	print "root " substr($0, RSTART, RLENGTH - 1)
}
