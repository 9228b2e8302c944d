/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring.pml - the emits of one thread and of its signal handlers into one ring,
 * and the reader of the ring.  A handler may begin at any step.  It may leave
 * by siglongjmp(), so that the emit that it interrupted never ends.
 *
 * LEVELS is 2 or 3: the thread, a handler, and a handler of this handler.
 *
 * pan: -DNOREDUCE
 * whole: -DLEVELS=3 -DN_SIGNALS=2
 * whole: -DN_EVENTS=2
 * mutations: NO_ANNOUNCEMENT NO_WITHDRAWAL NO_REPAIR NO_MISSING_HEADER
 * mutations: NO_ROOM_LEFT TWO_MOMENTS CLEAR_FIRST SAME_TOKEN
 */
#ifndef LEVELS
#define LEVELS 2
#endif
#ifndef N_EVENTS
#define N_EVENTS 1 /* of the thread, before a last one */
#endif
#ifndef N_SIGNALS
#define N_SIGNALS 1
#endif
#define SIZE 5 /* of the body, in units.  A frame has one or two units */

/* The first word of a frame, also of another size and without a pid */
#define NO_PID  8
#define GARBAGE 15

mtype = { NOTHING, TIMESTAMP, MARK, JITMAP };

/* The ring: its header and its body, which is mapped twice in a row */
byte head, tail;
byte word[SIZE];
mtype type[SIZE] = NOTHING;
byte data[SIZE];

/* struct syc_thread.  pos, headered and limit are counts of units: the offset
 * of pos is pos % SIZE */
byte owner, next, end, room_end;
byte disturbed, pos, headered, lap, nested;
byte limit;
byte suspect, suspect_owner, suspect_len;
byte known_head; /* ts->head */

/* Tokens, from the top of the stack: 1 and 2 are of the thread, 3 of its
 * handler, 4 of a handler of the handler */
bool token[5];

bool is_begun;
byte running; /* the level that runs */
byte in_emit[3]; /* the event in progress of each level, or 0 */
bool is_left[3];
byte n_signals;
bool is_last; /* the last event, without signals, has begun */

/* What the proof counts.  An event has a bit */
#define N_ALL (N_EVENTS + 1 + N_SIGNALS)
byte n_begun;
short received, returned, lost, died;
short before[N_ALL]; /* the events that had returned when this one began */
byte n_abandoned, n_died_unread;

/* A store to a published byte must not change it: T2 */
#define IS_PUBLISHED(i) ((head <= tail && head <= (i) && (i) < tail) || \
	(head > tail && ((i) >= head || (i) < tail)))

#define put(array, i, value) \
	atomic { \
		assert(array[i] == (value) || !IS_PUBLISHED(i)); \
		array[i] = value \
	}

#define exchange(variable, expected, desired) \
	atomic { \
		if \
		:: variable == (expected) -> \
			variable = desired; \
			is_done = true \
		:: else -> is_done = false \
		fi \
	}

/* ------------------------------------------------------ the slow path */

inline disturb()
{
	do
	:: d_pos = pos;
		d_headered = headered;
		seen = disturbed;
		if
		:: seen != 0 ->
			exchange(disturbed, seen, seen + 1)
		:: else ->
			d_owner = owner;
			d_next = next;
			d_end = end;
			is_under_way = d_owner != 0 && d_end > d_next;
			target = lap + (is_under_way -> d_end : d_next);
			is_done = false;
			if
			:: disturbed == 0 ->
				exchange(pos, d_pos, target);
				exchange(headered, d_headered, target);
				is_done = false;
				if
				:: disturbed == 0 ->
					if
					:: is_under_way ->
						suspect_len = d_end - d_next;
						suspect_owner = d_owner;
						put(word, d_next, d_end - d_next)
					:: else
					fi;
					suspect = (is_under_way -> 1 + d_next : 0);
					exchange(disturbed, 0, 1)
				:: else
				fi
			:: else
			fi
		fi;
		if
		:: is_done -> break
		:: else
		fi
	od;
	skip;
	d_step {
		d_pos = 0; d_headered = 0; d_owner = 0; d_next = 0; d_end = 0;
		target = 0; seen = 0; is_under_way = false; is_done = false
	}
}

/* syc_write_missing_header() */
inline write_missing_header()
{
	do
	:: known = headered;
		to = pos;
		if
		:: headered == known -> break
		:: else
		fi
	od;
	if
	:: to != known ->
#ifndef NO_MISSING_HEADER
		put(word, known % SIZE, to - known);
#endif
		put(type, known % SIZE, TIMESTAMP);
		exchange(headered, known, to)
	:: else
	fi;
	d_step { known = 0; to = 0; is_done = false }
}

