# SPDX-License-Identifier: BSD-2-Clause
# api.awk - one HTML page for each public header, made of its comments.
#
#	awk -v out=DIRECTORY -f api.awk pass=1 HEADER... pass=2 HEADER...
#
# The first pass collects the names, so that the second can link to them.
#
# A header begins with a comment "name.h - noun phrase", the introduction.  A
# comment "/* ---- title */" begins a section.  A comment that begins with two
# asterisks describes all declarations up to the next empty line.  Names with
# syc_, bodies of functions, and macros without a comment are left out.

function escape(text) {
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	return text
}

# The key of @name, of which there may be a struct and a function: @before is the
# text in front of it.
function key_of(name, before) {
	if (before ~ /(struct|enum|union) $/ && ("struct-" name) in page_of)
		return "struct-" name
	if (name in page_of)
		return name
	return ("struct-" name) in page_of ? "struct-" name : ""
}

# Known names in @text become links, except those of @self, which it describes.
function link_names(text, self,    result, name, key) {
	result = ""
	while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
		name = substr(text, RSTART, RLENGTH)
		result = result substr(text, 1, RSTART - 1)
		text = substr(text, RSTART + RLENGTH)
		key = key_of(name, result)
		if (key != "" && index(" " self " ", " " key " ") == 0)
			result = result "<a href=\"" (page_of[key] == page ? "" : page_of[key]) \
				"#" anchor_of[key] "\">" name "</a>"
		else
			result = result name
	}
	return result text
}

# Text of a comment: @parameters and `code` are marked.
function mark_up(text,    parts, n, i, result) {
	text = escape(text)
	n = split(text, parts, "`")
	result = ""
	for (i = 1; i <= n; i++)
		result = result (i % 2 == 0 ? "<code>" parts[i] "</code>" : parts[i])
	gsub(/\*?@[A-Za-z_][A-Za-z_0-9]*/, "<var>&</var>", result)
	gsub(/<var>@/, "<var>", result)
	gsub(/<var>\*@/, "<var>*", result)
	return link_names(result, group_names)
}

function put(text) {
	body = body text "\n"
}

function end_paragraph() {
	if (paragraph != "")
		put("<p>" mark_up(paragraph) "</p>")
	if (example != "")
		put("<pre>" link_names(escape(example), group_names) "</pre>")
	paragraph = example = ""
}

# One line of a comment, without the asterisk.
function put_comment_line(line) {
	if (line ~ /^\t/) {
		if (paragraph != "")
			end_paragraph()
		sub(/^\t/, "", line)
		example = example (example == "" ? "" : "\n") line
	} else if (line ~ /^[ \t]*$/) {
		if (example != "")
			example = example "\n"
		else
			end_paragraph()
	} else {
		if (example != "")
			end_paragraph()
		if (line ~ /^  ?[0-9]+\. /)
			end_paragraph()
		sub(/^ +/, "", line)
		paragraph = paragraph (paragraph == "" ? "" : " ") line
	}
}

function put_comment(text,    lines, n, i) {
	n = split(text, lines, "\n")
	for (i = 1; i <= n; i++)
		put_comment_line(lines[i])
	end_paragraph()
}

