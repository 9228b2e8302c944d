# SPDX-License-Identifier: BSD-2-Clause
# off_path.awk - follow a function of objdump's listing along the branches
# that are not taken while nothing is recorded, and count what is there.
#
#	objdump -dr --no-show-raw-insn off_path.o |
#		awk -v name=FUNCTION -v tests=N -f off_path.awk
#
# Follows the code from the entry to ret. Conditional branches must go forward
# and are not taken; unconditional jumps are followed.  Fails for a call, a
# clock read, a second load from memory, or a number of branches above `tests`.

function fail(why) {
	printf "%s: %s\n", name, why
	for (i = 1; i <= n_path; i++)
		print "\t" path[i]
	failed = 1
	exit 1
}

/^[0-9a-f]+ <.*>:$/ {
	inside = $2 == "<" name ">:"
	next
}
inside && /^ +[0-9a-f]+:\t/ {
	text = $0
	sub(/^ +/, "", text)
	address = text
	sub(/:.*/, "", address)
	sub(/^[^\t]*\t/, "", text)
	n++
	at[n] = address
	index_of[address] = n
	code[n] = text
}
# a relocation belongs to the instruction before it
inside && /R_X86_64_[A-Z0-9]+\tsyc_active/ { loads_active[n] = 1 }

END {
	if (failed)
		exit 1
	if (n == 0)
		fail("is not in the listing")
	n_loads = n_tests = n_branches = 0
	for (i = 1; i <= n; i++) {
		path[++n_path] = at[i] ": " code[i]
		op = code[i]
		sub(/ .*/, "", op)
		if (n_path > 40)
			fail("too long")
		if (loads_active[i])
			n_loads++
		# with a single test, no other part of the block is in memory
		else if (tests == 1 && code[i] ~ /\(/ && op !~ /^(lea|nop)/)
			fail("touches other memory")
		if (op ~ /^(test|cmp)/)
			n_tests++
		if (op ~ /^(call|rdtsc|syscall|lock|lfence|mfence|cpuid)/)
			fail("does more than look")
		if (op ~ /^ret/ || code[i] ~ /^rep[z]? ret/)
			break
		if (op !~ /^j/)
			continue
		target = code[i]
		sub(/^[a-z]+ +/, "", target)
		sub(/ .*/, "", target)
		if (op == "jmp") {
			if (!(target in index_of))
				fail("leaves the function")
			i = index_of[target] - 1
			continue
		}
		n_branches++
		# code outside of this section is in the cold section
		if (target in index_of && index_of[target] <= i)
			fail("branches backward")
	}
	if (i > n)
		fail("has no ret")
	if (n_loads != 1)
		fail(n_loads " loads of syc_active")
	if (n_tests < 1 || n_tests > tests)
		fail(n_tests " tests, not 1 to " tests)
	if (n_branches < 1 || n_branches > tests)
		fail(n_branches " branches, not 1 to " tests)
}