/* syc_repair_write_filler() */
inline write_filler(place)
{
	atomic {
		assert(!IS_PUBLISHED(place));
		data[place] = 0;
		if
		:: amount == 2 -> data[((place) + 1) % SIZE] = 0
		:: else
		fi
	};
	put(word, place, (amount == 1 -> 1 + NO_PID : amount));
	put(type, place, (amount == 1 -> TIMESTAMP : JITMAP))
}

/* syc_repair_count_abandoned() */
inline count_abandoned(where)
{
	n_abandoned++;
	limit = pos;
	write_filler(where)
}

/* settle_suspect() */
inline settle_suspect(complete)
{
	known = suspect;
	if
	:: known != 0 && suspect_owner != (complete) && next == known - 1 ->
		amount = suspect_len;
		count_abandoned(known - 1)
	:: else
	fi;
	suspect = 0;
	d_step { known = 0; amount = 0 }
}

/* syc_repair_all() */
inline repair_all()
{
	nested = 0;
	write_missing_header();
	walk_to = pos % SIZE;
	walk = tail;
	do
#ifdef NO_REPAIR
	:: true -> break
#endif
	:: walk != walk_to ->
		amount = word[walk] % NO_PID;
		assert(amount == 1 || amount == 2);
		if
		:: type[walk] == TIMESTAMP && word[walk] < NO_PID ->
			count_abandoned(walk)
		:: else
		fi;
		walk = (walk + amount) % SIZE
	:: else -> break
	od;
	skip;
	d_step { walk = 0; walk_to = 0; amount = 0 }
}

inline publish_all()
{
	do
	:: seen = disturbed;
		if
		:: seen == 0 -> break
		:: else
		fi;
		p_pos = pos;
		if
		:: nested != 0 -> repair_all()
		:: else ->
			tail = p_pos % SIZE; /* W2 */
			/* resume_alone() */
			target = limit;
			target = p_pos % SIZE +
				(target > p_pos -> target - p_pos : 0);
			lap = p_pos - p_pos % SIZE;
			next = p_pos % SIZE;
			end = p_pos % SIZE;
			room_end = (target > SIZE - 1 -> SIZE - 1 : target);
			exchange(disturbed, seen, 0);
			if
			:: is_done -> break
			:: else
			fi
		fi
	od;
	skip;
	d_step { seen = 0; p_pos = 0; target = 0; is_done = false }
}

inline become_owner()
{
	disturb();
	token[self] = true;
#ifndef SAME_TOKEN
	if
	:: suspect_owner == self -> suspect_owner = 0
	:: else
	fi;
#endif
	owner = self;
	disturb();
	settle_suspect(self);
	repair_all()
}

/* syc_open(): another emit has cleared `owner` only */
inline open()
{
	if
	:: disturbed != 0 ->
		settle_suspect(suspect_owner);
		publish_all()
	:: else
	fi;
	disturb()
}

/* syc_take(), up to the stored limit or up to that of the look at the reader */
inline take(most)
{
	do
	:: p_pos = pos;
		if
		:: p_pos + units > most -> break
		:: else
		fi;
		if
		:: headered != p_pos -> write_missing_header()
		:: else ->
			exchange(pos, p_pos, p_pos + units);
			if
			:: is_done ->
				frame = 1 + p_pos % SIZE;
				put(word, frame - 1, units);
				put(type, frame - 1, TIMESTAMP);
				exchange(headered, p_pos, p_pos + units);
				break
			:: else
			fi
		fi
	od;
	skip;
	d_step { p_pos = 0; is_done = false }
}

/* syc_ring_space_look(): the limit from one moment of pos and head */
inline look_at_reader()
{
	do
	:: target = pos;
		known = known_head;
		to = head; /* W1, pairs with R2 */
		if
		:: pos == target && known_head == known ->
			used = (target % SIZE + SIZE - to) % SIZE;
			/* Otherwise the ring would be closed */
			assert((to + SIZE - known) % SIZE <=
			       (target % SIZE + SIZE - known) % SIZE);
			exchange(known_head, known, to);
			if
			:: is_done -> break
			:: else
			fi
		:: else
		fi
	od;
#ifdef TWO_MOMENTS
	target = pos;
#endif
	target = target + SIZE - 1 - used;
#ifdef NO_ROOM_LEFT
	target = target + 1;
#endif
	d_step { known = 0; to = 0; used = 0; is_done = false }
}

/* ------------------------------------------------------------- an emit */

inline fill(first)
{
	put(data, first, event);
	if
	:: units == 2 ->
		put(data, ((first) + 1) % SIZE, event);
		put(word, ((first) + 1) % SIZE, GARBAGE)
	:: else
	fi
}

