/* SPDX-License-Identifier: BSD-2-Clause */
/* test_mount_paths.c - paths of files of containers. */
#include <string.h>

#include "harness/test.h"
#include "symbols/module_finder.h"

static struct syc_places *places;

static void begin(const char *root, bool is_live)
{
	CHECK_EQ(syc_places_new(root, is_live, &places), 0);
}

/* Compares all places as one text. */
static void check(int pid, const char *path, const char *wanted)
{
	struct syc_paths paths = { 0 };
	char text[2048] = "";

	CHECK_EQ(syc_places_list(places, pid, path, &paths), 0);
	for (size_t i = 0; i < paths.array.n; i++) {
		strcat(text, i ? " " : "");
		strcat(text, paths.array.items[i]);
	}
	CHECK_STR(text, wanted);
	syc_paths_fini(&paths);
	syc_places_free(places);
}

static void mountinfo(int pid, const char *text)
{
	CHECK_EQ(syc_places_add_mountinfo(places, pid, text, strlen(text)), 0);
}

static void mounts(const char *text)
{
	CHECK_EQ(syc_places_add_mounts(places, text, strlen(text)), 0);
}

TEST(path_outside_containers_is_unchanged)
{
	begin(NULL, false);
	check(7, "/usr/bin/xz", "/usr/bin/xz");
}

TEST(root_precedes_the_path)
{
	begin("/srv/image/", false);
	check(7, "/usr/bin/xz", "/srv/image/usr/bin/xz");
}

TEST(root_of_a_living_process_comes_first)
{
	begin(NULL, true);
	check(7, "/usr/bin/xz", "/proc/7/root/usr/bin/xz /usr/bin/xz");
}

TEST(overlays_are_searched_from_the_lowest_layer_on)
{
	begin("/r", false);
	syc_places_add_overlay(places, 7, 2, "/two", "/app");
	syc_places_add_overlay(places, 7, 1, "/one", "/app");
	syc_places_add_overlay(places, 7, 0, "/none", "/ap");
	syc_places_add_overlay(places, 8, 0, "/other", "/app");
	check(7, "/app/bin/x", "/r/one/bin/x /r/two/bin/x /r/app/bin/x");
}

TEST(an_overlay_file_system_names_its_layers)
{
	begin(NULL, false);
	mountinfo(7, "22 1 0:30 / / rw,relatime shared:1 - overlay overlay "
	             "rw,lowerdir=/l/A:/l/B\\040C,upperdir=/u,workdir=/w\n");
	check(7, "/bin/x", "/u/bin/x /l/A/bin/x /l/B C/bin/x /bin/x");
}

TEST(a_bind_mount_is_found_through_the_machines_mounts)
{
	begin(NULL, false);
	mounts("/dev/sda2 / ext4 rw 0 0\n/dev/sdb1 /var ext4 rw 0 0\n");
	mountinfo(7, "22 1 8:17 /lib/flatpak/app/org.x/files /app ro - ext4 "
	             "/dev/sdb1 rw\n");
	check(7, "/app/bin/x",
	      "/var/lib/flatpak/app/org.x/files/bin/x "
	      "/lib/flatpak/app/org.x/files/bin/x /app/bin/x");
}

TEST(a_subvolume_is_not_a_part_of_the_path)
{
	begin(NULL, false);
	mounts("/dev/sda2 /data btrfs rw,subvolid=257,subvol=/@data 0 0\n");
	mountinfo(7, "22 1 0:17 /@data/me/app /app ro - btrfs /dev/sda2 "
	             "rw,subvol=/@data/me\n");
	check(7, "/app/x",
	      "/data/me/app/x /data/@data/me/app/x /@data/me/app/x /app/x");
}

TEST(the_mount_that_covers_the_others_counts)
{
	begin(NULL, false);
	mountinfo(7, "1 0 8:1 / / rw - ext4 /dev/a rw\n"
	             "2 1 8:2 /old /app rw - ext4 /dev/b rw\n"
	             "3 2 8:3 /new /app rw - ext4 /dev/c rw\n"
	             "4 2 8:4 /not /apple rw - ext4 /dev/d rw\n");
	check(7, "/app/x", "/new/x /app/x");
}

TEST(sandbox_during_setup_has_another_root)
{
	begin(NULL, false);
	check(7, "/newroot/app/x", "/newroot/app/x /app/x");
}

TEST(invalid_lines_are_ignored)
{
	begin(NULL, false);
	mounts("\n \n/dev/a\n/dev/a /\n");
	mountinfo(7, "1 2 3\n1 0 8:1 / / rw\n1 0 8:1 / / rw -\n\\\\\\\n");
	check(7, "/x", "/x");
}
