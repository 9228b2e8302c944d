# unwind.awk - list of code that may run with signals unblocked; see unwind.sh.
#
# An instruction is a number, a function is "file name".  The script visits each
# instruction once for each depth: the number of calls that block signals, less
# the calls that unblock signals.  At depth 0 signals may be unblocked, so the
# script also visits functions called at depth 0.

function complain(text) { print text; bad = 1 }

function hex(digits,    i, n) {
	digits = tolower(digits)
	for (i = 1; i <= length(digits); i++)
		n = n * 16 + index("123456789abcdef", substr(digits, i, 1))
	return n
}

# "emit/mark" of an object file
function name_of(path) {
	sub(/:$/, "", path)
	sub(/^.*\.dir\//, "", path)
	sub(/\.c\.o$/, "", path)
	return path
}

# The first instruction of @name, which @member uses; 0 for data and for
# functions outside of the archive.  @beyond: the addend of the relocation.
function resolve(member, name, beyond,    section, offset) {
	if (name ~ /^\.text/) {
		section = name
		sub(/[+-]0x.*/, "", section)
		offset = 0
		if (match(name, /[+-]0x[0-9a-f]+$/))
			offset = hex(substr(name, RSTART + 3))
		if (name ~ /-0x[0-9a-f]+$/)
			offset = -offset
		return at[member, section, offset + beyond] + 0
	}
	sub(/[+-]0x[0-9a-f]+$/, "", name)
	if ((member, name) in entry)
		return entry[member, name]
	return name in home ? entry[home[name], name] : 0
}

# The name of a called function, also of a function outside of the archive.
function callee_name(id,    name) {
	name = reference[id]
	if (goal[id])
		return symbol_of(goal[id])
	sub(/[+-]0x[0-9a-f]+$/, "", name)
	return name
}

function symbol_of(id,    part) {
	split(owner[id], part, " ")
	return part[2]
}

# Calls between which signals are blocked.  The script ignores calls in the
# preloaded libraries, because one function may block and another unblock.
function is_begin(id, name) { return name in begins && place[id] !~ /^preload/ }
function is_end(id, name) { return name in ends && place[id] !~ /^preload/ }

# The function of a separate cold part
function base(id,    name) {
	name = owner[id]
	sub(/\.cold(\.[0-9]+)?$/, "", name)
	return name
}

# @from: the instruction and its depth, or 0
function push(id, depth, from) {
	if (id == 0 || (id, depth) in seen)
		return
	seen[id, depth] = 1
	parent[id, depth] = from
	stack[++n_stack] = id " " depth
}

# An instruction takes the address of the function at @to.
function take(id, to) {
	if (!is_start[to])
		return
	if (symbol_of(to) in callback)
		hands_over[id] = to
	else
		taken[++n_taken] = "at " to
}

function follows(id) {
	return id < n_ids && place[id] == place[id + 1] ? id + 1 : 0
}

# The functions that lead to @id, the last first.
function path(id, depth,    text, last, part) {
	while (id != 0) {
		if (base(id) != last) {
			last = base(id)
			split(last, part, " ")
			text = text (text == "" ? "" : " < ") part[2]
		}
		split(parent[id, depth], part, " ")
		id = part[1] + 0
		depth = part[2] + 0
	}
	return text
}

function pointed(id,    part) {
	split(place[id], part, " ")
	return part[1] in through
}

# Possible targets of an indirect jump in @id
function push_pointed(id, from,    names, n, i) {
	split(place[id], names, " ")
	n = split(through[names[1]], names, " ")
	for (i = 1; i <= n; i++)
		if (names[i] in static_entry)
			push(static_entry[names[i]], 0, from)
}

# Follow the code from all pushed instructions.  @inside: do not follow calls.
function walk(inside,    part, id, depth, to, name, here) {
	while (n_stack > 0) {
		split(stack[n_stack--], part, " ")
		id = part[1] + 0
		depth = part[2] + 0
		here = id " " depth
		to = goal[id]
		if (operation[id] ~ /^(ret|repz|hlt|ud2)/) {
			if (inside && depth != 0 && operation[id] ~ /^re/)
				complain(owner[id] ": returns with signals blocked")
			continue
		}
		if (operation[id] ~ /^(notrack)?jmp/ || operation[id] ~ /^j/) {
			if (operation[id] ~ /^j[^m]/)
				push(follows(id), depth, here)
			if (to == 0 && is_indirect[id] && pointed(id)) {
				if (!inside && depth == 0)
					push_pointed(id, here)
			} else if (to == 0 && reference[id] == "") {
				# a jump table: any place in the function
				if (base(id) in has_mask)
					complain(owner[id] ": a jump by a table")
				for (to = id; owner[to] == owner[id]; to--)
					push(to, depth, here)
				for (to = id; owner[to] == owner[id]; to++)
					push(to, depth, here)
			} else if (to != 0 && (!is_start[to] ||
					base(to) == base(id))) {
				push(to, depth, here)
			} else {
				name = callee_name(id)
				if (is_end(id, name) && --depth < 0)
					complain(owner[id] ": opens signals that it has not blocked")
				if (inside && depth != 0)
					complain(owner[id] ": goes on elsewhere with signals blocked")
				else if (!inside && depth == 0)
					push(to, 0, here)
			}
			continue
		}
		if (operation[id] ~ /^call/) {
			name = callee_name(id)
			if (is_begin(id, name))
				depth++
			else if (is_end(id, name))
				depth--
			else if (!inside && depth == 0) {
				if (to == 0 && is_indirect[id])
					push_pointed(id, here)
				push(to, 0, here)
			}
			if (depth < 0) {
				complain(owner[id] ": opens signals that it has not blocked")
				continue
			}
			if (depth > 3) {
				complain(owner[id] ": blocks signals again and again")
				continue
			}
		}
		if (!inside && depth == 0 && id in hands_over)
			push(hands_over[id], 0, here)
		push(follows(id), depth, here)
	}
}

$1 == "list" {
	sub(/#.*/, "")
	if ($2 == "begin")
		begins[$3] = 1
	else if ($2 == "end")
		ends[$3] = 1
	else if ($2 == "blocked")
		blocked[$3] = 1
	else if ($2 == "callback")
		callback[$3] = 1
	else if ($2 == "through") {
		blocked[$4] = 1
		through[$3] = through[$3] " " $4
	} else if ($2 == "mask")
		may_mask[$3] = 1
	next
}
$1 == "nm" {
	if (NF == 5 && $4 ~ /[TW]/)
		home[$5] = name_of($2)
	next
}

/: +file format / {
	member = name_of($1)
	is_member[member] = 1
	next
}
/^Disassembly of section / {
	section = $4
	sub(/:$/, "", section)
	in_relocations = 0
	next
}
/^RELOCATION RECORDS FOR / {
	in_relocations = 1
	section = $4
	gsub(/\[|\]|:/, "", section)
	if (section == ".eh_frame")
		has_tables[member] = 1
	next
}
in_relocations {
	if ($2 ~ /^R_/ && section ~ /^\.(data|init_array|fini_array|preinit_array|rodata)/ &&
			$2 !~ /PC32$/)
		taken[++n_taken] = member " " $3
	next
}
/^[0-9a-f]+ <.*>:$/ {
	name = $2
	gsub(/[<>:]/, "", name)
	current = member " " name
	starts = 1
	next
}
/^[ \t]+[0-9a-f]+: R_/ {
	reference[n_ids] = reference[n_ids] == "" ? $3 : reference[n_ids] " " $3
	next
}
/^ *[0-9a-f]+:\t/ {
	id = ++n_ids
	address = $1
	sub(/:$/, "", address)
	address = hex(address)
	place[id] = member " " section
	at[member, section, address] = id
	owner[id] = current
	# A constant is pushed and popped, and is no argument of a call
	if ($2 == "push")
		constant = $3 ~ /^\$/ ? id : 0
	else if ($2 == "pop" && constant)
		pushes_constant[constant] = 1
	else if ($2 == "call" || starts)
		constant = 0
	operation[id] = $2 == "bnd" || $2 == "notrack" || $2 == "data16" ? $3 : $2
	if ($0 ~ /\*/)
		is_indirect[id] = 1
	if (starts) {
		is_start[id] = 1
		entry[member, name] = id
		static_entry[name] = id
		starts = 0
	}
	if (match($0, /[0-9a-f]+ <[^>]+>$/)) {
		split(substr($0, RSTART, RLENGTH), word, " ")
		seems[id] = hex(word[1])
	}
	next
}

END {
	for (id = 1; id <= n_ids; id++) {
		is_flow = operation[id] ~ /^(call|j)/
		split(place[id], part, " ")
		if (reference[id] == "") {
			to = id in seems ? at[part[1], part[2], seems[id]] + 0 : 0
			if (is_flow)
				goal[id] = to
			else if (is_start[to])
				take(id, to)
			continue
		}
		n = split(reference[id], names, " ")
		for (i = 1; i <= n; i++)
			if (is_flow)
				goal[id] = resolve(part[1], names[i], 4)
			else
				take(id, resolve(part[1], names[i], 4))
	}
	for (id = 1; id <= n_ids; id++) {
		if (operation[id] !~ /^(call|j)/)
			continue
		name = callee_name(id)
		if (is_begin(id, name) || is_end(id, name))
			has_mask[base(id)] = 1
		if (place[id] !~ /^preload/ && (!goal[id] || is_start[goal[id]]) &&
				name ~ /^(syc_signal_mask|sigprocmask|pthread_sigmask|sigsuspend|ppoll|pselect|epoll_pwait)$/ &&
				!(symbol_of(id) in may_mask))
			complain(owner[id] ": changes the mask by " name "()")
	}
	for (id in pushes_constant) {
		split(place[id], part, " ")
		if (part[1] in has_tables)
			complain(owner[id] ": pushes a constant, which no table states (gcc -Oz)")
	}
	# Each of these functions leaves the signal mask unchanged
	for (id = 1; id <= n_ids; id++)
		if (is_start[id] && owner[id] in has_mask)
			push(id, 0, 0)
	walk(1)
	for (key in seen)
		delete seen[key]
	# These functions can be called at any time
	for (i = 1; i <= n_taken; i++) {
		split(taken[i], part, " ")
		id = part[1] == "at" ? part[2] + 0 : resolve(part[1], part[2], 0)
		if (id != 0 && is_start[id] && !(symbol_of(id) in blocked))
			push(id, 0, 0)
	}
	for (name in home)
		if (name !~ /^syc_/) {
			push(entry[home[name], name], 0, 0)
			n_roots++
		}
	walk(0)
	if (n_roots == 0)
		complain("no function to begin with")
	for (id = 1; id <= n_ids; id++) {
		split(place[id], part, " ")
		if (!((id, 0) in seen))
			continue
		is_open[part[1]] = 1
		if (owner[id] in is_told)
			continue
		is_told[owner[id]] = 1
		if (!(part[1] in has_tables))
			complain(part[1] " has no tables, and signals are open in " path(id, 0))
		else if (LIST)
			print part[1] ": " path(id, 0)
	}
	if (LIST)
		for (member in is_member)
			print member ": " (member in is_open ? "open" : "blocked")
	exit bad
}
