/* SPDX-License-Identifier: BSD-2-Clause */
/* export.c - which events pass a filter. */
#include "export/export.h"

bool syc_export_has_mark(const struct syc_export *export,
                         const struct syscap_profile_mark *mark)
{
	return syscap_view_has(export->view, mark->thread, mark->time);
}
