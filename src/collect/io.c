/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io.c - transfers of disks and network interfaces.
 *
 * "Total Reads" counts the reads since the last reading, as in Sysprof; bytes
 * are counted up.  Partitions, and devices without any transfer, are omitted.
 * The sum includes hardware only, because transfers of higher layers (LVM,
 * RAID, loops) would count twice.
 */
#include <sys/stat.h>

#include "base/text.h"
#include "collect/reading.h"

#define SECTOR    512
#define DISKS_MAX 1024u

struct work {
	int64_t reads, writes, bytes_read, bytes_written;
};

struct disk {
	char name[32];
	bool is_whole, is_hardware, has_work;
	struct work work;
	uint32_t reads_id, writes_id, read_id, written_id;
};

struct disks {
	struct syc_kept_file stats;
	struct disk all;
	unsigned n;
	struct disk each[DISKS_MAX];
};

static bool has_file(const struct syc_reading *reading, const char *name,
                     const char *file)
{
	char path[SYC_PATH_MAX];
	struct stat st;

	return syc_path_make(path, (const char *[]){ reading->options->root,
	                                             "/sys/block/", name, file,
	                                             NULL }) &&
	       stat(path, &st) == 0;
}

static struct disk *find_disk(struct disks *disks, const char *name,
                              const struct syc_reading *reading)
{
	struct disk *disk;

	for (unsigned i = 0; i < disks->n; i++)
		if (strcmp(disks->each[i].name, name) == 0)
			return &disks->each[i];
	if (disks->n == DISKS_MAX)
		return NULL;
	disk = &disks->each[disks->n++];
	syc_text_field(disk->name, sizeof(disk->name), name);
	disk->is_whole = has_file(reading, name, "");
	disk->is_hardware = has_file(reading, name, "/device");
	return disk;
}

static uint32_t define_counter(struct syc_reading *reading,
                               const char *category, const char *what,
                               const char *disk)
{
	char name[64];
	struct syc_text text = syc_text_begin(name, sizeof(name));

	syc_text_add(&text, what);
	syc_text_add(&text, " (");
	syc_text_add(&text, disk);
	syc_text_add(&text, ")");
	return syc_reading_define(
		reading, &(struct syc_reading_counter){ .category = category,
	                                                .name = name,
	                                                .description = disk });
}

static void set_work(struct disk *disk, const struct work *now,
                     struct syc_reading *reading)
{
	if (disk->reads_id == 0) {
		disk->reads_id = define_counter(reading, "Disk", "Total Reads",
		                                disk->name);
		disk->writes_id = define_counter(reading, "Disk",
		                                 "Total Writes", disk->name);
		disk->read_id = define_counter(reading, "Disk Bytes", "Read",
		                               disk->name);
		disk->written_id = define_counter(reading, "Disk Bytes",
		                                  "Written", disk->name);
	}
	/* The first reading has no earlier reading to compare with */
	if (disk->has_work) {
		syc_reading_set(reading, disk->reads_id,
		                now->reads - disk->work.reads);
		syc_reading_set(reading, disk->writes_id,
		                now->writes - disk->work.writes);
	}
	syc_reading_set(reading, disk->read_id, now->bytes_read);
	syc_reading_set(reading, disk->written_id, now->bytes_written);
	disk->work = *now;
	disk->has_work = true;
}

/* "8 0 sda READS MERGED SECTORS MS WRITES MERGED SECTORS MS ..." */
static bool parse_disk(const char *line, char name[32], struct work *work)
{
	line = syc_lines_word(syc_lines_skip(line, 2), ' ', name, 32);
	line = syc_lines_take(line, &work->reads);
	line = syc_lines_take(syc_lines_skip(line, 1), &work->bytes_read);
	line = syc_lines_take(syc_lines_skip(line, 1), &work->writes);
	line = syc_lines_take(syc_lines_skip(line, 1), &work->bytes_written);
	work->bytes_read *= SECTOR;
	work->bytes_written *= SECTOR;
	return line != NULL;
}

static void take_disk(struct disks *disks, const char *line,
                      struct syc_reading *reading, struct work *sum)
{
	struct work now = { 0 };
	struct disk *disk;
	char name[32];

	if (!parse_disk(line, name, &now))
		return;
	disk = find_disk(disks, name, reading);
	if (disk == NULL || !disk->is_whole)
		return;
	if (disk->is_hardware) {
		sum->reads += now.reads;
		sum->writes += now.writes;
		sum->bytes_read += now.bytes_read;
		sum->bytes_written += now.bytes_written;
	}
	if (disk->has_work || now.reads != 0 || now.writes != 0)
		set_work(disk, &now, reading);
}

static void read_disks(void *state, struct syc_reading *reading)
{
	struct disks *const disks = state;
	struct work sum = { 0 };
	const char *line =
		syc_reading_file(reading, &disks->stats, "/proc/diskstats");

	if (line == NULL)
		return;
	for (; line != NULL; line = syc_lines_next(line))
		take_disk(disks, line, reading, &sum);
	if (disks->n == 0)
		return;
	syc_text_field(disks->all.name, sizeof(disks->all.name), "Combined");
	set_work(&disks->all, &sum, reading);
}

static void fini_disks(void *state)
{
	syc_kept_file_close(&((struct disks *)state)->stats);
}

const struct syc_counter_source syc_source_disk = {
	.size = sizeof(struct disks),
	.read = read_disks,
	.fini = fini_disks,
};

/*
 * Bytes through each network interface, and through all interfaces, counted up,
 * in the reader's own network namespace.
 */

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

/* "NAME: RECEIVED seven more SENT ..."; two header lines have no such
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
