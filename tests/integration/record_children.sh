#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_children.sh WHAT LIBRARY - events of programs that close inherited
# descriptors, and of their children: every event is recorded once.
set -eu
: "${SYSCAP:?names the binary to test}" "${SYSCAP_TEST_BIN:?}"
what=$1
SAYS=$SYSCAP_TEST_BIN/record_children
LIBRARY=$2
export SAYS LIBRARY
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

needs() {
	for program; do
		command -v "$program" >/dev/null || {
			echo "skip: there is no $program"
			exit 77
		}
	done
}

# The recorder does not wait for a daemon, which must have logged before the
# end.
record() {
	"$SYSCAP" record -o x --force -- "$@" 2>messages || {
		cat messages
		exit 1
	}
	if grep -q 'could not be\|[1-9][0-9]* frames* lost' messages; then
		cat messages
		exit 1
	fi
	"$SYSCAP" check x
	"$SYSCAP" dump x | sed -n 's/.* log .*"children" message "\(.*\)"/\1/p' |
		sort >said
}

expect() {
	printf '%s\n' "$@" | sort >expected
	diff expected said
}

case $what in
sh)
	record sh -c 'exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
		"$SAYS" closed; sh -c "\"\$SAYS\" again"; exec "$SAYS" last'
	expect closed again last
	# Another file has the socket's fd, and must not change
	: >file
	record sh -c 'exec 3>file 4>file 5>file; "$SAYS" file'
	expect file
	test ! -s file
	;;
network)
	# The recorder is found by its path, also from a namespace with another
	# pid
	unshare --net --pid --fork true 2>/dev/null || {
		echo "skip: no namespaces can be made"
		exit 77
	}
	record unshare --net --pid --fork sh -c 'exec 3>&- 4>&- 5>&- 6>&-
		"$SAYS" outside; exit'
	expect outside
	;;
daemon)
	record sh -c '"$SAYS" --daemon daemon; "$SAYS" --detached detached
		for _ in $(seq 600); do
			"$SYSCAP" dump --type=log x >heard 2>errors || :
			[ "$(grep -c "message \"d[a-z]*\"" heard)" -lt 2 ] || break
			sleep 0.1
		done'
	expect daemon detached detached-before
	;;
make)
	needs make
	cat >Makefile <<-'END'
		.RECIPEPREFIX = >
		all: sub-1 sub-2 sub-3
		> @$(SAYS) all
		sub-%:
		> @+$(MAKE) --no-print-directory -f Makefile leaf-$*
		leaf-%:
		> @exec 3>&- 4>&- 5>&- 6>&-; $(SAYS) leaf-$*
	END
	record make -s -j2
	expect all leaf-1 leaf-2 leaf-3
	;;
subprocess)
	needs python3
	cat >main.py <<-'END'
		import os, subprocess
		for i in range(5):
		    subprocess.run([os.environ["SAYS"], f"run-{i}"], check=True)
		subprocess.check_output("$SAYS shell", shell=True)
		subprocess.Popen([os.environ["SAYS"], "session"],
		                 start_new_session=True).wait()
		subprocess.run([os.environ["SAYS"], "unclosed"], close_fds=False)
	END
	record python3 main.py
	expect run-0 run-1 run-2 run-3 run-4 shell session unclosed
	;;
sample)
	# The preloaded sampler is like any other copy of the library
	needs python3
	cat >main.py <<-'END'
		import os, subprocess
		bin = os.environ["SYSCAP_TEST_BIN"]
		subprocess.run([bin + "/record_sample_spin", "300"], check=True)
	END
	"$SYSCAP" record --sample=500 -qo x -- python3 main.py
	pid=$("$SYSCAP" dump x |
		sed -n 's/.* process *pid \([0-9]*\) .*record_sample_spin.*/\1/p' |
		head -n 1)
	n=$("$SYSCAP" dump x | grep -c " sample  *pid ${pid:-none} ") || true
	test "$n" -gt 10 || {
		echo "$n samples of process ${pid:-that is not there}"
		exit 1
	}
	;;
multiprocessing)
	needs python3
	cat >main.py <<-'END'
		import ctypes, multiprocessing, os
		library = ctypes.CDLL(os.environ["LIBRARY"])
		def say(text):
		    library.syscap_log(16, b"children", text.encode())
		if __name__ == "__main__":
		    say("parent")
		    for way in "fork", "spawn", "forkserver":
		        context = multiprocessing.get_context(way)
		        with context.Pool(2) as pool:
		            pool.map(say, [f"{way}-{i}" for i in range(4)])
		            pool.close()
		            pool.join()
		        process = context.Process(target=say, args=(way,))
		        process.start()
		        process.join()
	END
	record python3 main.py
	expect parent fork fork-0 fork-1 fork-2 fork-3 \
		spawn spawn-0 spawn-1 spawn-2 spawn-3 \
		forkserver forkserver-0 forkserver-1 forkserver-2 forkserver-3
	;;
node)
	needs node
	cat >main.js <<-'END'
		const { execFileSync, fork, spawn, spawnSync } =
			require("child_process");
		const cluster = require("cluster");
		const says = process.env.SAYS;
		if (!cluster.isPrimary) {
			execFileSync(says, ["worker-" + process.env.NUMBER]);
			process.exit(0);
		} else if (process.argv[2] == "forked") {
			execFileSync(says, ["forked"]);
		} else {
			execFileSync(says, ["file"]);
			spawnSync("sh", ["-c", "$SAYS shell"]);
			spawn(says, ["spawned"], { detached: true });
			fork(__filename, ["forked"]);
			cluster.fork({ NUMBER: 1 });
			cluster.fork({ NUMBER: 2 });
		}
	END
	record node main.js
	expect file shell spawned forked worker-1 worker-2
	;;
npm)
	needs npm
	cat >package.json <<-'END'
		{ "name": "x", "version": "1.0.0", "scripts": {
			"first": "npm run second --silent",
			"second": "$SAYS npm && npm run third --silent",
			"third": "node -e 'require(\"child_process\").execFileSync(process.env.SAYS, [\"third\"])'"
		} }
	END
	HOME=$work npm_config_update_notifier=false record npm run first --silent
	expect npm third
	;;
esac
