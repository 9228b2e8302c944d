/* SPDX-License-Identifier: BSD-2-Clause */
/* record_sample_plugin.h - a library that burns processor time. */
#ifndef SYSCAP_RECORD_SAMPLE_PLUGIN_H
#define SYSCAP_RECORD_SAMPLE_PLUGIN_H

__attribute__((visibility("default"))) void record_sample_plugin(unsigned ms);

#endif
