/* SPDX-License-Identifier: BSD-2-Clause */
/* test_counters.c - counters from a /proc and a /sys of the test. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <syscap/capture.h>

#include "capture/writer.h"
#include "collect/counters.h"
#include "harness/test.h"

#define PID    4711
#define SECOND INT64_C(1000000000)

static char root[] = "/tmp/test_counters.XXXXXX";
static char capture[64];
static struct syc_writer *writer;
static struct syc_counter_groups *counters;
static struct syc_counters_options options;
static uint32_t last_id;
static int64_t now = 5 * SECOND;

static uint32_t give_id(void *context)
{
	(void)context;
	return ++last_id;
}

static bool write_frame(void *context, const void *frame, uint32_t len)
{
	(void)context;
	CHECK(len <= 8192);
	syc_writer_add(writer, frame);
	return true;
}

/* The index of the group @name. */
static unsigned group(const char *name)
{
	struct syc_asked asked;
	size_t len;

	CHECK(syc_asked_read(name, &asked, &len) == NULL);
	return asked.groups;
}

static void begin(const char *name)
{
	struct syscap_error error;

	CHECK(mkdtemp(root) != NULL);
	snprintf(capture, sizeof(capture), "%s.syscap", root);
	CHECK_EQ(syc_writer_open(capture, false, &writer, &error), 0);
	CHECK_EQ(syc_writer_begin(writer, now, &error), 0);
	options = (struct syc_counters_options){
		.groups = group(name),
		.root = root,
		.keeps_files = true,
		.pid = PID,
		.process = "4711",
		.emit = write_frame,
		.new_id = give_id,
	};
	counters = syc_counters_new(&options);
	CHECK(counters != NULL);
}

/* Overwrites a file in place, like the kernel: an open fd reads the new
 * text. */
