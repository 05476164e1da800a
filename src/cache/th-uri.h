/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* URIs as the thumbnail standard hashes them, and local paths. Knows nothing of GIO. */
#pragma once

#include <glib.h>
#include <limits.h>

/* Longest URI that is dealt with: a path of PATH_MAX bytes, each escaped. Longer ones name no file,
 * and their text would not fit into the part of a thumbnail that is read. */
#define TH_URI_MAX (3u * PATH_MAX + 32u)

/* file:// URI of a path: made absolute and canonical without touching the disk (no symlink is
 * followed), escaped as GLib escapes. Names are bytes, they need not be UTF-8. The empty path gives
 * the empty string, which is no URI. Caller frees. */
char *th_uri_from_path (const char *path);
/* Local path, absolute and lexically canonical, of a file: URI (no authority, an empty one or
 * "localhost"). The URI need not be in its canonical spelling. NULL: TH_ERROR_UNSUPPORTED for a URI
 * of another scheme or host, TH_ERROR_OTHER for what is no URI, too long or malformed: control
 * characters, a bad escape, an escaped NUL or slash, a query or fragment. */
char *th_uri_to_path (const char *uri, GError **error);
/* What a command line argument means: "scheme://..." or "file:..." is a URI and is returned as it
 * stands, anything else a path. Caller frees. */
char *th_uri_from_argument (const char *argument);
/* The URI of a folder as it begins those of the files in it, but for the slash between: without
 * slashes at its end, unless it is the root ("file:///", "sftp://host/"). Caller frees. */
char *th_uri_as_folder (const char *uri);
/* Cuts uri in place to that of the folder it lies in, in the same spelling; FALSE, and uri as it
 * was, at the root and for what has no folder. */
gboolean th_uri_cut_to_folder (char *uri);
/* Lower-case hexadecimal MD5 of the URI's bytes (thumbnail standard 0.9, file name). Caller frees.
 */
char *th_uri_md5 (const char *uri);
/* TRUE where the URI can be recorded in a thumbnail: not empty, at most TH_URI_MAX bytes, no
 * control characters. */
gboolean th_uri_is_recordable (const char *uri);
