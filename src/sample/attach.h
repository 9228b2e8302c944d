/* SPDX-License-Identifier: BSD-2-Clause */
/* attach.h - providers come and go. */
#ifndef SYC_SAMPLE_ATTACH_H
#define SYC_SAMPLE_ATTACH_H

#include <stdint.h>

#include <syscap/runtime.h>

/**
 * syscap_attach_thread(), whose own frame ends at @cfa.
 *
 * Context: owner.
 */
struct syscap_attachment *
syc_attach_thread(const struct syscap_provider *provider, void *thread_data,
                  uintptr_t cfa);

#endif
