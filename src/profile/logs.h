/* SPDX-License-Identifier: BSD-2-Clause */
/* logs.h - the lines of logs of a capture; their messages stay in the file. */
#ifndef SYC_PROFILE_LOGS_H
#define SYC_PROFILE_LOGS_H

#include <syscap/profile.h>

#include "data/array.h"
#include "profile/texts.h"

/** All zero is empty. */
struct syc_logs {
	SYC_ARRAY(struct syscap_profile_log) items;
};

void syc_logs_fini(struct syc_logs *logs);

/** 0 or -ENOMEM. */
int syc_logs_add(struct syc_logs *logs, struct syc_texts *texts,
                 const struct syscap_frame *frame, uint32_t thread);

#endif
