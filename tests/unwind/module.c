/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module.c - library that tests load, walk through and unload.
 *
 * The library is built with several sizes FRAME.  Each of these modules has the
 * same functions at the same offsets, but frames of other sizes.  So unwind
 * rules of one module are wrong for another module at the same address.
 */
#ifndef FRAME
#define FRAME 64
#endif

extern int getppid(void);
void module_call(void (*call)(void));
unsigned module_first_call(void);

__attribute__((noinline)) void module_call(void (*call)(void))
{
	volatile char bytes[FRAME];

	bytes[FRAME / 2] = 1;
	call();
	bytes[FRAME / 2] = 2;
}

/* The first run of this function goes through the dynamic linker. */
unsigned module_first_call(void)
{
	return (unsigned)getppid() + 1;
}
