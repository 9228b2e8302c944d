/* SPDX-License-Identifier: BSD-2-Clause */
/* line_layout.h - sizes in a table of lines, for those who read and make it. */
#ifndef SYC_CAPTURE_LINE_LAYOUT_H
#define SYC_CAPTURE_LINE_LAYOUT_H

#define SYC_LINE_MAGIC   "syclines"
#define SYC_LINE_VERSION 1u

#define SYC_LINE_HEADER 32u
#define SYC_LINE_BINARY 16u
#define SYC_LINE_PLACE  16u
#define SYC_LINE_FRAME  12u

#endif
