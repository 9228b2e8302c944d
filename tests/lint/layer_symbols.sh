#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# layer_symbols.sh OBJECTS - check that a layer uses only symbols of the layers
# that layers.txt allows, so no circle leads from one layer to another.
# objects.sh describes OBJECTS.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: sanitizers add symbols of their own"
	exit 77
fi
{
	sed 's/#.*//; s/^/layer /' "$here/layers.txt"
	"$here/objects.sh" "$1"
} | awk '
function layer_of(file) {
	sub(/\/.*/, "", file)
	return file
}
$1 == "layer" && $2 == "hook" { hook[$3 " " $4] = 1; next }
$1 == "layer" {
	may[$2, $2] = 1
	for (i = 3; i <= NF; i++)
		may[$2, $i] = 1
}
$1 == "defines" {
	built[$2] = 1
	# Other names replace functions of the C library
	if ($3 ~ /^(syc|syscap|sysprof)_/)
		home[$3] = home[$3] " " $2
}
$1 == "uses" { uses[$2 " " $3] = 1 }
END {
	for (use in uses) {
		split(use, part, " ")
		n = split(home[part[2]], homes, " ")
		for (i = 1; i <= n; i++) {
			if ((part[2] " " homes[i]) in hook)
				hooked[part[2] " " homes[i]] = 1
			else if (!((layer_of(part[1]), layer_of(homes[i])) in may)) {
				print part[1] " uses " part[2] " of " homes[i]
				bad = 1
			}
		}
	}
	for (use in hook) {
		split(use, part, " ")
		if (!(use in hooked) && part[2] in built) {
			print "layers.txt: not a hook: " use
			bad = 1
		}
	}
	exit bad
}'
