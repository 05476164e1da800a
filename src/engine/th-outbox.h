/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What requests are told, and in which order: events wait here until the main context delivers
 * them, background ones in batches. Holds no clock, thread, lock or bus. */
#pragma once

#include "engine/th-request.h"

typedef enum
{
  TH_EVENT_STARTED,
  TH_EVENT_READY,
  TH_EVENT_ERROR,
  TH_EVENT_FINISHED,
} ThEventKind;

typedef struct
{
  ThEventKind kind;
  ThRequest *request;
  guint32 *indexes; /* NULL: just first */
  guint32 first;
  guint n; /* 0 for started and finished */
  ThError code;
  char *message;
} ThEvent;

void th_event_clear (ThEvent *event);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThEvent, th_event_clear)

typedef struct _ThOutbox ThOutbox;

ThOutbox *th_outbox_new (void);
void th_outbox_free (ThOutbox *outbox);

/* A new request. One whose flavor is unknown, or that is empty, is over with that. */
void th_outbox_start (ThOutbox *outbox, ThRequest *request);
/* One that was just started is over with this error for all of it. text is static. */
void th_outbox_refuse (ThOutbox *outbox, ThRequest *request, ThError code, const char *text);
/* The same error for some of the URIs, in as few events as that takes; those that have an answer
 * are left out. */
void th_outbox_give_up (ThOutbox *outbox, ThRequest *request, const GArray *indexes, ThError code,
                        const char *text);
/* A URI whose thumbnail is valid already. */
void th_outbox_valid (ThOutbox *outbox, ThRequest *request, guint32 index);
/* The cheap pass is over: all valid ones are ready, in one event but for repeated URIs. */
void th_outbox_checked (ThOutbox *outbox, ThRequest *request, gint64 now);
/* What became of any other URI: TH_OUTCOME_READY, or a ThError and its message, which is taken
 * over. Ignored where the request was dequeued. */
void th_outbox_settle (ThOutbox *outbox, ThRequest *request, guint32 index, gint32 code,
                       char *message, gint64 now);
/* Nothing but finished from now on. */
void th_outbox_dequeue (ThOutbox *outbox, ThRequest *request);

/* Makes events of the batches that are due. */
void th_outbox_flush_due (ThOutbox *outbox, gint64 now);
/* When the next batch is due, 0: none is. */
gint64 th_outbox_due (const ThOutbox *outbox);
/* The next event, which the caller clears; FALSE where there is none. */
gboolean th_outbox_next (ThOutbox *outbox, ThEvent *event);
guint th_outbox_length (const ThOutbox *outbox);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThOutbox, th_outbox_free)