__attribute__((format(printf, 2, 3))) static void put(const char *path,
                                                      const char *format, ...)
{
	char whole[256];
	va_list args;
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	for (char *at = whole + strlen(root) + 1;
	     (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		mkdir(whole, 0700);
		*at = '/';
	}
	file = fopen(whole, "w");
	CHECK(file != NULL);
	va_start(args, format);
	vfprintf(file, format, args);
	va_end(args);
	CHECK_EQ(fclose(file), 0);
}

static void take(int64_t after)
{
	now += after;
	syc_counters_read(counters, now);
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void take_away(const char *path)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	CHECK_EQ(nftw(whole, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void finish(void)
{
	syc_counters_free(counters);
	CHECK_EQ(syc_writer_finish(writer, now), 0);
	syc_writer_close(writer);
	CHECK_EQ(unlink(capture), 0);
	take_away("");
}

struct values {
	unsigned n, ids;
	int32_t pid;
	uint32_t id;
	bool is_double, is_early; /* a value came before its definition */
	double all[16];
};

static void see_definition(const struct syscap_reader *reader,
                           const struct syscap_frame *frame,
                           const char *category, const char *name,
                           struct values *values)
{
	struct syscap_counter_info info;

	for (unsigned i = 0; i < frame->ctrdef.n_counters; i++) {
		CHECK(syscap_frame_counter(reader, frame, i, &info));
		if (strcmp(info.category, category) != 0 ||
		    strcmp(info.name, name) != 0)
			continue;
		values->ids++;
		values->id = info.id;
		values->is_double = info.is_double;
		values->pid = frame->pid;
	}
}

static void see_values(const struct syscap_reader *reader,
                       const struct syscap_frame *frame, struct values *values)
{
	uint64_t bits;
	uint32_t id;
	double value;

	for (unsigned i = 0; i < frame->ctrset.n_values; i++) {
		CHECK(syscap_frame_value(reader, frame, i, &id, &bits));
		if (id != values->id || id == 0)
			continue;
		memcpy(&value, &bits, sizeof(value));
		if (!values->is_double)
			value = (double)(int64_t)bits;
		CHECK_EQ(frame->pid, values->pid);
		CHECK(values->n < 16);
		values->all[values->n++] = value;
	}
}

static struct values read_back(const char *category, const char *name)
{
	struct syscap_reader *reader;
	struct values values = { 0 };
	struct syscap_frame frame;
	struct syscap_error error;
	int r;

	CHECK_EQ(syc_writer_flush(writer), 0);
	CHECK_EQ(syscap_reader_open(capture, &reader, &error), 0);
	while ((r = syscap_reader_next(reader, &frame, &error)) > 0) {
		if (frame.type == SYSCAP_FRAME_CTRDEF)
			see_definition(reader, &frame, category, name, &values);
		else if (frame.type == SYSCAP_FRAME_CTRSET)
			see_values(reader, &frame, &values);
	}
	CHECK_EQ(r, 0);
	syscap_reader_close(reader);
	CHECK(values.ids <= 1);
	return values;
}

/* Checks that exactly @n values came, one per reading. */
#define CHECK_VALUES(category, name, ...)                              \
	do {                                                           \
		const double wanted[] = { __VA_ARGS__ };               \
		const struct values got = read_back(category, name);   \
		CHECK_EQ(got.n, sizeof(wanted) / sizeof(wanted[0]));   \
		for (unsigned i_ = 0; i_ < got.n; i_++)                \
			CHECK_EQ(got.all[i_] * 1e6, wanted[i_] * 1e6); \
	} while (0)

TEST(processors_are_as_busy_as_their_ticks_say)
{
	begin("cpu");
	put("/proc/stat", "cpu  100 0 0 300 0 0 0 0 0 0\n"
	                  "cpu0 50 0 0 150 0 0 0 0 0 0\n"
	                  "cpu1 50 0 0 150 0 0 0 0 0 0\nintr 9 8 7\n");
	take(0);
	/* 10 of 40 ticks; disk waits are idle, stolen time is busy */
	put("/proc/stat", "cpu  105 1 1 325 5 1 1 1 7 7\n"
	                  "cpu0 60 0 0 160 0 0 0 0 0 0\n"
	                  "cpu1 50 0 0 170 0 0 0 0 0 0\nintr 9 8 7\n");
	take(SECOND);
	CHECK_VALUES("CPU Percent", "Combined", 25);
	CHECK_VALUES("CPU Percent", "Total CPU 0", 50);
	CHECK_VALUES("CPU Percent", "Total CPU 1", 0);
	CHECK(read_back("CPU Percent", "Combined").is_double);
	CHECK_EQ(read_back("CPU Percent", "Combined").pid, -1);
	finish();
}

TEST(no_tick_leaves_the_percentage)
{
	begin("cpu");
	put("/proc/stat", "cpu  100 0 0 300 0 0 0 0\n");
	take(0);
	take(SECOND);
	/* Idle times went back */
	put("/proc/stat", "cpu  100 0 0 298 0 0 0 0\n");
	take(SECOND);
	put("/proc/stat", "cpu  101 0 0 303 0 0 0 0\n");
	take(SECOND);
	CHECK_VALUES("CPU Percent", "Combined", 25);
	finish();
}

TEST(processors_come_and_go)
{
	begin("cpu");
	put("/proc/stat", "cpu  1 0 0 1 0 0 0 0\ncpu2 1 0 0 1 0 0 0 0\n");
	take(0);
	put("/proc/stat", "cpu  2 0 0 2 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0\n");
	take(SECOND);
	put("/proc/stat", "cpu  3 0 0 2 0 0 0 0\ncpu0 2 0 0 1 0 0 0 0\n"
	                  "cpu2 1 0 0 2 0 0 0 0\n");
	take(SECOND);
	CHECK_VALUES("CPU Percent", "Total CPU 0", 100);
	CHECK_VALUES("CPU Percent", "Total CPU 2", 0);
	CHECK_EQ(read_back("CPU Percent", "Total CPU 1").ids, 0);
	finish();
}

TEST(frequencies_are_percent_of_the_highest)
{
	begin("cpu");
	put("/proc/stat", "cpu  1 0 0 1 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0\n");
	put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq",
	    "4000000\n");
	put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
	    "3000000\n");
	take(0);
	put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
	    "800000\n");
	take(SECOND);
	CHECK_VALUES("CPU Frequency", "CPU 0", 75, 20);
	finish();
}

TEST(thousand_processors_are_all_reported)
{
	char text[65536];
	size_t n = 0;

	begin("cpu");
	for (unsigned round = 0; round < 2; round++) {
		n = (size_t)sprintf(text, "cpu  %u 0 0 0 0 0 0 0\n", round);
		for (unsigned i = 0; i < 1000; i++)
			n += (size_t)sprintf(text + n,
			                     "cpu%u %u 0 0 %u 0 0 0 0\n", i,
			                     round, round * (i == 999));
		put("/proc/stat", "%s", text);
		take(SECOND);
	}
	CHECK_VALUES("CPU Percent", "Total CPU 0", 100);
	CHECK_VALUES("CPU Percent", "Total CPU 500", 100);
	CHECK_VALUES("CPU Percent", "Total CPU 999", 50);
	finish();
}

TEST(memory_in_use_excludes_available_memory)
{
	begin("memory");
	put("/proc/meminfo", "MemTotal:     1000 kB\nMemFree:     1 kB\n"
	                     "MemAvailable:  400 kB\nCached:    7 kB\n"
	                     "SwapTotal:  20 kB\nSwapFree:  15 kB\n");
	take(0);
	CHECK_VALUES("Memory", "Used", 600 * 1024);
	CHECK_VALUES("Memory", "Cached", 7 * 1024);
	CHECK_VALUES("Memory", "Swapped", 5 * 1024);
	finish();
}

static void put_process(char state, unsigned long minor, unsigned long pages)
{
	put("/proc/4711/stat",
	    "4711 (a) R 9) %c 1 1 1 0 -1 0 %lu 5 3 9 1 1 1 1 20 0 6 0 100 "
	    "1000 %lu 1 1 1\n",
	    state, minor, pages);
}

TEST(process_counters_end_with_the_process)
{
	begin("memory");
	put_process('S', 77, 3);
	take(0);
	put_process('S', 78, 4);
	take(SECOND);
	put_process('Z', 79, 0);
	take(SECOND);
	take_away("/proc/4711");
	take(SECOND);
	CHECK_VALUES("Process", "Minor Faults", 77, 78);
	CHECK_VALUES("Process", "Major Faults", 3, 3);
	CHECK_VALUES("Process", "Resident", 3.0 * (double)getpagesize(),
	             4.0 * (double)getpagesize());
	CHECK_EQ(read_back("Process", "Resident").pid, PID);
	finish();
}

TEST(sum_of_disks_is_of_hardware_only)
{
	static const char line[] =
		"  8  0 sda %u 0 %u 0 %u 0 %u 0 0 0 0 0 0 0 0 0 0\n"
		"  8  1 sda1 9 0 9 0 9 0 9 0 0 0 0 0 0 0 0 0 0\n"
		"253  0 dm-0 %u 0 8 0 5 0 8 0 0 0 0 0 0 0 0 0 0\n"
		"  7  0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

	begin("disk");
	put("/sys/block/sda/device/x", "1");
	put("/sys/block/dm-0/size", "1");
	put("/sys/block/loop0/size", "1");
	put("/proc/diskstats", line, 10u, 100u, 20u, 200u, 4u);
	take(0);
	put("/proc/diskstats", line, 13u, 108u, 20u, 201u, 6u);
	take(SECOND);
	CHECK_VALUES("Disk", "Total Reads (sda)", 3);
	CHECK_VALUES("Disk", "Total Writes (sda)", 0);
	CHECK_VALUES("Disk", "Total Reads (dm-0)", 2);
	CHECK_VALUES("Disk", "Total Reads (Combined)", 3);
	CHECK_VALUES("Disk Bytes", "Read (sda)", 51200, 55296);
	CHECK_VALUES("Disk Bytes", "Written (Combined)", 102400, 102912);
	CHECK_EQ(read_back("Disk", "Total Reads (sda1)").ids, 0);
	CHECK_EQ(read_back("Disk", "Total Reads (loop0)").ids, 0);
	finish();
}

TEST(interfaces_are_counted_from_when_they_are_there)
{
	static const char head[] =
		"Inter-|   Receive                           |  Transmit\n"
		" face |bytes    packets errs drop fifo frame compressed "
		"multicast|bytes    packets\n";

	begin("net");
	put("/proc/net/dev",
	    "%s    lo: 100 1 0 0 0 0 0 0 200 1 0 0 0 0 0 0\n"
	    "ifb0:       0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
	    head);
	take(0);
	put("/proc/net/dev",
	    "%s  eth0:1000 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0\n"
	    "    lo: 101 1 0 0 0 0 0 0 202 1 0 0 0 0 0 0\n",
	    head);
	take(SECOND);
	CHECK_VALUES("Network", "RX Bytes", 100, 1101);
	CHECK_VALUES("Network", "TX Bytes", 200, 207);
	CHECK_VALUES("Network", "RX Bytes (lo)", 100, 101);
	CHECK_VALUES("Network", "TX Bytes (eth0)", 5);
	CHECK_EQ(read_back("Network", "RX Bytes (ifb0)").ids, 0);
	finish();
}

TEST(energy_is_watts_across_a_wrap_around)
{
	begin("energy");
	put("/sys/class/powercap/intel-rapl:0/name", "package-0\n");
	put("/sys/class/powercap/intel-rapl:0/max_energy_range_uj",
	    "100000000\n");
	put("/sys/class/powercap/intel-rapl:0/energy_uj", "90000000\n");
	put("/sys/class/powercap/intel-rapl:0:0/name", "core\n");
	put("/sys/class/powercap/intel-rapl:0:0/energy_uj", "1\n");
	put("/sys/class/powercap/intel-rapl:1/name", "package-1\n");
	take(0);
	put("/sys/class/powercap/intel-rapl:0/energy_uj", "96000000\n");
	put("/sys/class/powercap/intel-rapl:0:0/energy_uj", "3000001\n");
	take(2 * SECOND);
	put("/sys/class/powercap/intel-rapl:0/energy_uj", "1000000\n");
	take(SECOND);
	CHECK_VALUES("RAPL", "package-0", 3, 5);
	CHECK_VALUES("RAPL", "package-0 core", 1.5, 0);
	CHECK_EQ(read_back("RAPL", "package-1").ids, 0);
	CHECK_EQ(syc_counters_empty(counters), 0);
	finish();
}

TEST(batteries_are_counted_and_mice_are_not_mains)
{
	begin("battery");
	put("/sys/class/power_supply/AC/type", "Mains\n");
	put("/sys/class/power_supply/BAT0/type", "Battery\n");
	put("/sys/class/power_supply/BAT0/charge_now", "3000000\n");
	put("/sys/class/power_supply/BAT1/type", "Battery\n");
	put("/sys/class/power_supply/BAT1/charge_now", "500000\n");
	take(0);
	put("/sys/class/power_supply/BAT0/charge_now", "2900000\n");
	take(SECOND);
	CHECK_VALUES("Battery Charge", "BAT0", 3000000, 2900000);
	CHECK_VALUES("Battery Charge", "Combined", 3500000, 3400000);
	CHECK_EQ(read_back("Battery Charge", "AC").ids, 0);
	finish();
}

TEST(pressure_is_percent_of_the_time_between_two_readings)
{
	static const char line[] =
		"some avg10=1.00 avg60=1.00 avg300=1.00 total=%u\n"
		"full avg10=0.00 avg60=0.00 avg300=0.00 total=%u\n";

	begin("psi");
	put("/proc/pressure/cpu", line, 1000u, 0u);
	put("/proc/pressure/io", line, 5u, 6u);
	take(0);
	put("/proc/pressure/cpu", line, 26000u, 0u);
	put("/proc/pressure/io", line, 5u, 10006u);
	take(SECOND / 10);
	CHECK_VALUES("Pressure", "CPU (some)", 25);
	CHECK_VALUES("Pressure", "IO (some)", 0);
	CHECK_VALUES("Pressure", "IO (full)", 10);
	CHECK_EQ(read_back("Pressure", "Memory (full)").ids, 0);
	finish();
}

TEST(switches_and_threads_are_counted)
{
	begin("sched");
	put("/proc/stat", "cpu  1 0 0 1 0 0 0 0\nintr 1 2 3\nctxt 900\n"
	                  "btime 1\nprocesses 70\nprocs_running 2\n"
	                  "procs_blocked 1\n");
	put_process('R', 1, 1);
	take(0);
	CHECK_VALUES("Scheduler", "Context Switches", 900);
	CHECK_VALUES("Scheduler", "Forks", 70);
	CHECK_VALUES("Scheduler", "Running", 2);
	CHECK_VALUES("Scheduler", "Blocked", 1);
	CHECK_VALUES("Process", "Threads", 6);
	finish();
}

/* Number of open fds. */
static unsigned count_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

TEST(no_descriptor_stays_open_without_permission)
{
	unsigned before;

	begin("sched");
	put("/proc/stat", "cpu  1 0 0 1 0 0 0 0\nctxt 900\n");
	put_process('R', 1, 1);
	options.keeps_files = false;
	syc_counters_free(counters);
	counters = syc_counters_new(&options);
	before = count_descriptors();
	take(0);
	put("/proc/stat", "cpu  1 0 0 1 0 0 0 0\nctxt 907\n");
	take(SECOND);
	CHECK_EQ(count_descriptors(), before);
	CHECK_VALUES("Scheduler", "Context Switches", 900, 907);
	finish();
}

TEST(missing_group_is_reported)
{
	begin("battery");
	take(0);
	take(SECOND);
	CHECK_EQ(syc_counters_empty(counters), group("battery"));
	finish();
}

TEST(files_with_nonsense_are_no_counters)
{
	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++) {
		last_id = 0;
		strcpy(root + strlen(root) - 6, "XXXXXX");
		char name[SYC_ASKED_TEXT];

		syc_asked_names(1u << i, ",", name);
		begin(name);
		put("/proc/stat", "cpu\ncpu0 1 2\ncpu99999999 1 1 1 1 1 1 1 1\n"
		                  "cpux\nctxt x\n");
		put("/proc/meminfo", "MemTotal:\nMemAvailable: x");
		put("/proc/diskstats", "a b c\n\n8 0\n");
		put("/proc/net/dev", "lo\n:::\n lo: 1 2 3\n");
		put("/proc/pressure/cpu", "some total\nfull total=x");
		put("/proc/pressure/io", "%s", "");
		put("/proc/4711/stat", "4711 (x S 1");
		put("/sys/class/powercap/intel-rapl:0/energy_uj", "x\n");
		put("/sys/class/power_supply/BAT0/type", "Battery\n");
		put("/sys/class/power_supply/BAT0/charge_now", "\n");
		take(0);
		take(SECOND);
		CHECK_EQ(syc_writer_flush(writer), 0);
		CHECK_EQ(read_back("Memory", "Used").n, 0);
		CHECK_EQ(read_back("Disk", "Total Reads (8)").n, 0);
		CHECK_EQ(read_back("RAPL", "intel-rapl:0").n, 0);
		finish();
	}
}

