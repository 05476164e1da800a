/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All .thumbnailer entries of this user and system, as they are at the time of asking: which ones
 * serve a type, and in which order. Runs nothing. All functions may be called from several threads
 * at once. */
#pragma once

#include <glib.h>

#include "engine/th-entry.h"

typedef struct _ThEntries ThEntries;

/* folders: first to last, NULL-terminated; NULL for those of XDG. Nothing is read yet. */
ThEntries *th_entries_new (const char *const *folders);
void th_entries_free (ThEntries *entries);

/* Those that can handle a type by its name, an alias or a parent, best first: by priority, then
 * exact before related types, then the user's before the system's. The folders are looked at
 * again when a second has passed. Elements are ThEntry; the caller unrefs the array. */
GPtrArray *th_entries_find (ThEntries *entries, const char *mime_type);
/* The same for several types, those of the first before the others, each entry once. */
GPtrArray *th_entries_list (ThEntries *entries, const char *const *mime_types);
/* Cheaper: whether th_entries_find would find any. */
gboolean th_entries_serve (ThEntries *entries, const char *mime_type);
/* All types by their names in the entries, sorted, each once. Caller frees. */
char **th_entries_types (ThEntries *entries);
/* Makes the next question look at the folders whatever the time: for tests. */
void th_entries_expire (ThEntries *entries);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThEntries, th_entries_free)
