/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * owner.pml - the word of one slot of an arena, between two processes that
 * claim the slot and the recorder that reads and frees it.
 *
 * mutations: REREAD PLAIN_CLAIM FREE_FIRST DRAIN_FIRST TRUST_BUSY
 */
mtype = { FREE, BUSY, LIVE, ENDED };

#define N_FRAMES 2 /* of each claim of process 0; of process 1: 1 */
#define N_CLAIMS 2 /* of process 0; process 1 claims once */
#define ID(p, n) ((p) * N_CLAIMS * N_FRAMES + (n))

/* The word.  Each access takes both parts in one step */
mtype state = FREE;
byte holder;
bool n_used;

/* The ring: the ids of frames, which begin at 0 after MADV_REMOVE */
byte body[N_FRAMES];
byte head, tail;

bool alive[2] = true;
bool ended[2];

/* What the proof counts */
bool published[8];
byte received[8];

/* syc_arena_claim(), begin_slot(), emits, syc_slot_end() */
proctype process(byte me)
{
	byte n, at, n_claims;
	bool seen_free;

	{
		do
		:: n_claims == N_CLAIMS - me -> break
		:: n_claims < N_CLAIMS - me ->
#ifdef PLAIN_CLAIM
			state == FREE;
			atomic { state = BUSY; holder = me }
#else
			atomic { state == FREE -> state = BUSY; holder = me }
#endif
			n_used = true; /* note_used() */
			if
			:: state = FREE /* no memory, or the arena is closed */
			:: at = tail; /* begin_slot() loads the position */
				atomic {
					assert(state == BUSY && holder == me);
					state = LIVE
				}
				do
				:: n < N_FRAMES - me ->
					body[at] = ID(me, n_claims * N_FRAMES + n);
					atomic {
						at++;
						assert(state == LIVE && holder == me);
						tail = at; /* W2 */
						published[ID(me, n_claims * N_FRAMES + n)] = true
					}
					n++
				:: break
				od;
				state = ENDED /* syc_slot_end() */
			fi;
			d_step { n_claims++; n = 0; at = 0 }
		od;
		/* exit() */
		alive[me] = false
	} unless { !alive[me] };
	ended[me] = true
}

/* A kill between any two steps */
active proctype killer()
{
	do
	:: atomic { alive[0] -> alive[0] = false }
	:: atomic { alive[1] -> alive[1] = false }
	:: !alive[0] && !alive[1] -> break
	od
}

/* What the recorder knows */
bool is_taken; /* arena->slots[i] */
byte slot_pid;
bool is_over;

mtype word_state;
byte word_pid;

inline load_word()
{
	atomic { word_state = state; word_pid = holder }
}

/* free_slot(): also the argument `word` is in word_state and word_pid */
inline free_slot(is_freed)
{
	is_freed = false;
#ifdef REREAD
	/* As before the fault was mended: only the pid was compared */
	atomic {
		if
		:: state != FREE && holder == word_pid ->
			word_state = state;
			is_freed = true
		:: else
		fi
	}
#else
	is_freed = (state == word_state && holder == word_pid);
#endif
	if
	:: is_freed ->
#ifdef FREE_FIRST
		atomic {
			if
			:: state == word_state && holder == word_pid ->
				state = FREE
			:: else -> is_freed = false
			fi
		}
#endif
		/* MADV_REMOVE */
		d_step { head = 0; tail = 0; body[0] = 0; body[1] = 0 }
#ifndef FREE_FIRST
		atomic {
			if
			:: state == word_state && holder == word_pid ->
				state = FREE
			:: else -> is_freed = false
			fi
		}
#endif
	:: else
	fi
}

/* syc_drain() */
inline drain()
{
	atomic {
		to = tail; /* R1 */
		do
		:: read_at < to ->
			received[body[read_at]]++;
			assert(received[body[read_at]] == 1);
			assert(body[read_at] / (N_CLAIMS * N_FRAMES) == slot_pid);
			read_at++
		:: else -> break
		od
	}
	head = read_at /* R2 */
}

/* syc_arenas_is_over() */
inline look_whether_over()
{
	load_word();
	if
	:: (word_state == ENDED && word_pid == slot_pid) -> is_over = true
	:: else ->
		if
		:: !alive[slot_pid] -> is_over = true
		:: else
		fi
	fi
}

active proctype recorder()
{
	byte to, read_at;
	bool is_freed, is_last;

	run process(0);
	run process(1);
	do
	:: true ->
		/* The last round begins after the end of both processes */
		is_last = ended[0] && ended[1];
		/* look_at_words() */
		load_word();
		if
		:: !is_taken && n_used &&
		   (word_state == LIVE || word_state == ENDED) ->
			is_taken = true;
			slot_pid = word_pid;
			read_at = head;
			/* syc_arena_owner_find() */
			is_over = !alive[slot_pid]
		:: else
		fi;
		/* drain_slot() */
		if
		:: is_taken ->
#ifdef DRAIN_FIRST
			drain();
			look_whether_over();
#else
			if
			:: !is_over -> look_whether_over()
			:: else
			fi;
			drain();
#endif
			if
			:: is_over ->
				/* syc_arenas_give_back() */
				load_word();
				if
				:: word_state != FREE && word_pid == slot_pid ->
					free_slot(is_freed)
				:: else -> is_freed = false
				fi;
				assert(is_freed); /* else the slot is closed */
				d_step {
					is_taken = false;
					is_over = false;
					slot_pid = 0;
					read_at = 0
				}
			:: else
			fi
		:: else
		fi;
		/* syc_arenas_free_claimed() */
		load_word();
		if
		:: n_used && word_state == BUSY && !is_taken ->
			if
#ifdef TRUST_BUSY
			:: true -> free_slot(is_freed)
#else
			:: !alive[word_pid] -> free_slot(is_freed)
			:: else
#endif
			fi
		:: else
		fi;
		/* Fewer states */
		d_step { word_state = FREE; word_pid = 0; is_freed = false; to = 0 }
		if
		:: is_last && !is_taken -> break
		:: else
		fi
	od;
	/* Freed in this round, or without n_used, which another claim stores.
	 * What was claimed meanwhile was seen by a round before */
	skip;
	d_step {
		to = 0;
		do
		:: to < 8 ->
			assert(published[to] == received[to]);
			to++
		:: else -> break
		od;
		assert(state == FREE || !n_used)
	}
}