TEST(without_ids_there_are_no_values)
{
	begin("memory");
	last_id = UINT32_MAX; /* the next id is 0 */
	put("/proc/meminfo", "MemTotal: 10 kB\nMemAvailable: 5 kB\n");
	take(0);
	CHECK_EQ(read_back("Memory", "Used").ids, 0);
	finish();
}

TEST(the_machine_is_described_by_files)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	struct syscap_error error;
	unsigned found = 0;

	begin("cpu");
	put("/proc/cpuinfo", "model name\t: It\n");
	put("/proc/4711/mountinfo", "1 0 8:1 / / rw - ext4 /dev/x rw\n");
	syc_counters_embed(counters, now);
	CHECK_EQ(syc_writer_flush(writer), 0);
	CHECK_EQ(syscap_reader_open(capture, &reader, &error), 0);
	while (syscap_reader_next(reader, &frame, &error) > 0) {
		if (frame.type != SYSCAP_FRAME_FILE_CHUNK)
			continue;
		found++;
		if (strcmp(frame.file_chunk.path, "/proc/cpuinfo") == 0)
			CHECK_EQ(memcmp(frame.bytes + SYSCAP_FILE_CHUNK_FIXED,
			                "model name\t: It\n", 16),
			         0);
	}
	syscap_reader_close(reader);
	CHECK_EQ(found, 2);
	finish();
}
