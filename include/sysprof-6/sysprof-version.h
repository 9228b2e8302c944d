/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-version.h - release of the interface.
 *
 * The numbers are those of the interface, not of syscap.  Release 51 has every
 * function that a known caller uses.  <syscap.h> has syscap's version.
 */
#ifndef SYSPROF_VERSION_H
#define SYSPROF_VERSION_H

/* The parentheses are necessary: build systems look for this exact text. */
#define SYSPROF_MAJOR_VERSION (51)
#define SYSPROF_MINOR_VERSION (0)
#define SYSPROF_MICRO_VERSION (0)

#define SYSPROF_VERSION   (51.0)
#define SYSPROF_VERSION_S "51.0"

#define SYSPROF_ENCODE_VERSION(major, minor, micro) \
	((major) << 24 | (minor) << 16 | (micro) << 8)

#define SYSPROF_VERSION_HEX                                                   \
	(SYSPROF_ENCODE_VERSION(SYSPROF_MAJOR_VERSION, SYSPROF_MINOR_VERSION, \
	                        SYSPROF_MICRO_VERSION))

/** Evaluates to true if the interface is @major.@minor.@micro or later. */
#define SYSPROF_CHECK_VERSION(major, minor, micro) \
	(SYSPROF_VERSION_HEX >=                    \
	 SYSPROF_ENCODE_VERSION((major), (minor), (micro)))

#endif
