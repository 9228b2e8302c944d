# circles.awk - layers and circles; see circles.sh.  A node is a file without
# its extension, "layer/file".

function complain(text) { print text; bad = 1 }

function layer_of(file) {
	sub(/\/.*/, "", file)
	return file
}

function add(from, to, why,    edge) {
	edge = from " " to
	if (from == to || edge in reason)
		return
	reason[edge] = why
	target[from, ++n_targets[from]] = to
	nodes[from] = nodes[to] = 1
}

# The shortest way from @file back to it, or "".
function way_back(file,    queue, first, last, at, to, i, before, way) {
	queue[first = last = 1] = file
	while (first <= last) {
		at = queue[first++]
		for (i = 1; i <= n_targets[at]; i++) {
			to = target[at, i]
			if (to in before)
				continue
			before[to] = at
			if (to == file)
				break
			queue[++last] = to
		}
		if (file in before)
			break
	}
	if (!(file in before))
		return ""
	to = file
	do {
		at = before[to]
		way = "\n\t" at " " reason[at " " to] way
		to = at
	} while (to != file)
	return way
}

$1 == "layer" && $2 == "hook" {
	hook[$3 " " $4] = 1
	next
}
$1 == "layer" {
	layer[$2] = may[$2, $2] = 1
	for (i = 3; i <= NF; i++)
		may[$2, $i] = 1
}
$1 == "includes" && (layer_of($2) in built) { add($2, $3, "includes " $3 ".h") }
$1 == "defines" {
	built[$2] = built[layer_of($2)] = 1
	# Those that stand in for functions of the C library
	if (!(layer_of($2) in layer) || $3 ~ /^(syc|syscap|sysprof)_/)
		home[$3] = home[$3] " " $2
}
$1 == "uses" { uses[$2 " " $3] = 1 }

END {
	for (use in uses) {
		split(use, part, " ")
		n = split(home[part[2]], homes, " ")
		for (i = 1; i <= n; i++) {
			from = layer_of(part[1])
			to = layer_of(homes[i])
			if ((part[2] " " homes[i]) in hook) {
				hooked[part[2] " " homes[i]] = 1
				continue
			}
			if (!(from in layer) || (from, to) in may)
				add(part[1], homes[i], "uses " part[2])
			else
				complain(part[1] " uses " part[2] " of " homes[i])
		}
	}
	for (file in nodes) {
		n_files++
		way = way_back(file)
		if (way != "")
			complain(file " leads back to itself:" way)
	}
	for (use in hook) {
		split(use, part, " ")
		if (!(use in hooked) && part[2] in built)
			complain("layers.txt: not a hook: " use)
	}
	if (!bad)
		print "no circles among " n_files " files"
	exit bad
}
