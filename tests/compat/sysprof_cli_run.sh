#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sysprof_cli_run.sh FILE PROGRAM [ARGUMENT]... - record PROGRAM with the
# system's sysprof-cli.
#
# sysprof-cli 3.46 requests permission through a system bus, and waits forever
# without a bus.  So it gets its own bus, which starts PolicyKit and sysprofd on
# request.  The bus directory must be open to all users: polkitd drops root
# before it connects.
set -eu
file=$1
shift
bus=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid"; rm -rf "$bus"' EXIT
trap 'exit 1' INT TERM
chmod 755 "$bus"
mkdir "$bus/services"
mkdir -m 700 "$bus/runtime"

# activate NAME PROGRAM
activate() {
	cat >"$bus/services/$1.service" <<-END
		[D-BUS Service]
		Name=$1
		Exec=$2
	END
}

for polkitd in /usr/lib/polkit-1/polkitd /usr/libexec/polkitd; do
	[ ! -x $polkitd ] ||
		activate org.freedesktop.PolicyKit1 "$polkitd --no-debug"
done
activate org.gnome.Sysprof2 /usr/libexec/sysprofd
activate org.gnome.Sysprof3 /usr/libexec/sysprofd
cat >"$bus/bus.conf" <<END
<!DOCTYPE busconfig PUBLIC
 "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>custom</type>
  <listen>unix:path=$bus/socket</listen>
  <auth>EXTERNAL</auth>
  <servicedir>$bus/services</servicedir>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
  </policy>
</busconfig>
END

# Set before the daemon starts: its services inherit these variables.
DBUS_SYSTEM_BUS_ADDRESS=unix:path=$bus/socket
XDG_RUNTIME_DIR=$bus/runtime
export DBUS_SYSTEM_BUS_ADDRESS XDG_RUNTIME_DIR
dbus-daemon --config-file="$bus/bus.conf" --fork --nopidfile \
	--print-pid=3 3>"$bus/pid"
pid=$(cat "$bus/pid")

# dbus-run-session: sysprof-cli also needs a session bus.
: "${SYSPROF_CLI_OPTIONS:=}" # such as --memprof
# shellcheck disable=SC2086
timeout -k 5 "${SYSPROF_CLI_SECONDS:-60}" dbus-run-session -- \
	sysprof-cli --no-perf --no-battery --no-decode $SYSPROF_CLI_OPTIONS \
	-f "$file" -- "$@"
