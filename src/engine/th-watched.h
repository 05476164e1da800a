/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of some folders that other packages put there, and whether anything about them has
 * changed. Reads none of them. For one thread at a time. */
#pragma once

#include <glib.h>

typedef struct _ThWatched ThWatched;

/* folders: first to last, NULL-terminated; NULL: "thumbnailers" in those of XDG. endings: of the
 * names that count, NULL-terminated, static. Nothing is looked at yet. */
ThWatched *th_watched_new (const char *const *folders, const char *const *endings);
void th_watched_free (ThWatched *watched);

/* Looks again where a second has passed. NULL: all is as it was. Else the paths of all files, by
 * folder, then by name; the caller unrefs. */
GPtrArray *th_watched_changed (ThWatched *watched);
/* Makes the next question look whatever the time: for tests. */
void th_watched_expire (ThWatched *watched);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThWatched, th_watched_free)
