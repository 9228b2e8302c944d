# signal.awk - graph of the calls of an archive; see signal.sh.  A node is
# "member name".

function complain(text) { print text; bad = 1 }

function hex(digits,    i, n) {
	digits = tolower(digits)
	for (i = 1; i <= length(digits); i++)
		n = n * 16 + index("123456789abcdef", substr(digits, i, 1))
	return n
}

# The function in @section of @member that @offset lies in.
function containing(member, section, offset,    i, best) {
	for (i = 1; i <= n_starts[member, section]; i++)
		if (start_at[member, section, i] <= offset)
			best = start_name[member, section, i]
	return best
}

# The node of a name that @member uses; "" for data, and the name alone for
# functions outside of the archive.  @beyond: the addend of the relocation, 4 in
# an instruction.
function resolve(member, name, beyond,    target) {
	if (name ~ /^\.text/) {
		target = name
		sub(/[+-].*/, "", target)
		sub(/^[^+-]*/, "", name)
		name = (name ~ /^-/ ? -1 : 1) * hex(substr(name, 4))
		return member " " containing(member, target, name + beyond)
	}
	sub(/[+-]0x[0-9a-f]+$/, "", name)
	if (name ~ /^\./ || name == "")
		return ""
	if ((member, name) in type)
		return type[member, name] ~ /[tTwW]/ ? member " " name : ""
	if (name in home)
		return home_type[name] ~ /[TW]/ ? home[name] " " name : ""
	return name
}

# The printed target of an instruction, which is wrong if the instruction has a
# relocation: an unresolved jump at a function's end seems to lead to the next
# function.
function settle() {
	if (led_to != "")
		edge[current, ++n_edges[current]] = led_to
	led_to = ""
}

function visit(node, path,    part, n, i, callee) {
	if (node in seen)
		return
	seen[node] = 1
	n = n_edges[node]
	split(node, part, " ")
	for (i = 1; i <= n; i++) {
		callee = resolve(part[1], edge[node, i], 4)
		if (callee == "")
			continue
		if (index(callee, " ")) {
			split(callee, part, " ")
			if (!(part[2] in may))
				visit(callee, path " > " part[2])
			split(node, part, " ")
		} else if (!(callee in may)) {
			complain("not signal-safe: " path " > " callee)
		}
	}
}

$1 == "list" && $2 == "pointer" { may_point[$3] = 1; next }
$1 == "list" {
	sub(/#.*/, "")
	for (i = 2; i <= NF; i++)
		may[$i] = 1
	next
}
$1 == "root" { root[$2] = 1; next }
$1 == "pointers" { settle(); in_pointers = 1; next }
in_pointers && /: +file format / { member = $1; sub(/:$/, "", member); next }
in_pointers && /^RELOCATION RECORDS FOR / {
	in_data = $4 ~ /^\[\.data/
	next
}
in_pointers {
	if (in_data && $2 ~ /^R_/)
		pointer[++n_pointers] = member " " $3
	next
}
$1 == "nm" && NF == 2 { member = $2; sub(/:$/, "", member); next }
$1 == "nm" && NF == 4 {
	type[member, $4] = $3
	if ($3 ~ /[A-Z]/) {
		home[$4] = member
		home_type[$4] = $3
	}
	next
}
$1 == "nm" { next }

/: +file format / { member = $1; sub(/:$/, "", member); next }
/^Disassembly of section / { section = $4; sub(/:$/, "", section); next }
/^[0-9a-f]+ <.*>:$/ {
	settle()
	name = $2
	gsub(/[<>:]/, "", name)
	current = member " " name
	i = ++n_starts[member, section]
	start_at[member, section, i] = hex($1)
	start_name[member, section, i] = name
	next
}
$2 ~ /^R_/ {
	led_to = ""
	edge[current, ++n_edges[current]] = $3
	next
}
{ settle() }
match($0, /<[^>]+>$/) {
	name = substr($0, RSTART + 1, RLENGTH - 2)
	if (name !~ /\+0x/)
		led_to = name
}

END {
	settle()
	for (name in root)
		if (name in home) {
			visit(home[name] " " name, name)
			n_roots++
		}
	for (i = 1; i <= n_pointers; i++) {
		split(pointer[i], part, " ")
		target = resolve(part[1], part[2], 0)
		if (index(target, " ")) {
			split(target, part, " ")
			if (!(part[2] in may_point))
				visit(target, "data of " pointer[i] " > " part[2])
		}
	}
	if (n_roots == 0)
		complain("no function of the library says that it is signal-safe")
	exit bad
}