/* The end of an event: it was received or lost */
inline note_return(is_lost)
{
	d_step {
		if
		:: is_lost -> lost = lost | (1 << (event - 1))
		:: else -> returned = returned | (1 << (event - 1))
		fi;
		in_emit[_pid] = 0;
		frame = 0; units = 0; self = 0; is_outermost = false; event = 0;
		announced = 0; at_next = 0; then_again = false
	}
}

/* siglongjmp() out of the emit of a level */
inline leave(at_level)
{
	died = died | (1 << (in_emit[at_level] - 1));
	in_emit[at_level] = 0;
	is_left[at_level] = true
}

active [LEVELS] proctype level() provided
	(running == _pid || running == LEVELS)
{
	byte event, self, units, frame, at_next, announced;
	bool is_outermost, then_again, is_done, is_under_way;
	byte d_pos, d_headered, d_owner, d_next, d_end, target, seen;
	byte known, to, used, walk, walk_to, amount, p_pos;
	byte n;

	/* The ring's first position is anywhere */
	if
	:: atomic {
		_pid == 0 ->
		do
		:: head < SIZE - 1 -> head++
		:: true -> break
		od;
		tail = head; next = head; end = head; pos = head;
		headered = head; known_head = head;
		limit = head + SIZE - 1;
		if
		:: limit = head /* before the first event */
		:: room_end = SIZE - 1
		fi;
		is_begun = true
	}
	:: _pid != 0
	fi;
again:
	if
	:: running == LEVELS -> goto over
	:: _pid == 0 && n == N_EVENTS + 1 ->
		running = LEVELS; /* the end */
		goto over
	:: else
	fi;
	/* The last event finds every dead emit */
	if
	:: _pid == 0 && n < N_EVENTS -> self = 1
	:: _pid == 0 && n < N_EVENTS ->
		self = 2;
		/* The calls between may overwrite the token of a dead emit */
		if
		:: token[1] = false
		:: true
		fi
	:: _pid == 0 && n == N_EVENTS ->
		self = 1;
		is_last = true
	:: _pid != 0 -> self = 2 + _pid
	fi;
	d_step {
		n = (_pid == 0 -> n + 1 : 0);
		n_begun++;
		event = n_begun;
		before[event - 1] = returned;
		in_emit[_pid] = event
	}
	if
	:: units = 1
	:: units = 2
	fi;
	{
		/* syc_begin() */
		if
		:: owner != 0 -> goto slow
		:: else
		fi;
		token[self] = true;
		owner = self;
		at_next = next;
		if
		:: at_next + units > room_end -> goto withdraw
		:: else
		fi;
		if
		:: end != at_next -> goto withdraw
		:: else
		fi;
#ifndef NO_ANNOUNCEMENT
		end = at_next + units;
#endif
#ifndef NO_WITHDRAWAL
		if
		:: disturbed != 0 -> announced = at_next + units; goto withdraw
		:: else
		fi;
#endif
		put(word, at_next, units);
		fill(at_next);
		put(type, at_next, MARK);
		/* syc_end() */
#ifdef CLEAR_FIRST
		owner = 0;
#endif
		next = at_next + units;
		tail = at_next + units; /* W2 */
#ifndef CLEAR_FIRST
		owner = 0;
#endif
		if
		:: disturbed == 0 -> note_return(false); goto done
		:: else -> goto own_again
		fi;

withdraw:
		/* syc_withdraw() */
		then_again = true;
		if
		:: disturbed == 0 ->
			if
			:: announced != 0 ->
				p_pos = next;
				exchange(end, announced, p_pos);
				p_pos = 0
			:: else ->
				p_pos = end;
				if
				:: p_pos == next ->
					p_pos = 0;
					owner = 0;
					if
					:: disturbed == 0 ->
						then_again = false;
						goto slow
					:: else -> goto own_again
					fi
				:: else -> p_pos = 0
				fi
			fi
		:: else
		fi;
		disturb();
		p_pos = suspect;
		if
		:: announced != 0 && p_pos != 0 && suspect_owner == self ->
			amount = suspect_len;
			write_filler(p_pos - 1)
		:: else
		fi;
		p_pos = 0;
		p_pos = (announced != 0 -> self : 0);
		settle_suspect(p_pos);
		p_pos = 0;
		repair_all();
		goto finish;

slow:
		/* syc_event_begin_slow() */
		token[self] = true;
		d_step { announced = 0; at_next = 0 }
		exchange(owner, 0, self);
		if
		:: is_done ->
			is_done = false;
			is_outermost = true;
			open()
		:: else ->
			known = owner;
			if
			:: known == 0 || self <= known || !token[known] ->
				known = 0;
				is_outermost = true;
				become_owner()
			:: else ->
				known = 0;
				nested++;
				disturb();
				write_missing_header()
			fi
		fi;
		target = limit;
		take(target);
		target = 0;
		if
		:: frame == 0 ->
			/* syc_reserve_slow() */
			look_at_reader();
			take(target);
			if
			:: frame == 0 -> limit = pos
			:: else -> limit = target
			fi;
			target = 0
		:: else
		fi;
		if
		:: frame != 0 ->
			fill(frame - 1);
			put(type, frame - 1, MARK)
		:: else
		fi;
		if
		:: is_outermost -> goto finish
		:: else ->
			/* syc_leave_nested() */
			do
			:: known = nested;
				if
				:: known == 0 -> break
				:: else
				fi;
				exchange(nested, known, known - 1);
				if
				:: is_done -> break
				:: else
				fi
			od;
			skip;
			d_step { known = 0; is_done = false }
			note_return(frame == 0);
			goto done
		fi;

own_again:
		/* syc_finish_disturbed(), and the end of a round of finish */
		exchange(owner, 0, self);
		if
		:: is_done -> is_done = false; settle_suspect(suspect_owner)
		:: else -> become_owner()
		fi;
finish:
		publish_all();
		owner = 0;
		if
		:: disturbed != 0 -> goto own_again
		:: then_again -> then_again = false; goto slow
		:: else -> note_return(is_outermost && frame == 0)
		fi;
done:
		skip
	} unless {
		is_left[_pid];
		d_step {
			is_left[_pid] = false;
			event = 0; self = 0; units = 0; frame = 0; at_next = 0;
			announced = 0; is_outermost = false; then_again = false;
			is_done = false; is_under_way = false; d_pos = 0;
			d_headered = 0; d_owner = 0; d_next = 0; d_end = 0;
			target = 0; seen = 0; known = 0; to = 0; used = 0; walk = 0;
			walk_to = 0; amount = 0; p_pos = 0
		}
	};
	/* The handler returns, or leaves one emit or two */
	if
	:: _pid == 0 || running == LEVELS
	:: atomic { _pid != 0 && running == _pid -> running = _pid - 1 }
	:: atomic {
		_pid != 0 && running == _pid &&
		in_emit[_pid - 1] != 0 ->
		leave(_pid - 1);
		running = _pid - 1
	}
	:: atomic {
		_pid == 2 && running == 2 && in_emit[0] != 0 &&
		in_emit[1] != 0 ->
		leave(0);
		leave(1);
		running = 0
	}
	fi;
	goto again;
over:
	skip
}

