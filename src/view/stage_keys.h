/* SPDX-License-Identifier: BSD-2-Clause */
/* stage_keys.h - what keys and clicks mean, before a page is asked. */
#ifndef SYC_VIEW_STAGE_KEYS_H
#define SYC_VIEW_STAGE_KEYS_H

#include "view/stage.h"

/** What it means is left to the next draw or take.  0 or -ENOMEM. */
int syc_stage_take(struct syc_stage *stage,
                   const struct syc_input_event *event);

#endif
