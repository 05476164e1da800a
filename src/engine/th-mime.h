/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which MIME types are worth a try: those of the manifests, their aliases and subtypes, types that
 * say nothing, and those of .thumbnailer entries. Knows no codec; the data decide what a file is.
 */
#pragma once

#include <glib.h>

#include "engine/th-entries.h"

typedef struct _ThMime ThMime;

/* manifest_dir: see th-manifests.h; looked at again, at most once a second, whenever something is
 * asked. NULL where it holds nothing to begin with. entries are borrowed; NULL: none. */
ThMime *th_mime_new (const char *manifest_dir, ThEntries *entries, GError **error);
void th_mime_free (ThMime *mime);

/* The codec for a file that somebody calls this type, an interned name; "" where the type says
 * nothing and only the data can tell; NULL where it is not tried. Thread-safe. */
const char *th_mime_codec (ThMime *mime, const char *mime_type);
/* The same for files that only programs of others know. */
#define TH_MIME_EXTERNAL "external"
/* The module whose worker has that codec, an interned name; NULL: none, or it is built in. */
const char *th_mime_module (ThMime *mime, const char *mime_type);
/* Whether a file that somebody calls this type is tried. Thread-safe. */
gboolean th_mime_tries (ThMime *mime, const char *mime_type);
/* The names of all codecs, each once, NULL-terminated. Caller frees the array only. */
const char **th_mime_codecs (ThMime *mime);
/* NULL-terminated: the types of manifests and entries, as they are now, and all names by which the
 * shared MIME database knows them. Owned by mime and valid until it is asked again: for one thread.
 */
const char *const *th_mime_types (ThMime *mime);
/* Makes the next question look at the manifests whatever the time: for tests. */
void th_mime_expire (ThMime *mime);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThMime, th_mime_free)
