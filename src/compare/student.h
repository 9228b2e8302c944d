/* SPDX-License-Identifier: BSD-2-Clause */
/* student.h - Student's t distribution, also of fractional degrees. */
#ifndef SYC_COMPARE_STUDENT_H
#define SYC_COMPARE_STUDENT_H

/** How probable it is to be beyond @t on either side. */
double syc_student_tails(double t, double degrees);

/** The t beyond which, on either side, lies @probability. */
double syc_student_quantile(double probability, double degrees);

#endif
