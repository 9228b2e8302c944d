# SPDX-License-Identifier: BSD-2-Clause
# completion.zsh FOLDER - what an interactive zsh shows when tab is pressed;
# FOLDER has _syscap.  Waits for each answer; who runs this ends it.
zmodload zsh/zpty
zpty terminal "env -i PATH=$PATH TERM=dumb HOME=$1 zsh -f -i"
zpty -w terminal "PS1=; fpath=($1 \$fpath); autoload -U compinit
compinit -u -D; LISTMAX=10000; stty cols 200; cd $1; echo rea''dy"
zpty -r -m terminal text '*ready*'

# ask LINE PATTERN
ask() {
	print -r -- "zsh: $1"
	zpty -w -n terminal "$1"$'\t\t'
	zpty -r -m terminal text "$2" || exit 1
	zpty -w -n terminal $'\x15'"echo don''e"$'\n'
	zpty -r -m terminal text '*done*' || exit 1
}
ask 'syscap ' '*join captures into one*'
ask 'syscap cat --' '*--output*the new capture*'
ask 'syscap dump --type=' '*file_chunk*timestamp*'
ask 'syscap completion ' '*bash*fish*zsh*'
ask 'syscap cat --output=' '*a.syscap*b.syscap*'
ask 'syscap stat ' '*a.syscap*b.syscap*'
zpty -d terminal
