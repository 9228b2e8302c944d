/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unsampled.c - threads and processor time of a capture without samples.
 *
 * METADATA frames have the numbers:
 *
 *	syscap.sampler.unsampled	blocked 3, asleep 2, small 1	from a
 *				process
 *	syscap.sampler.cpu	cpu_us 650000, sampled_us 6000	from the
 *				recorder
 */
#include "profile/unsampled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return the number of threads with little processor time. */
static uint64_t count_asleep(const char *text)
{
	static const char word[] = "asleep ";
	const char *const at = strstr(text, word);

	return at != NULL ? strtoull(at + strlen(word), NULL, 10) : 0;
}

/* Return the sum of the numbers in "blocked 3, small 1". */
static uint64_t sum_numbers(const char *text)
{
	uint64_t sum = 0;

	while (*(text += strcspn(text, "0123456789")) != 0) {
		char *end;

		sum += strtoull(text, &end, 10);
		text = end;
	}
	return sum;
}

void syc_unsampled_take(struct syc_unsampled *unsampled, const char *id,
                        const char *value)
{
	unsigned long long cpu_us, sampled_us;

	if (strcmp(id, "syscap.sampler.unsampled") == 0) {
		unsampled->n_threads += sum_numbers(value);
		unsampled->n_asleep += count_asleep(value);
	} else if (strcmp(id, "syscap.sampler.cpu") == 0 &&
	           sscanf(value, "cpu_us %llu, sampled_us %llu", &cpu_us,
	                  &sampled_us) == 2) {
		unsampled->has_cpu = true;
		unsampled->cpu_us += cpu_us;
		unsampled->sampled_us += sampled_us;
	}
}

/*
 * Return the part of the processor time without samples, or 0 if the part may
 * be the time of starts and of rounding.  Without unsampled threads, only a
 * large part is certain.
 */
static uint64_t missing_us(const struct syc_unsampled *unsampled)
{
	const bool has_threads = unsampled->n_threads > 0;
	const uint64_t cpu = unsampled->cpu_us;
	const uint64_t missing =
		cpu > unsampled->sampled_us ? cpu - unsampled->sampled_us : 0;

	return missing >= (has_threads ? 20000 : 50000) &&
	                       missing >= cpu / (has_threads ? 20 : 5)
	               ? missing
	               : 0;
}

void syc_unsampled_judge(const struct syc_unsampled *unsampled,
                         struct syscap_profile_unsampled *ret_unsampled)
{
	const uint64_t cpu = unsampled->cpu_us;
	const uint64_t missing = missing_us(unsampled);

	*ret_unsampled = (struct syscap_profile_unsampled){
		.n_threads = unsampled->n_threads,
		.has_cpu = unsampled->has_cpu,
		.cpu_ns = cpu > UINT64_MAX / 1000 ? UINT64_MAX : cpu * 1000,
		.missing_ns = missing > UINT64_MAX / 1000 ? UINT64_MAX
		                                          : missing * 1000,
		.is_misleading = missing > 0 ||
		                 (unsampled->n_threads > unsampled->n_asleep &&
		                  !unsampled->has_cpu),
	};
}

void syscap_profile_describe_unsampled(
	const struct syscap_profile_unsampled *unsampled, char *text,
	size_t size)
{
	const double missing_ms = (double)unsampled->missing_ns / 1e6;
	const double cpu_ms = (double)unsampled->cpu_ns / 1e6;
	char threads[48] = "";

	*text = 0;
	if (unsampled->n_threads > 0)
		snprintf(threads, sizeof(threads), "%llu thread%s",
		         (unsigned long long)unsampled->n_threads,
		         unsampled->n_threads == 1 ? "" : "s");
	if (unsampled->missing_ns > 0)
		snprintf(text, size,
		         "%s%s%.0f of %.0f ms of processor time could not be "
		         "sampled",
		         threads, threads[0] != 0 ? " and " : "", missing_ms,
		         cpu_ms);
	else if (threads[0] != 0)
		snprintf(text, size, "%s could not be sampled", threads);
}
