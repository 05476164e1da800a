/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One Queue call: who asked for what, and how far each URI has come. Knows no thread: whoever
 * changes the progress holds the engine's lock; the rest never changes. */
#pragma once

#include "engine/th-engine.h"
#include "engine/th-leave.h"

typedef enum
{
  TH_ITEM_WAITING, /* neither ready nor error so far */
  TH_ITEM_VALID,   /* found in the cache by the cheap pass */
  TH_ITEM_SETTLED, /* in an event, or on its way into one */
} ThItemState;

typedef struct
{
  const char *uri;       /* as the client spelled it */
  const char *mime_type; /* equal types of a request share one pointer */
  guint32 rank;          /* how many earlier items have the same URI */
  guint8 state;          /* ThItemState */
} ThItem;

/* What became of one URI, kept until it goes into an event. */
typedef struct
{
  guint32 index;
  gint32 code;   /* ThError, or TH_OUTCOME_READY */
  char *message; /* NULL for ready */
} ThOutcome;

#define TH_OUTCOME_READY (-1)

typedef struct
{
  gatomicrefcount refs;
  guint32 handle;
  ThClass klass; /* background once it is orphaned */
  ThFlavor flavor;
  gboolean flavor_known;
  guint n_items;
  ThItem *items;
  GVariant *lists[2];      /* URIs and types that items are to be filled from, or NULL */
  char *text;              /* one block for all strings of items */
  gsize text_bytes;        /* of that, or of the lists */
  gboolean ranked;         /* th_request_rank was here */
  gboolean has_duplicates; /* some rank is not 0 */

  /* Progress. */
  guint next;        /* the first item that the cheap pass has not taken */
  guint walkers;     /* tasks that work on the cheap pass */
  guint unsettled;   /* items in no event so far */
  gboolean checked;  /* the cheap pass is over */
  gboolean dequeued; /* no more ready or error */
  gboolean orphaned; /* nobody hears of it */
  gboolean finished; /* the last event is on its way */
  GArray *held;      /* guint32; ready before the cheap pass was over */
  GArray *outcomes;  /* ThOutcome; the next batch */
  GPtrArray *leaves; /* ThLeave; mounts that went away meanwhile. NULL: none */
  gint64 flush_at;   /* monotonic time of the next batch, 0: none is due */
} ThRequest;

/* Copies the strings. Owned by one reference. The handle is the caller's to set. */
ThRequest *th_request_new (const char *const *uris, const char *const *mime_types, guint n_uris,
                           const char *flavor, ThClass klass);
/* The same from lists of type "as", which th_request_fill takes apart; before that there are no
 * items. */
ThRequest *th_request_new_later (GVariant *uris, GVariant *mime_types, const char *flavor,
                                 ThClass klass);
/* Ignored where there is nothing left to fill. */
void th_request_fill (ThRequest *request);
/* Finds the repeated URIs: apart from the rest because it takes as long as all of that, and nobody
 * need wait for it. Needed before the first event. */
void th_request_rank (ThRequest *request);
/* A mount is about to go; what is not settled so far of its files will not be. */
void th_request_leave (ThRequest *request, ThLeave *leave);
ThRequest *th_request_ref (ThRequest *request);
void th_request_unref (ThRequest *request);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThRequest, th_request_unref)
