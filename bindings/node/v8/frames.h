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
	const void *embedded; /* V8's builtins, in the program's file */
	size_t embedded_size;
	uintptr_t stack_high; /* of this thread */
	struct syscap_attachment *attachment;

	/* Of JavaScript that waits for the collector, which tells nothing */
	volatile size_t n_kept;
	struct syscap_stack_frame kept[kFramesMax];
};

/** Have @frames->isolate asked at samples of this thread; false: can't. */
bool attach(Frames *frames);
void detach(Frames *frames);

} // namespace syscap_v8

#endif
