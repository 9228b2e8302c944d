/* SPDX-License-Identifier: BSD-2-Clause */
/* autostart.h - what the environment asks of the sampler, when it is loaded. */
#ifndef SYC_SAMPLE_AUTOSTART_H
#define SYC_SAMPLE_AUTOSTART_H

/**
 * Do what SYSCAP_SAMPLE and SYSCAP_TOGGLE_SIGNAL ask for.  Once, after
 * syc_setup_run(): without a recording there is nothing to put samples into
 * yet, but there may be one later.
 *
 * Context: setup.
 */
void syc_autostart(void);

#endif
