/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_memory_count.c - sums of the allocations in a capture.
 *
 *	record_memory_count CAPTURE PROGRAM
 *
 * Counts only allocations called from PROGRAM's own code: "allocated COUNT
 * BYTES", "freed COUNT", "kept COUNT", in the form of record_memory.c. A free
 * has no stack, and counts for the latest earlier allocation at the same
 * address. The times of two threads may be equal, or reversed by the clock's
 * error. In this case the number of allocations at the address decides.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/capture.h>

struct range {
	uint64_t begin, end;
	int32_t pid;
};

struct event {
	uint64_t address;
	int64_t time, size;
	int32_t pid;
	int is_from_program; /* called from PROGRAM's code */
};

static struct range ranges[1024];
static size_t n_ranges;
static struct event *events;
static size_t n_events, room;

static int is_in_program(int32_t pid, uint64_t address)
{
	for (size_t i = 0; i < n_ranges; i++)
		if (ranges[i].pid == pid && ranges[i].begin <= address &&
		    address < ranges[i].end)
			return 1;
	return 0;
}

static void take(const struct syscap_reader *reader,
                 const struct syscap_frame *frame)
{
	struct event *event;
	uint64_t address;

	if (n_events == room) {
		room = room == 0 ? 65536 : 2 * room;
		events = realloc(events, room * sizeof(*events));
		if (events == NULL)
			abort();
	}
	event = &events[n_events++];
	event->address = frame->allocation.addr;
	event->size = frame->allocation.size;
	event->time = frame->time;
	event->pid = frame->pid;
	event->is_from_program =
		event->size > 0 && frame->allocation.n_addrs > 0 &&
		syscap_frame_addr(reader, frame, 0, &address) &&
		is_in_program(frame->pid, address);
}

/* Orders events by block, then by time. */
static int compare(const void *left, const void *right)
{
	const struct event *const a = left, *const b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->time < b->time ? -1 : a->time > b->time;
}

int main(int argc, char **argv)
{
	unsigned long long allocated = 0, bytes = 0, freed = 0, kept = 0;
	struct syscap_reader *reader;
	struct syscap_frame frame;
	struct syscap_error error;

	if (argc != 3 || syscap_reader_open(argv[1], &reader, &error) != 0)
		return 2;
	while (syscap_reader_next(reader, &frame, &error) > 0) {
		if (frame.type == SYSCAP_FRAME_ALLOCATION)
			take(reader, &frame);
		else if (frame.type == SYSCAP_FRAME_MAP &&
		         strcmp(frame.map.filename, argv[2]) == 0 &&
		         n_ranges < 1024)
			ranges[n_ranges++] =
				(struct range){ frame.map.start, frame.map.end,
				                frame.pid };
	}
	qsort(events, n_events, sizeof(*events), compare);
	for (size_t i = 0; i < n_events;) {
		unsigned long long ours = 0, frees = 0, others = 0;
		const size_t first = i;

		for (; i < n_events && events[i].pid == events[first].pid &&
		       events[i].address == events[first].address;
		     i++) {
			ours += (unsigned long long)events[i].is_from_program;
			others += !events[i].is_from_program &&
			          events[i].size > 0;
			frees += events[i].size == 0;
			if (events[i].is_from_program) {
				allocated++;
				bytes += (unsigned long long)events[i].size;
			}
		}
		/* Libraries may have used the address, too. The threads have
		 * freed their blocks, unless the last block is a library's
		 * block */
		const struct event *last = &events[i - 1];
		while (last > &events[first] && last->size == 0)
			last--;
		const unsigned long long left =
			ours + others > frees ? ours + others - frees : 0;
		if (left > 1)
			fprintf(stderr, "%llu blocks at one address\n", left);
		kept += left == 1 && last->is_from_program;
	}
	freed = allocated - kept;
	printf("allocated %llu %llu\nfreed %llu\nkept %llu\n", allocated, bytes,
	       freed, kept);
	syscap_reader_close(reader);
	return 0;
}