/* A signal at any step */
active proctype signals()
{
	do
	:: atomic {
		is_begun && !is_last && running < LEVELS - 1 &&
		n_signals < N_SIGNALS ->
		n_signals++;
		running++
	}
	:: is_last || n_signals == N_SIGNALS -> break
	od
}

active proctype reader()
{
	byte at, id, n_units;

	do
	:: atomic {
		head != tail -> /* R1 */
		at = head;
		do
		:: at != tail ->
			n_units = word[at] % NO_PID;
			/* T4: the frame is whole, or a filler */
			assert(n_units == 1 || n_units == 2);
			if
			:: type[at] == MARK ->
				id = data[at];
				assert(id != 0 && word[at] == n_units);
				assert(n_units == 1 ||
				       data[(at + 1) % SIZE] == id);
				assert((received & (1 << (id - 1))) == 0);
				assert((before[id - 1] & ~received) == 0);
				assert((lost & (1 << (id - 1))) == 0);
				received = received | (1 << (id - 1))
			:: type[at] == JITMAP -> assert(n_units == 2)
			:: else ->
				assert(type[at] == TIMESTAMP);
				assert(word[at] == 1 + NO_PID)
			fi;
			at = (at + n_units) % SIZE
		:: else -> break
		od;
		/* R2 */
		head = at;
		d_step { at = 0; id = 0; n_units = 0 }
	}
	:: atomic { running == LEVELS && head == tail -> break }
	od;
	skip;
	/* Each event that returned and was not lost was received */
	d_step {
		assert((returned & ~received) == 0);
		assert(owner == 0 && disturbed == 0 && nested == 0);
		assert(next == tail && end == next);
		id = 0;
		do
		:: id < n_begun ->
			if
			:: (died & ~received & (1 << id)) != 0 ->
				n_died_unread++
			:: else
			fi;
			id++
		:: else -> break
		od;
		assert(n_abandoned <= n_died_unread)
	}
}
