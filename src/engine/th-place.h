/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folders as people write them into configuration files: ~, ~user, $NAME, ${NAME}, URIs. */
#pragma once

#include <glib.h>

typedef struct
{
  char *written;
  char *path;      /* absolute, canonical */
  char *real_path; /* without symlinks, where it exists and differs, or NULL */
} ThPlace;

/* NULL where it names no absolute path. */
ThPlace *th_place_new (const char *written);
void th_place_free (ThPlace *place);
/* Whether path, absolute and canonical, is the place or lies in it. */
gboolean th_place_holds (const ThPlace *place, const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThPlace, th_place_free)
