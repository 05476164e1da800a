/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cuts a list of URIs into portions that fit one signal. Knows no D-Bus. */
#pragma once

#include <glib.h>

/* Bytes of URIs in one portion, far below what any bus refuses. A longer URI goes alone. */
#define TH_PORTION_BYTES (1024u * 1024u)

/* How many of the n URIs go together: at least 1, and none of them twice, because clients stop
 * reading a signal at a URI that they have had already. n is at least 1. */
guint th_portion_length (const char *const *uris, guint n);
