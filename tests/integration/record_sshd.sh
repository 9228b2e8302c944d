#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_sshd.sh - OpenSSH's server, whose filter kills the child before
# authentication at a return from a signal handler: six logins succeed under
# each clock, and with all collectors.
set -eu
: "${SYSCAP:?}"

skip() {
	echo "skip: $*"
	exit 77
}

sshd=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd) || skip "there is no sshd"
for program in ssh ssh-keygen; do
	command -v $program >/dev/null || skip "there is no $program"
done
[ "$(id -u)" = 0 ] || skip "sshd must run as root"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir -p /run/sshd

fail() {
	echo "$*"
	exit 1
}

ssh-keygen -q -N '' -f host
ssh-keygen -q -N '' -f user
chmod 755 .

# Each login has its own server (-i), connected to ssh by pipes.
cat >login <<EOF
#!/bin/sh
exec ssh -q -i user -o BatchMode=yes -o IdentitiesOnly=yes \\
	-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \\
	-o ProxyCommand="$sshd -i -e -f /dev/null -h $dir/host \\
		-o AuthorizedKeysFile=$dir/user.pub -o StrictModes=no \\
		-o UsePAM=no -o PidFile=none 2>>$dir/log" root@sshd true
EOF
cat >logins <<'EOF'
#!/bin/sh
n=0
for i in 1 2 3 4 5 6; do
	! sh ./login || n=$((n + 1))
done
echo "$n"
EOF
timeout 60 sh ./login || skip "no login without the recorder: $(cat log)"

for options in --sample --sample=1000,wall --sample=1000,perf \
	"--memory=mmap --io=1us,waits --stalls=5ms,all --logs --sample=1000,wall --stderr --counters"; do
	rm -f log sshd.syscap*
	# shellcheck disable=SC2086
	n=$(timeout 600 "$SYSCAP" record -q --no-symbols -o sshd.syscap \
		$options -- sh ./logins 2>err) || fail "$options: $(cat err)"
	[ "$n" = 6 ] || fail "$options: $n of 6 logins: $(cat log err)"
	"$SYSCAP" check sshd.syscap >/dev/null
done
