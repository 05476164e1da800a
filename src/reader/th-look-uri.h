/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking at a URI through GVfs, and opening it. Mounts nothing and fetches nothing from the web.
 * Every call may wait for somebody else's server. */
#pragma once

#include "reader/th-finding.h"

/* Adds to finding what GVfs says of it. *next: the URI that it stands for; NULL: none. Caller
 * frees. */
gboolean th_look_uri (ThFinding *finding, const char *uri, char **next, ThPulse *pulse,
                      GError **error);
/* The content. NULL and an error also where it is not a regular file. */
GInputStream *th_look_uri_open (const ThFinding *finding, GError **error);
/* The small picture that the device offers. */
GInputStream *th_look_uri_open_preview (const ThFinding *finding, GError **error);
/* The schemes that GVfs serves and that may be asked for. Caller frees. */
char **th_look_uri_schemes (void);
