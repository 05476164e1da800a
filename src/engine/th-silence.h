/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which mounts and hosts did not answer lately, by name. Knows nothing else of them. Thread-safe.
 */
#pragma once

#include <glib.h>

typedef struct _ThSilence ThSilence;

/* Whoever was silent is left alone for so long, in µs. */
ThSilence *th_silence_new (gint64 span);
void th_silence_free (ThSilence *silence);

void th_silence_add (ThSilence *silence, const char *name);
gboolean th_silence_has (ThSilence *silence, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThSilence, th_silence_free)
