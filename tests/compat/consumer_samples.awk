# SPDX-License-Identifier: BSD-2-Clause
# consumer_samples.awk - how far the samples of a capture have names.  Reads
# `syscap dump --json --type jitmap`, then `--type sample`.
#
# Prints NAME and the place of each sample, one per line:
#
#	samples N		frames
#	deepest N		addresses in the longest
#	named N			samples in which every address has a name
#	raw N			addresses without one
#	in NAME N		samples that hold NAME, up to the first blank
/^{"type":"jitmap"/ {
	n = split($0, part, /{"addr":"/)
	for (i = 2; i <= n; i++) {
		at = index(part[i], "\",\"name\":\"")
		name = substr(part[i], at + 10)
		sub(/"}.*/, "", name)
		names[substr(part[i], 1, at - 1)] = name
	}
}
/^{"type":"sample"/ {
	samples++
	sub(/.*"addrs":\["?/, "")
	sub(/"?\]}$/, "")
	n = split($0, part, /","/)
	if (n > deepest)
		deepest = n
	is_named = n > 0
	delete seen
	for (i = 1; i <= n; i++) {
		if (!(part[i] in names)) {
			raw++
			is_named = 0
			continue
		}
		name = names[part[i]]
		sub(/ .*/, "", name)
		seen[name] = 1
	}
	named += is_named
	for (name in seen)
		within[name]++
}
END {
	print "samples", samples + 0
	print "deepest", deepest + 0
	print "named", named + 0
	print "raw", raw + 0
	for (name in within)
		print "in", name, within[name] | "LC_ALL=C sort -k3,3nr -k2,2"
}
