/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key files laid over each other, key by key, which remember from which file and line each key
 * comes. Knows no key. */
#pragma once

#include <glib.h>

typedef struct _ThConf ThConf;

ThConf *th_conf_new (void);
void th_conf_free (ThConf *conf);
/* Lays a file over what is there. A line that makes no sense is a problem, and the others count. A
 * file that is not there is none; a pipe is not waited for. */
void th_conf_add_file (ThConf *conf, const char *path);
/* The same for a text; name stands for it in messages, NULL: nothing does. */
void th_conf_add_text (ThConf *conf, const char *name, const char *text);
/* Why not all lines of all files count, the first of the reasons; NULL: they all do. */
const char *th_conf_fault (const ThConf *conf);
/* Of those that were there, the one that counts most last. */
const GPtrArray *th_conf_files (const ThConf *conf);

/* What counts. Borrowed. */
GKeyFile *th_conf_keys (const ThConf *conf);
/* "FILE:LINE" of what counts, or NULL; key NULL: of the group. Borrowed. */
const char *th_conf_where (const ThConf *conf, const char *group, const char *key);
/* Adds a problem with this key, or with the group where that is NULL. */
void th_conf_complain (ThConf *conf, const char *group, const char *key, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
/* Sentences, each with file and line. Borrowed. */
GPtrArray *th_conf_problems (const ThConf *conf);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThConf, th_conf_free)
