/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layout.c - names of the data that copies of one ABI number share. layout.sh
 * compiles this file, and reads the layout from its debugging information.
 */
#define _GNU_SOURCE
#include "copies/copies.h"
#include "emit/process.h"
#include "emit/sample.h"
#include "emit/thread.h"
#include "ring/ring.h"
#include "session/session.h"

/* Structures within these are listed, too. */
extern struct syc_block layout_block;
extern struct syc_copy_words layout_words;
extern struct syc_names_table layout_names;
extern struct syc_arena_head layout_arena_head;
extern struct syc_origin layout_origin;
extern struct syc_process layout_process;
extern struct syc_ring_header layout_ring;
extern struct syc_session layout_session;
extern struct syc_state layout_state;
extern enum syc_sink layout_sink;

struct syc_block layout_block;
struct syc_copy_words layout_words;
struct syc_names_table layout_names;
struct syc_arena_head layout_arena_head;
struct syc_origin layout_origin;
struct syc_process layout_process;
struct syc_ring_header layout_ring;
struct syc_session layout_session;
struct syc_state layout_state;
enum syc_sink layout_sink;

#define VALUE(name) value_of_##name = (name)

extern enum values {
	VALUE(SYC_COPIES_NUMBER),
	VALUE(SYC_COPIES_MAX),
	VALUE(SYC_THREADS_MAX),
	VALUE(SYC_STATE_FREE),
	VALUE(SYC_STATE_ALIVE),
	VALUE(SYC_STATE_DEAD),
	VALUE(SYC_STATE_BUSY),
	VALUE(SYC_SLOT_FREE),
	VALUE(SYC_SLOT_BUSY),
	VALUE(SYC_SLOT_LIVE),
	VALUE(SYC_SLOT_ENDED),
	VALUE(SYC_SLOT_OVER),
	VALUE(SYC_RING_ROOM),
	VALUE(SYC_LOSS_RECORD_MAX),
	VALUE(SYC_LOSS_KINDS),
	VALUE(SYC_DEFINED_MAX),
} layout_values;

enum values layout_values;
