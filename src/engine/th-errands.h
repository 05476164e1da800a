/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Things that take a while, done one after the other in a thread of their own and told in the main
 * context. Knows nothing of what is done. */
#pragma once

#include <glib.h>

typedef struct _ThErrands ThErrands;

typedef struct
{
  /* In the thread. *stop is not 0, at any time, where nobody waits for it any more. */
  void (*run) (gpointer errand, const gint *stop);
  /* Afterwards, once, from the main context that was the thread default of th_errands_new, in the
   * order of the pushes. complete: FALSE where th_errands_free came first, then from within that.
   * Owns errand. */
  void (*tell) (gpointer errand, gboolean complete);
} ThErrandKind;

/* NULL: no thread can be started. */
ThErrands *th_errands_new (const char *name, GError **error);
void th_errands_free (ThErrands *errands);

/* kind must live as long as the errand. */
void th_errands_push (ThErrands *errands, const ThErrandKind *kind, gpointer errand);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThErrands, th_errands_free)
