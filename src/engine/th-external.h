/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Having a program of somebody else make a picture of a file, as its .thumbnailer entry says. Knows
 * no picture and no request: what it wrote is to be decoded like any file. */
#pragma once

#include "base/th-error.h"
#include "base/th-fit.h"
#include "engine/th-entries.h"
#include "engine/th-external-options.h"
#include "engine/th-source.h"

typedef struct _ThExternal ThExternal;

ThExternal *th_external_new (const ThExternalOptions *options);
void th_external_free (ThExternal *external);

/* The entries. */
ThEntries *th_external_entries (ThExternal *external);

typedef struct
{
  const ThEntry *entry;
  const ThSource *source; /* open */
  guint32 box;            /* pixels */
  const gint *cancelled;  /* not 0, at any time: give up */
} ThExternalAsk;

/* The picture as the program wrote it, to be decoded in a worker: a sealed descriptor, which the
 * caller closes. *full: the source's size where the program told it, else 0 × 0. Waits until all of
 * the program has ended. CANCELLED, NO_SANDBOX (nothing can be run here at all), TIMEOUT, CRASHED,
 * NOT_MINE (it said no by its exit status), NO_CONTENT (it left nothing), PROTOCOL (no picture that
 * one could use), IO. */
ThStatus th_external_make (ThExternal *external, const ThExternalAsk *ask, int *picture,
                           ThSize *full, GError **error);
/* Ends all that runs, and all later ones at once. */
void th_external_close (ThExternal *external);
/* Why no program could be run when that was tried last, or NULL. Caller frees. */
char *th_external_trouble (ThExternal *external);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThExternal, th_external_free)
