/* SPDX-License-Identifier: BSD-2-Clause */
/* net.c - bytes through each network interface, and all of them; counted up.
 * Those of the reader's own network namespace. */
#include "base/text.h"
#include "collect/lines.h"
#include "collect/source.h"

#define INTERFACES_MAX 4096u

struct interface {
	char name[32]; /* "": all */
	uint32_t received_id, sent_id;
};

struct net {
	struct syc_kept_file file;
	struct interface all;
	unsigned n;
	struct interface each[INTERFACES_MAX];
};

static uint32_t define_for(struct syc_reading *reading, const char *what,
                           const char *interface)
{
	char name[64];
	struct syc_text text = syc_text_begin(name, sizeof(name));
	const bool is_all = *interface == '\0';

	syc_text_add(&text, what);
	if (!is_all) {
		syc_text_add(&text, " (");
		syc_text_add(&text, interface);
		syc_text_add(&text, ")");
	}
	return syc_reading_define(
		reading, &(struct syc_reading_counter){
				 .category = "Network",
				 .name = name,
				 .description = is_all ? "Combined" : interface,
			 });
}

static void set_bytes(struct interface *interface, struct syc_reading *reading,
                      int64_t received, int64_t sent)
{
	if (interface->received_id == 0) {
		interface->received_id =
			define_for(reading, "RX Bytes", interface->name);
		interface->sent_id =
			define_for(reading, "TX Bytes", interface->name);
	}
	syc_reading_set(reading, interface->received_id, received);
	syc_reading_set(reading, interface->sent_id, sent);
}

static struct interface *find_interface(struct net *net, const char *name)
{
	struct interface *interface;

	for (unsigned i = 0; i < net->n; i++)
		if (strcmp(net->each[i].name, name) == 0)
			return &net->each[i];
	if (net->n == INTERFACES_MAX)
		return NULL;
	interface = &net->each[net->n++];
	syc_text_field(interface->name, sizeof(interface->name), name);
	return interface;
}

/* "NAME: RECEIVED seven more SENT ..."; two lines of headings have no such
 * numbers. */
static bool parse_interface(const char *line, char name[32], int64_t *received,
                            int64_t *sent)
{
	line = syc_lines_word(line, ':', name, 32);
	if (line == NULL || *line != ':')
		return false;
	line = syc_lines_take(line + 1, received);
	return syc_lines_take(syc_lines_skip(line, 7), sent) != NULL;
}

static void read_net(void *state, struct syc_reading *reading)
{
	struct net *const net = state;
	int64_t all_received = 0, all_sent = 0, received, sent;
	struct interface *interface;
	char name[32];
	const char *line =
		syc_reading_file(reading, &net->file, "/proc/net/dev");

	if (line == NULL)
		return;
	for (; line != NULL; line = syc_lines_next(line)) {
		if (!parse_interface(line, name, &received, &sent))
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
	syc_kept_file_close(&((struct net *)state)->file);
}

const struct syc_counter_source syc_source_net = {
	.size = sizeof(struct net),
	.read = read_net,
	.fini = fini_net,
};
