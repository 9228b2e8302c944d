# words.awk - counts of three faults of the style sheet in CONTRIBUTING.md, per
# area of the tree; see words.sh.  The script prints AREA FREE TELL LONG or, if
# `list` is an area, its faults.

# The area of a file: its directory, at most two deep.
function area_of(file,    part, n) {
	n = split(file, part, "/")
	if (n < 2)
		return "README"
	if (n == 2 || part[1] == "include")
		return part[1]
	return part[1] "/" part[2]
}

function fault(kind, text) {
	count[area, kind]++
	if (list == area)
		print file ": " kind ": " text
}

# One sentence, without its full stop.
function judge(text, is_question,    word, n) {
	gsub(/^[ \t*#>`(-]+/, "", text)
	if (!is_question && text ~ /^(Who|Whom|Whose|Whoever|What|Whatever|Where) [a-z]/)
		fault("free", text)
	else if (text ~ /^[a-z_0-9]+\.[a-z]+[^-]* - (who|whom|whose|what|where)[^a-z]/)
		fault("free", text)
	else if (text ~ /; (who|whom|what) /)
		fault("free", text)
	n = gsub(/(^|[^A-Za-z0-9_])([Tt]ells?|[Tt]elling|[Tt]old|[Uu]ntold)([^A-Za-z0-9_(]|$)/, "&", text)
	while (n-- > 0)
		fault("tell", text)
	if (split(text, word, /[ \t]+/) > 25)
		fault("long", text)
}

# A paragraph, a comment or a text of the program.
function read_text(text,    at, sentence) {
	gsub(/[ \t]+/, " ", text)
	while (match(text, /[.!?]['")`*]*( |$)/)) {
		sentence = substr(text, 1, RSTART - 1)
		at = substr(text, RSTART, 1)
		text = substr(text, RSTART + RLENGTH)
		if (sentence ~ /(e\.g|i\.e|etc|cf)$/ && text != "") {
			text = sentence ", " text
			continue
		}
		judge(sentence, at == "?")
	}
	if (text !~ /^[ \t]*$/)
		judge(text, 0)
}

function flush_text() {
	if (held != "")
		read_text(held)
	held = ""
}

# Comments and strings of C and JavaScript.
function read_code(line,    quote, text) {
	while (line != "") {
		if (in_comment) {
			if (line ~ /^[ \t]*\*\t/ && line !~ /\*\//) {
				flush_text() # an example or a table
				return
			}
			sub(/^[ \t]*\*+ /, "", line)
			if (line ~ /^[ \t]*\*?[ \t]*$/) {
				flush_text()
				return
			}
			if (!match(line, /\*+\//)) {
				held = held " " line
				return
			}
			held = held " " substr(line, 1, RSTART - 1)
			line = substr(line, RSTART + RLENGTH)
			in_comment = 0
			flush_text()
		} else if (match(line, "/[*]+|//|\"")) {
			quote = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			if (quote == "//") {
				held = held " " line
				return
			}
			if (quote != "\"") {
				in_comment = 1
				continue
			}
			match(line, /^([^"\\]|\\.)*/)
			text = substr(line, 1, RLENGTH)
			line = substr(line, RLENGTH + 2)
			if (text ~ / /)
				held = held text
			if (line !~ /^[ \t]*$/)
				flush_text()
			else if (text ~ / /)
				return
		} else {
			flush_text()
			return
		}
	}
	if (!in_comment)
		flush_text()
}

FNR == 1 {
	flush_text()
	file = FILENAME
	sub(/^\.\//, "", file)
	area = area_of(file)
	areas[area] = 1
	in_comment = in_fence = 0
	kind = "script"
	if (file ~ /\.md$/)
		kind = "page"
	else if (file ~ /\.[0-9]$/)
		kind = "manual"
	else if (file ~ /\.(c|h|cpp|hpp|js|mjs|ts|S|vala)$/)
		kind = "code"
}
/SPDX-License-Identifier/ { next }
kind == "code" { read_code($0); next }
kind == "script" {
	if ($0 ~ /^[ \t]*#+ [^ \t]/) {
		sub(/^[ \t]*#+/, "")
		held = held " " $0
	} else {
		flush_text()
	}
	next
}
kind == "page" && /^[ \t]*```/ { in_fence = !in_fence; next }
kind == "page" && (in_fence || /^(\t|    )/) { next }
kind == "page" && /^\|/ {
	flush_text()
	n_cells = split($0, cell, "|")
	for (i = 1; i <= n_cells; i++)
		read_text(cell[i])
	next
}
kind == "manual" && /^\./ {
	if ($1 ~ /^\.(B|I|BR|IR|RB|Nm|Fl|Ar|Xr|Pa|Ev|Dv|Cm|Ic|Sy|Em|Li|Ql)$/)
		held = held " " $0
	else
		flush_text()
	next
}
/^[ \t]*$/ || /^#/ || /^[ \t]*[-*] / || /^[0-9]+\. / { flush_text() }
{ held = held " " $0 }
END {
	flush_text()
	if (list == "")
		for (area in areas)
			print area, count[area, "free"] + 0, count[area, "tell"] + 0, count[area, "long"] + 0
}
