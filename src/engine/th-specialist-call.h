/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the engine has a specialised thumbnailer called: whoever has the bus does it. */
#pragma once

#include "engine/th-specialists.h"

typedef struct
{
  const char *uri;
  const char *mime_type;
  const char *flavor;
  guint wall_ms;
  const gint *cancelled; /* not 0, at any time: nobody waits any more */
} ThSpecialistAsk;

typedef struct
{
  /* Waits for the answer, in any thread but the main one. TRUE: it said that the thumbnail is in
   * the cache. Errors: TH_ERROR_CONNECTION (it cannot be reached, has left, or did not answer in
   * time), what it said itself, or any other where *cancelled. */
  gboolean (*call) (const ThSpecialist *specialist, const ThSpecialistAsk *ask, gpointer data,
                    GError **error);
  gpointer data;
} ThSpecialistCaller;
