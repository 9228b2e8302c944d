/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layout.c - names what copies of one number share: layout.sh compiles this,
 * and reads from its debugging information how it is laid out.
 */
#define _GNU_SOURCE
#include "client/process.h"
#include "client/session.h"
#include "client/thread.h"
#include "copies/block.h"
#include "copies/card.h"
#include "copies/number.h"
#include "jit/table.h"
#include "ring/ring.h"

/* What these hold is laid out, too. */
extern struct sc_block layout_block;
extern struct sc_card layout_card;
extern struct sc_names_table layout_names;
extern struct sc_process layout_process;
extern struct sc_ring_header layout_ring;
extern struct sc_session layout_session;
extern struct sc_state layout_state;
extern enum sc_sink layout_sink;

struct sc_block layout_block;
struct sc_card layout_card;
struct sc_names_table layout_names;
struct sc_process layout_process;
struct sc_ring_header layout_ring;
struct sc_session layout_session;
struct sc_state layout_state;
enum sc_sink layout_sink;

#define VALUE(name) value_of_##name = (name)

extern enum values {
	VALUE(SC_COPIES_NUMBER),
	VALUE(SC_COPIES_MAX),
	VALUE(SC_THREADS_MAX),
	VALUE(SC_STATE_FREE),
	VALUE(SC_STATE_ALIVE),
	VALUE(SC_STATE_DEAD),
	VALUE(SC_STATE_BUSY),
	VALUE(SC_SLOT_FREE),
	VALUE(SC_SLOT_BUSY),
	VALUE(SC_SLOT_LIVE),
	VALUE(SC_SLOT_ENDED),
	VALUE(SC_ASK_ROOM),
	VALUE(SC_ASK_FLUSH),
	VALUE(SC_ASK_STOP),
	VALUE(SC_ASK_ENDED),
	VALUE(SC_RING_ROOM),
	VALUE(SC_LOSS_RECORD_MAX),
	VALUE(SC_LOSS_KINDS),
	VALUE(SC_DEFINED_MAX),
} layout_values;

enum values layout_values;