# The key of what @code declares, or "".
function name_of(code,    text) {
	text = code
	if (match(text, /^#define [A-Za-z_0-9]+/))
		return substr(text, 9, RLENGTH - 8)
	if (match(text, /^typedef .*\(\*[A-Za-z_0-9]+\)/)) {
		sub(/^typedef .*\(\*/, "", text)
		sub(/\).*/, "", text)
		return text
	}
	if (text ~ /^typedef /) {
		sub(/;[^;]*$/, "", text)
		sub(/^(.|\n)*[^A-Za-z_0-9]/, "", text)
		return text
	}
	if (match(text, /^(struct|enum|union) [A-Za-z_0-9]+[ \n]*[{;]/)) {
		sub(/^[a-z]+ /, "", text)
		sub(/[^A-Za-z_0-9](.|\n)*/, "", text)
		return "struct-" text
	}
	if (text ~ /^(enum|struct|union) \{/)
		return first_constant(text)
	sub(/\((.|\n)*/, "", text)
	sub(/^(.|\n)*[^A-Za-z_0-9]/, "", text)
	return text
}

function first_constant(text) {
	return match(text, /[A-Z][A-Z]+_[A-Z_0-9]+/) ? substr(text, RSTART, RLENGTH) : ""
}

# The code as it is shown: macros and functions without their bodies.
function shown(code) {
	if (code ~ /^#define [A-Za-z_0-9]+\(/) {
		match(code, /\([^)]*\)/)
		return substr(code, 1, RSTART + RLENGTH - 1)
	}
	if (code ~ /^#define /)
		sub(/[ \t]*\\\n(.|\n)*/, "", code)
	sub(/^SYSCAP_INLINE /, "", code)
	sub(/[ \n\t]*SYSCAP_PRINTF\([^)]*\)/, "", code)
	return code
}

# @code is complete: remember it for the group.
function end_item(    name, code, rest) {
	code = item
	item = ""
	depth = 0
	if (code ~ /^(SYSCAP|SYC|SYSPROF)_STATIC_ASSERT/ || code ~ /^extern "C"/)
		return
	if (code !~ /^(typedef |struct [A-Za-z_0-9]+ *[{;]|enum|union)/ && code !~ /^#/ &&
	    code ~ /\{/) { # an inline function
		if (doc == "")
			return
		sub(/\n\{(.|\n)*/, ";", code)
	}
	name = name_of(code)
	if (name !~ /^(struct-)?_*[Ss][Yy][Ss]/ || name ~ /^sysprof_real_/ || (code ~ /^#/ && doc == ""))
		return
	if (page_pass == 1) {
		if (name in page_of && code !~ /\{/)
			return
		page_of[name] = page
		anchor_of[name] = name
		kind_of[name] = substr(code, 1, index(code, " ") - 1)
		if (code ~ /^(typedef )?enum/) { # its constants lead to it
			rest = code
			gsub(/\/\*([^*]|\*[^\/])*\*\//, "", rest)
			while (match(rest, /[A-Z][A-Z_0-9]+_[A-Z_0-9]+/)) {
				anchor_of[substr(rest, RSTART, RLENGTH)] = name
				page_of[substr(rest, RSTART, RLENGTH)] = page
				rest = substr(rest, RSTART + RLENGTH)
			}
		}
		return
	}
	group_names = group_names (group_names == "" ? "" : " ") name
	group_code = group_code (group_code == "" ? "" : "\n") shown(code)
}

function end_group(    names, n, i, ids, label) {
	if (item != "")
		end_item()
	if (page_pass == 2 && group_code != "") {
		if (section != "") {
			contents = contents "</ul>\n<h3>" escape(section) "</h3>\n<ul>\n"
			put("<h2>" escape(section) "</h2>")
			section = ""
		}
		n = split(group_names, names, " ")
		ids = ""
		for (i = 1; i <= n; i++)
			if (page_of[names[i]] == page && !(names[i] in placed)) {
				placed[names[i]] = 1
				ids = ids "<span id=\"" names[i] "\"></span>"
				label = names[i]
				sub(/^struct-/, kind_of[names[i]] " ", label)
				contents = contents "<li><a href=\"#" names[i] "\">" label "</a></li>\n"
			}
		put("<section>" ids)
		put("<pre class=\"code\">" link_names(escape(group_code), group_names) "</pre>")
		put_comment(doc)
		put("</section>")
	}
	group_names = group_code = doc = ""
}

function end_page(    file) {
	if (page == "")
		return
	end_group()
	if (page_pass != 2)
		return
	file = out "/" page
	print head(title) > file
	print "<p class=\"up\"><a href=\"index.html\">All headers</a></p>" > file
	print "<h1>" escape(title) "</h1>" > file
	print "<p><code>#include &lt;" title "&gt;</code></p>" > file
	print introduction > file
	print "<nav>" contents "</ul></nav>" > file
	print body "</body></html>" > file
	close(file)
	index_rows = index_rows "<tr><td><a href=\"" page "\">" escape(title) "</a></td><td>" \
		escape(summary) "</td></tr>\n"
}

function head(text) {
	return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n" \
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" \
		"<title>" escape(text) "</title>\n<style>\n" \
		"body { font: 16px/1.5 sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; color: #222; }\n" \
		"pre, code, var { font-family: monospace; font-size: 0.9em; font-style: normal; }\n" \
		"pre { background: #f4f4f4; padding: 0.6em 0.8em; overflow-x: auto; }\n" \
		"pre.code { border-left: 3px solid #46a; margin-top: 2em; }\n" \
		"section p, section pre:not(.code) { margin-left: 1.5em; }\n" \
		"nav ul { columns: 18em; padding-left: 1.2em; } nav h3 { margin-bottom: 0; }\n" \
		"td { padding: 0.2em 1em 0.2em 0; vertical-align: top; }\n" \
		"a { color: #246; }\n" \
		"</style></head><body>"
}

function begin_page(    parts, n) {
	n = split(FILENAME, parts, "/include/")
	title = parts[n]
	sub(/^sysprof-6\//, "", title)
	page = title
	page_pass = pass
	gsub(/\//, "-", page)
	sub(/\.h$/, ".html", page)
	body = contents = introduction = summary = section = ""
	group_names = group_code = doc = item = ""
	in_comment = has_introduction = 0
	split("", placed)
	depth = 0
}

# The comment is complete.
function end_comment(    lines, n, i) {
	if (comment ~ /^[ \n]*-+ /) {
		end_group()
		sub(/^[ \n]*-+ */, "", comment)
		sub(/[ \n]*$/, "", comment)
		section = toupper(substr(comment, 1, 1)) substr(comment, 2)
	} else if (!has_introduction) {
		has_introduction = 1
		summary = comment
		sub(/^[ \n]*[^ ]+\.h - /, "", summary)
		sub(/\n *\n(.|\n)*/, "", summary)
		gsub(/\n */, " ", summary)
		sub(/^[ \n]*[^ ]+\.h - /, "", comment)
		if (page_pass == 2) {
			body = ""
			put_comment(toupper(substr(comment, 1, 1)) substr(comment, 2))
			introduction = body
			body = ""
			contents = "<ul>\n"
		}
	} else if (is_doc) {
		end_group()
		doc = comment
	}
}

FNR == 1 {
	end_page()
	begin_page()
}
/SPDX-License-Identifier/ { next }

in_comment {
	line = $0
	is_last = sub(/[ \t]*\*+\/.*$/, "", line)
	if (sub(/^ \*/, "", line))
		sub(/^ /, "", line)
	if (!is_last || line !~ /^ *$/)
		comment = comment (comment == "" ? "" : "\n") line
	if (is_last) {
		in_comment = 0
		end_comment()
	}
	next
}
item == "" && /^\/\*/ {
	is_doc = /^\/\*\*/
	comment = $0
	sub(/^\/\*+ ?/, "", comment)
	if (comment ~ /\*\/[ \t]*$/) {
		sub(/[ \t]*\*\/[ \t]*$/, "", comment)
		end_comment()
	} else {
		in_comment = 1
	}
	next
}
item == "" && /^[ \t]*$/ { end_group(); next }
item == "" && /^#[ \t]*(if|ifdef|ifndef|elif|else|endif|include|undef|error)/ { next }
item == "" && /^(SYSPROF_(AVAILABLE|BEGIN|END|DEPRECATED)[A-Z_0-9]*|extern "C" \{|\})$/ { next }
{
	item = item (item == "" ? "" : "\n") $0
	if (item ~ /^#/) {
		if ($0 !~ /\\$/)
			end_item()
		next
	}
	code = $0
	gsub(/\/\*([^*]|\*[^\/])*\*\//, "", code)
	gsub(/"([^"\\]|\\.)*"/, "", code)
	depth += gsub(/\{/, "", code) - gsub(/\}/, "", code)
	if (depth <= 0 && (code ~ /;[ \t]*$/ || $0 ~ /^\}/))
		end_item()
}
END {
	end_page()
	file = out "/index.html"
	print head("syscap: headers") > file
	print "<h1>syscap: headers</h1>" > file
	print "<p>Each page is made of the comments of a public header. " \
		"<code>syscap/emit.h</code> is the inline half of <code>syscap.h</code> and no interface.</p>" > file
	print "<table>\n" index_rows "</table>\n</body></html>" > file
}
