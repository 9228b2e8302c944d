/* SPDX-License-Identifier: BSD-2-Clause */
/* sample_option.h - the value of --sample. */
#ifndef SYC_CLI_SAMPLE_OPTION_H
#define SYC_CLI_SAMPLE_OPTION_H

/**
 * What $SYSCAP_SAMPLE is to be for "HZ,CLOCK,share=N", of which each part may
 * be absent, NULL being none of them: good until the next call.  NULL, with a message: it is none.
 */
const char *syc_sample_option_read(const char *command, const char *text);

#endif
