/* SPDX-License-Identifier: BSD-2-Clause */
/* frames.h - frames of V8's interpreter, for the sampler. */
#ifndef SN_V8_FRAMES_H
#define SN_V8_FRAMES_H

#include <v8.h>

#include "../src/functions.h"

namespace syscap_v8
{

constexpr size_t kFramesMax = 512;

/** One isolate on one thread. */
struct Frames {
	const struct sn_functions *functions;
	v8::Isolate *isolate;
	const void *embedded; /* V8's builtins in the program's file */
	size_t embedded_size;
	uintptr_t stack_high; /* of this thread */
	struct syscap_attachment *attachment;

	/* Frames of JavaScript that waits for the collector, which gives
	 * none */
	volatile size_t n_kept;
	struct syscap_stack_frame kept[kFramesMax];
};

/** Attach @frames->isolate to this thread's samples.  Returns false on
 * failure. */
bool attach(Frames *frames);
void detach(Frames *frames);

} // namespace syscap_v8

#endif
