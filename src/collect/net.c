/* SPDX-License-Identifier: BSD-2-Clause */
/* net.c - bytes through each network interface, and all of them; counted up.
 * Those of the recorder's own network namespace. */
#include <inttypes.h>
#include <stdio.h>

#include "collect/lines.h"
#include "collect/source.h"

struct interface {
	char name[32]; /* "": all */
	uint32_t received_id, sent_id;
};

struct net {
	struct syc_kept_file file;
	struct interface all;
	SYC_ARRAY(struct interface) each;
};

static void set_bytes(struct interface *interface, struct syc_reading *reading,
                      int64_t received, int64_t sent)
{
	const bool is_all = interface->name[0] == '\0';
	char rx[64] = "RX Bytes", tx[64] = "TX Bytes";

	if (interface->received_id == 0) {
		struct syc_reading_counter counter = {
			.category = "Network",
			.name = rx,
			.description = is_all ? "Combined" : interface->name,
		};

		if (!is_all) {
			snprintf(rx, sizeof(rx), "RX Bytes (%s)",
			         interface->name);
			snprintf(tx, sizeof(tx), "TX Bytes (%s)",
			         interface->name);
		}
		interface->received_id = syc_reading_define(reading, &counter);
		counter.name = tx;
		interface->sent_id = syc_reading_define(reading, &counter);
	}
	syc_reading_set(reading, interface->received_id, received);
	syc_reading_set(reading, interface->sent_id, sent);
}

static struct interface *find_interface(struct net *net, const char *name)
{
	struct interface interface = { 0 };

	for (size_t i = 0; i < net->each.n; i++)
		if (strcmp(net->each.items[i].name, name) == 0)
			return &net->each.items[i];
	snprintf(interface.name, sizeof(interface.name), "%s", name);
	if (syc_array_push(&net->each, interface) < 0)
		return NULL;
	return &net->each.items[net->each.n - 1];
}

static void read_net(void *state, struct syc_reading *reading)
{
	struct net *const net = state;
	int64_t all_received = 0, all_sent = 0, received, sent;
	struct interface *interface;
	char name[32];
	const char *line;

	if (!syc_kept_file_read(&net->file, reading->options->root,
	                        "/proc/net/dev"))
		return;
	for (line = net->file.text; line != NULL; line = syc_lines_next(line)) {
		/* Two lines of headings have no such numbers */
		if (sscanf(line,
		           " %31[^: \n]: %" SCNd64
		           " %*u %*u %*u %*u %*u %*u %*u %" SCNd64,
		           name, &received, &sent) != 3)
			continue;
		all_received += received;
		all_sent += sent;
		interface = find_interface(net, name);
		if (interface != NULL &&
		    (interface->received_id != 0 || received != 0 || sent != 0))
			set_bytes(interface, reading, received, sent);
	}
	set_bytes(&net->all, reading, all_received, all_sent);
}

static void fini_net(void *state)
{
	struct net *const net = state;

	syc_kept_file_close(&net->file);
	free(net->each.items);
}

const struct syc_counter_source syc_source_net = {
	.name = "net",
	.size = sizeof(struct net),
	.read = read_net,
	.fini = fini_net,
};
