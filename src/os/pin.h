/* SPDX-License-Identifier: BSD-2-Clause */
/* pin.h - keeps a loaded object where it is. */
#ifndef SYC_OS_PIN_H
#define SYC_OS_PIN_H

#include <stdbool.h>

/** Keep the object that @address is in, whatever dlclose() says.  False: there
 * is none such, or it is the program.  setup. */
bool syc_pin_object(const void *address);

#endif
