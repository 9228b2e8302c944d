/* SPDX-License-Identifier: BSD-2-Clause */
/* 01_mark.c - marks: an instant, a time span, a block. */
#include <stdio.h>

#include <syscap.h>

static double work(int n)
{
	SYSCAP_SCOPE("example", "work"); /* until the function returns */
	double sum = 0;

	for (int i = 1; i < n; i++)
		sum += 1.0 / i;
	return sum;
}

int main(void)
{
	SYSCAP_INSTANT("example", "start", "the program begins");

	const int64_t begin = syscap_begin();
	double sum = 0;
	for (int i = 0; i < 100; i++)
		sum += work(10000);
	SYSCAP_MARK_SINCE("example", "all work", begin, NULL);

	printf("%f\n", sum);
	return 0;
}
