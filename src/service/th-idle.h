/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts what is in use and says when nothing has been for a while. Knows nothing of what it
 * counts. */
#pragma once

#include <glib.h>

typedef struct _ThIdle ThIdle;

typedef struct
{
  /* From the thread-default main context, after the time in which nothing was held and nothing
   * touched, and again after each further such time. */
  void (*expired) (gpointer data);
  /* From within th_idle_hold, where nothing was held before. */
  void (*needed) (gpointer data);
} ThIdleEvents;

/* 0 seconds: never expires. */
ThIdle *th_idle_new (guint seconds, const ThIdleEvents *events, gpointer data);
void th_idle_free (ThIdle *idle);

/* Something happened: the time begins anew. */
void th_idle_touch (ThIdle *idle);
/* Something is in use until th_idle_release. */
void th_idle_hold (ThIdle *idle);
void th_idle_release (ThIdle *idle);
/* From now on expired is called as soon as nothing is held. */
void th_idle_expire_soon (ThIdle *idle);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThIdle, th_idle_free)
