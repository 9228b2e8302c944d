/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batch.pml - batches and their journal: two processes write the frames of
 * their rings to one output file, under a lock that the kernel releases.  Each
 * may be killed at any step, also in the middle of a write.  A third process
 * recovers the rest.
 *
 * mutations: NO_CUT NO_JOURNAL HEAD_FIRST WRITTEN_AGAIN STATE_FIRST ANY_HOLDER
 */

/* A frame has two units.  The ids 1 and 2 are frames of process 0, 3 of 1.
 * The id 5 is a loss record of process 0 */
#define N_FRAMES 2 /* of process 0; of process 1: 1 */
#define RECORD 5
#define SIZE 14 /* of the file, with torn bytes */

mtype = { NOTHING, UNDER_WAY };

/* The arena: rings (positions in frames), losses, journal */
byte head[2], tail[2];
byte lost, told;
mtype state = NOTHING;
byte j_offset, j_length, j_end;
byte j_from[2], j_to[2];
bool j_has_record;
byte j_told;

/* The file, in units: id * 2, and id * 2 + 1 */
byte file[SIZE];
byte size;

bool alive[3] = true;
bool ended[2];
byte lock; /* 1 + holder; 0: free */

byte n_written[6];
bool has_failed;

/* Append one unit of the batch; a kill may come between two.  One write fails,
 * without space for its rest */
inline write_unit(unit)
{
	if
	:: !has_failed -> d_step { has_failed = true; is_short = true }
	:: true
	fi;
	if
	:: !is_short ->
		d_step {
			assert(at < SIZE);
			file[at] = unit;
			at++;
			if
			:: at > size -> size = at
			:: else
			fi
		}
	:: else
	fi
}

inline write_frame(id)
{
	write_unit(2 * (id));
	write_unit(2 * (id) + 1)
}

/* cut() in output.c */
inline cut(to)
{
	size = to
}

/* advance() and commit_told(), from the batch */
inline commit()
{
	if
	:: has_record -> told = new_told
	:: else
	fi;
	head[0] = to[0];
	head[1] = to[1]
}

/* syc_spill_repair() and syc_output_repair() */
inline repair()
{
	if
	:: state == UNDER_WAY ->
		is_in = (size >= j_offset + j_length);
#ifdef WRITTEN_AGAIN
		is_in = false;
		j_offset = size;
#endif
		if
		:: is_in -> j_end = j_offset + j_length
		:: else ->
			j_end = j_offset;
#ifdef NO_CUT
			j_end = size
#else
			cut(j_offset)
#endif
		fi;
		if
		:: is_in ->
			has_record = j_has_record;
			new_told = j_told;
			to[0] = j_to[0];
			to[1] = j_to[1];
			commit()
		:: else
		fi;
		state = NOTHING
	:: else
	fi
}

/* syc_rings_gather(): the frames of this process, and of ended processes */
inline gather()
{
	d_step {
		from[0] = head[0];
		from[1] = head[1];
		to[0] = (me == 0 || !alive[0] -> tail[0] : head[0]);
		to[1] = (me == 1 || !alive[1] -> tail[1] : head[1])
	}
}

/* syc_spill_write_batch() and syc_output_write() */
inline write_batch()
{
	/* Bytes after the last whole batch: of another program */
	end = j_end;
#ifdef NO_CUT
	end = size;
#else
	if
	:: end != size -> cut(end)
	:: else
	fi;
#endif
	length = 2 * (to[0] - from[0] + to[1] - from[1] + has_record);
#ifdef HEAD_FIRST
	commit();
#endif
#ifndef NO_JOURNAL
	/* syc_journal_begin() */
#ifdef STATE_FIRST
	state = UNDER_WAY;
#endif
	j_from[0] = from[0];
	j_to[0] = to[0];
	j_from[1] = from[1];
	j_to[1] = to[1];
	j_offset = end;
	j_length = length;
	j_has_record = has_record;
	j_told = new_told;
	state = UNDER_WAY;
#endif
	at = end;
	if
	:: has_record -> write_frame(RECORD)
	:: else
	fi;
	i = from[0];
	do
	:: i < to[0] -> write_frame(1 + i); i++
	:: else -> break
	od;
	i = from[1];
	do
	:: i < to[1] -> write_frame(1 + N_FRAMES + i); i++
	:: else -> break
	od;
	if
	:: !is_short ->
		j_end = end + length;
		commit();
		state = NOTHING
	:: is_short ->
#ifndef NO_CUT
		/* Or this fails, too: then the repair cuts */
		if
		:: cut(end); state = NOTHING
		:: true
		fi
#endif
	fi
}

/* transfer() in spill.c, by the holder of the lock */
inline transfer()
{
	repair();
	n_batches = 0;
	do
	:: n_batches < 2 && !is_short ->
		gather();
		has_record = n_batches == 1 && (me == 0 || !alive[0]) &&
			lost != told;
		if
		:: n_batches == 1 ->
			/* report_losses(): a batch of the record alone */
			new_told = lost;
			to[0] = from[0];
			to[1] = from[1]
		:: else
		fi;
		n_batches++;
		if
		:: from[0] != to[0] || from[1] != to[1] || has_record ->
			write_batch()
		:: else
		fi
	:: else -> break
	od
}

/* The kernel marks the lock of a dead holder */
inline take_lock()
{
#ifdef ANY_HOLDER
	atomic { true -> lock = 1 + me }
#else
	atomic { lock == 0 || !alive[lock - 1] -> lock = 1 + me }
#endif
}

inline release_lock()
{
	is_short = false;
	lock = 0
}

proctype process(byte me)
{
	byte n, at, i, end, length, new_told, n_batches;
	byte from[2], to[2];
	bool is_in, has_record, is_short;

	{
		do
		:: n < N_FRAMES - me ->
			tail[me] = tail[me] + 1; /* an emit */
			n++;
			if
			:: me == 0 && n == 1 -> lost = 1
			:: else
			fi;
			take_lock();
			transfer();
			release_lock()
		:: else -> break
		od;
		alive[me] = false
	} unless { !alive[me] };
	ended[me] = true
}

active proctype killer()
{
	do
	:: atomic { alive[0] -> alive[0] = false }
	:: atomic { alive[1] -> alive[1] = false }
	:: !alive[0] && !alive[1] -> break
	od
}

/* The next process, or syscap recover */
active proctype recovery()
{
	byte n, at, i, end, length, new_told, n_batches;
	byte from[2], to[2];
	bool is_in, has_record, is_short;
	byte me = 2;

	run process(0);
	run process(1);
	ended[0] && ended[1];
	do
	:: n < 2 -> /* the first may fail */
		take_lock();
		transfer();
		release_lock();
		n++
	:: else -> break
	od;
	skip;
	/* Each frame is in the file once, and whole */
	d_step {
		assert(size % 2 == 0);
		i = 0;
		do
		:: i < size ->
			assert(file[i] % 2 == 0 && file[i + 1] == file[i] + 1);
			n_written[file[i] / 2]++;
			assert(n_written[file[i] / 2] == 1);
			i = i + 2
		:: else -> break
		od;
		assert(n_written[1] + n_written[2] == tail[0]);
		assert(n_written[3] == tail[1]);
		assert(n_written[RECORD] == lost)
	}
}
