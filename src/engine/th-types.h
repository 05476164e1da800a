/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the shared MIME database says a type is, told in full. Knows no handler. */
#pragma once

#include <glib.h>

/* The type, the name that the database has for it where it is an alias, and what it is a kind of,
 * up to application/octet-stream. At most some dozen. */
GStrv th_types_chain (const char *mime_type);
/* The type by the name of a file alone, and by its first bytes alone; NULL where that says nothing.
 * Callers free. */
char *th_types_by_name (const char *path);
char *th_types_by_data (const char *path);
/* What an open file looks like, with its name (which tells formats within formats apart, but may
 * lie) and without; "application/octet-stream" where nobody can tell. Where it cannot be read here
 * only what the name says, or NULL. Callers free. */
void th_types_sniff (int fd, const char *path, char *types[2]);
