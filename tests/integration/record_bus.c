/* SPDX-License-Identifier: BSD-2-Clause */
/* record_bus.c NAME - emits three marks with this name. */
#include <syscap.h>

int main(int argc, char **argv)
{
	for (int i = 0; argc == 2 && i < 3; i++)
		syscap_mark("bus", argv[1], syscap_clock(), 0, NULL);
	return 0;
}
