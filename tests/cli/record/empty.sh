#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# empty.sh - `syscap record` reports a recording without events, and the right
# reason for a recording without samples, also in `stat` and `diff`.
set -eu
: "${SYSCAP:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# says OPTION... -- COMMAND... - the recorder's messages go to "said"
says() {
	"$SYSCAP" record --force "$@" >/dev/null 2>said || {
		cat said
		exit 1
	}
}

wants() {
	grep -q -e "$1" said || {
		echo "no line '$1':"
		cat said
		exit 1
	}
}

has_not() {
	! grep -e "$1" said || exit 1
}

says -- ls /
wants 'the command emitted no events; .* syscap record --sample -- ls \.\.\.$'
says --stderr -- ls
has_not 'emitted no events'
[ -z "${SYSCAP_SANITIZE:-}" ] || exit 0 # preloading is impossible there

# A period of a second: no sample is due
says --sample=1 -- true
wants 'no samples of the command in [0-9.]* ms of processor time: no tick was due$'
has_not 'did not load'

# The capture states which kinds of data were recorded.
"$SYSCAP" diff capture.syscap capture.syscap 2>said || :
wants 'no samples, .* although capture.syscap was recorded with --sample$'
"$SYSCAP" stat --of blocked capture.syscap >said
wants '^The capture has no calls that blocked; record with --io\.$'
says --io --stalls -- true
for kind in blocked stalled; do
	"$SYSCAP" stat --of "$kind" capture.syscap >said
	wants '^There are no '
done

# A full ring has no space for samples, which are not unsampled time.
if command -v python3 >/dev/null; then
	says --sample --memory --ring-kib=4 --drain-interval=1000 -- \
		python3 -c 'for i in range(600000): str(i) * 100'
	grep -q ' sample[s]*, ' said ||
		wants 'all [0-9]* samples are lost, .* a larger --ring-kib$'
	has_not 'could not be sampled'
	has_not 'SYSCAP_DEBUG'
fi

# Runs until the recorder has seen the process.  The rate is so low that env
# itself, which has the sampler, is not sampled
says --sample=50 -- env -i /bin/sh -c 'i=0; while [ $i -lt 300000 ]; do
	i=$((i + 1)); done; sleep 4 & wait'
wants '2 processes did not load the sampler'
wants 'no samples of the command in [0-9.]* ms of processor time; SYSCAP_DEBUG=1'
has_not 'no tick was due'
