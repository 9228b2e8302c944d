/* SPDX-License-Identifier: BSD-2-Clause */
/* function_name.h - what a function is called in every build. */
#ifndef SYC_COMPARE_FUNCTION_NAME_H
#define SYC_COMPARE_FUNCTION_NAME_H

/**
 * Take out of @name, where it is, what compilers append: .isra.0, .cold,
 * " [clone .part.1]", the hashes of Rust.
 */
void syc_function_name_strip(char *name);

#endif
