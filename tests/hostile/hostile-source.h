/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file that a worker under test gets, and whether it is still what it was. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

typedef struct
{
  char *path;
  char *text;
  struct stat before;
} Source;

/* Makes one that tells codec-evil to do what word says. */
void source_init (Source *source, const char *word);
/* Removes it. */
void source_clear (Source *source);
/* Content, mode, owner, times and attributes. */
void assert_untouched (const Source *source);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Source, source_clear)
