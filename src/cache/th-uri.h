/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* URIs as the thumbnail standard hashes them, and local paths. Knows nothing of GIO. */
#pragma once

#include <glib.h>

/* file:// URI of a path: made absolute and canonical without touching the disk (no symlink is
 * followed), escaped as GLib escapes. Names are bytes, they need not be UTF-8. Caller frees. */
char *th_uri_from_path (const char *path);
/* Local path of a file:// URI (empty authority or "localhost"); NULL and an error for anything
 * else. The URI need not be in its canonical spelling. */
char *th_uri_to_path (const char *uri, GError **error);
/* What a command line argument means: "scheme://..." or "file:..." is a URI and is returned as it
 * stands, anything else a path. Caller frees. */
char *th_uri_from_argument (const char *argument);
/* Lower-case hexadecimal MD5 of the URI's bytes (thumbnail standard 0.9, file name). Caller frees.
 */
char *th_uri_md5 (const char *uri);
