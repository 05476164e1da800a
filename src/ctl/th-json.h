/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes one JSON text (RFC 8259), compact, member by member. Knows nothing of what it means. */
#pragma once

#include <glib.h>

typedef struct _ThJson ThJson;

ThJson *th_json_new (void);
void th_json_free (ThJson *json);
/* The text so far. */
const char *th_json_text (const ThJson *json);

/* key is NULL in an array and for the outermost value. */
void th_json_begin_object (ThJson *json, const char *key);
void th_json_begin_array (ThJson *json, const char *key);
/* Ends whichever was begun last. */
void th_json_end (ThJson *json);
/* NULL becomes null. Names of files are bytes: one that belongs to no UTF-8 character becomes a
 * backslash, x and two hexadecimal digits, as four characters of the string. */
void th_json_string (ThJson *json, const char *key, const char *value);
void th_json_integer (ThJson *json, const char *key, gint64 value);
/* Above G_MAXINT64 too. */
void th_json_size (ThJson *json, const char *key, guint64 value);
void th_json_boolean (ThJson *json, const char *key, gboolean value);
void th_json_null (ThJson *json, const char *key);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThJson, th_json_free)
