/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-outbox.h"

#define BATCH_SIZE 256u
#define BATCH_TIME (250 * 1000)

/* A batch that will be due; void where the request's flush_at says something else by then. */
typedef struct
{
  gint64 at;
  ThRequest *request;
} Due;

struct _ThOutbox
{
  GQueue events; /* ThEvent */
  GQueue due;    /* Due, soonest first */
};

ThOutbox *
th_outbox_new (void)
{
  return g_new0 (ThOutbox, 1);
}

void
th_event_clear (ThEvent *event)
{
  g_clear_pointer (&event->request, th_request_unref);
  g_clear_pointer (&event->indexes, g_free);
  g_clear_pointer (&event->message, g_free);
}

static void
event_free (gpointer data)
{
  th_event_clear (data);
  g_free (data);
}

static void
due_free (gpointer data)
{
  Due *due = data;

  th_request_unref (due->request);
  g_free (due);
}

void
th_outbox_free (ThOutbox *outbox)
{
  g_queue_clear_full (&outbox->events, event_free);
  g_queue_clear_full (&outbox->due, due_free);
  g_free (outbox);
}

static ThEvent *
push_event (ThOutbox *outbox, ThEventKind kind, ThRequest *request)
{
  ThEvent *event = g_new0 (ThEvent, 1);

  event->kind = kind;
  event->request = th_request_ref (request);
  g_queue_push_tail (&outbox->events, event);
  return event;
}

static void
push_one (ThOutbox *outbox, ThRequest *request, guint32 index, gint32 code, char *message)
{
  ThEvent *event =
      push_event (outbox, code == TH_OUTCOME_READY ? TH_EVENT_READY : TH_EVENT_ERROR, request);

  event->first = index;
  event->n = 1;
  event->code = code == TH_OUTCOME_READY ? TH_ERROR_OTHER : (ThError) code;
  event->message = message;
}

static int
by_rank (gconstpointer a, gconstpointer b, gpointer data)
{
  const ThRequest *request = data;
  const ThOutcome *x = a;
  const ThOutcome *y = b;
  guint32 i = request->items[x->index].rank;
  guint32 j = request->items[y->index].rank;

  if (x->code != y->code)
    return x->code < y->code ? -1 : 1;
  return i != j ? (i < j ? -1 : 1) : 0;
}

/* The texts a line each; those of a request that is refused as a whole share the first one's. */
static char *
join_messages (const ThOutcome *outcomes, guint n)
{
  GString *text = g_string_new (outcomes[0].message);

  for (guint i = 1; i < n; i++)
    if (outcomes[i].message != outcomes[0].message)
      g_string_append_printf (text, "\n%s", outcomes[i].message);
  return g_string_free (text, FALSE);
}

/* One event for outcomes of one code and without a repeated URI. */
static void
push_group (ThOutbox *outbox, ThRequest *request, const ThOutcome *outcomes, guint n)
{
  gboolean ready = outcomes[0].code == TH_OUTCOME_READY;
  ThEvent *event = push_event (outbox, ready ? TH_EVENT_READY : TH_EVENT_ERROR, request);

  event->n = n;
  event->first = outcomes[0].index;
  event->code = ready ? TH_ERROR_OTHER : (ThError) outcomes[0].code;
  event->indexes = g_new (guint32, n);
  for (guint i = 0; i < n; i++)
    event->indexes[i] = outcomes[i].index;
  if (!ready)
    event->message = join_messages (outcomes, n);
}

static gboolean
is_in_order (const ThRequest *request, const ThOutcome *outcomes, guint n)
{
  for (guint i = 1; i < n; i++)
    if (by_rank (&outcomes[i - 1], &outcomes[i], (gpointer) request) > 0)
      return FALSE;
  return TRUE;
}

/* Leaves the array empty. What is not told apart stays in its order. */
static void
push_batch (ThOutbox *outbox, ThRequest *request, GArray *outcomes)
{
  const ThOutcome *all = (const ThOutcome *) (gpointer) outcomes->data;
  guint n = outcomes->len;
  guint from = 0;

  /* The ready ones from the cache may be very many, but mostly need no sorting; it is stable. */
  if (!is_in_order (request, all, n))
    g_qsort_with_data (outcomes->data, (gint) n, sizeof (ThOutcome), by_rank, request);
  for (guint i = 1; i <= n; i++)
    if (i == n || by_rank (&all[from], &all[i], request) != 0)
      {
        push_group (outbox, request, &all[from], i - from);
        from = i;
      }
  g_array_set_size (outcomes, 0);
}

static void
flush (ThOutbox *outbox, ThRequest *request)
{
  request->flush_at = 0;
  push_batch (outbox, request, request->outcomes);
}

static void
finish_if_over (ThOutbox *outbox, ThRequest *request)
{
  if (request->finished || !request->checked || request->unsettled > 0)
    return;
  flush (outbox, request);
  request->finished = TRUE;
  push_event (outbox, TH_EVENT_FINISHED, request);
}

/* All of them at once: what is wrong is not the URIs. */
static void
refuse_all (ThOutbox *outbox, ThRequest *request, ThError code, const char *text)
{
  g_autoptr (GArray) outcomes = g_array_new (FALSE, FALSE, sizeof (ThOutcome));

  for (guint32 i = 0; i < request->n_items; i++)
    {
      ThOutcome outcome = { i, (gint32) code, (char *) text };

      request->items[i].state = TH_ITEM_SETTLED;
      g_array_append_val (outcomes, outcome);
    }
  request->unsettled = 0;
  push_batch (outbox, request, outcomes);
}

void
th_outbox_start (ThOutbox *outbox, ThRequest *request)
{
  push_event (outbox, TH_EVENT_STARTED, request);
  if (!request->flavor_known || request->n_items == 0)
    th_outbox_refuse (outbox, request, TH_ERROR_UNSUPPORTED_FLAVOR,
                      "Unsupported thumbnail flavor requested");
}

void
th_outbox_refuse (ThOutbox *outbox, ThRequest *request, ThError code, const char *text)
{
  th_request_fill (request);
  th_request_rank (request);
  refuse_all (outbox, request, code, text);
  request->checked = TRUE;
  finish_if_over (outbox, request);
}

void
th_outbox_valid (ThOutbox *outbox, ThRequest *request, guint32 index)
{
  request->items[index].state = TH_ITEM_VALID;
  request->unsettled--;
}

static void
push_valid (ThOutbox *outbox, ThRequest *request)
{
  g_autoptr (GArray) valid = g_array_new (FALSE, FALSE, sizeof (ThOutcome));

  for (guint32 i = 0; i < request->n_items; i++)
    if (request->items[i].state == TH_ITEM_VALID)
      {
        ThOutcome outcome = { i, TH_OUTCOME_READY, NULL };

        request->items[i].state = TH_ITEM_SETTLED;
        g_array_append_val (valid, outcome);
      }
  push_batch (outbox, request, valid);
}

static void
add_to_batch (ThOutbox *outbox, ThRequest *request, ThOutcome outcome, gint64 now)
{
  g_array_append_val (request->outcomes, outcome);
  if (request->outcomes->len >= BATCH_SIZE)
    {
      flush (outbox, request);
      return;
    }
  if (request->flush_at == 0)
    {
      Due *due = g_new (Due, 1);

      request->flush_at = now + BATCH_TIME;
      *due = (Due){ request->flush_at, th_request_ref (request) };
      g_queue_push_tail (&outbox->due, due);
    }
}

static void
report (ThOutbox *outbox, ThRequest *request, ThOutcome outcome, gint64 now)
{
  if (outcome.code == TH_OUTCOME_READY && !request->checked)
    g_array_append_val (request->held, outcome.index);
  else if (request->klass == TH_BACKGROUND)
    add_to_batch (outbox, request, outcome, now);
  else
    push_one (outbox, request, outcome.index, outcome.code, outcome.message);
}

void
th_outbox_checked (ThOutbox *outbox, ThRequest *request, gint64 now)
{
  if (request->dequeued)
    return;
  request->checked = TRUE;
  push_valid (outbox, request);
  for (guint i = 0; i < request->held->len; i++)
    report (outbox, request,
            (ThOutcome){ g_array_index (request->held, guint32, i), TH_OUTCOME_READY, NULL }, now);
  g_array_set_size (request->held, 0);
  finish_if_over (outbox, request);
}

void
th_outbox_settle (ThOutbox *outbox, ThRequest *request, guint32 index, gint32 code, char *message,
                  gint64 now)
{
  ThItem *item = &request->items[index];

  if (request->dequeued || item->state != TH_ITEM_WAITING)
    {
      g_free (message);
      return;
    }
  item->state = TH_ITEM_SETTLED;
  request->unsettled--;
  report (outbox, request, (ThOutcome){ index, code, message }, now);
  finish_if_over (outbox, request);
}

void
th_outbox_give_up (ThOutbox *outbox, ThRequest *request, const GArray *indexes, ThError code,
                   const char *text)
{
  g_autoptr (GArray) outcomes = g_array_new (FALSE, FALSE, sizeof (ThOutcome));

  for (guint i = 0; i < indexes->len && !request->dequeued; i++)
    {
      ThOutcome outcome = { g_array_index (indexes, guint32, i), (gint32) code, (char *) text };
      ThItem *item = &request->items[outcome.index];

      if (item->state != TH_ITEM_WAITING)
        continue;
      item->state = TH_ITEM_SETTLED;
      request->unsettled--;
      g_array_append_val (outcomes, outcome);
    }
  push_batch (outbox, request, outcomes);
  finish_if_over (outbox, request);
}

void
th_outbox_dequeue (ThOutbox *outbox, ThRequest *request)
{
  if (request->dequeued || request->finished)
    return;
  request->dequeued = TRUE;
  request->finished = TRUE;
  request->flush_at = 0;
  g_array_set_size (request->outcomes, 0);
  g_array_set_size (request->held, 0);
  push_event (outbox, TH_EVENT_FINISHED, request);
}

void
th_outbox_flush_due (ThOutbox *outbox, gint64 now)
{
  Due *due;

  while ((due = g_queue_peek_head (&outbox->due)) != NULL)
    {
      gboolean is_void = due->request->flush_at != due->at;

      if (!is_void && due->at > now)
        return;
      if (!is_void)
        flush (outbox, due->request);
      due_free (g_queue_pop_head (&outbox->due));
    }
}

gint64
th_outbox_due (const ThOutbox *outbox)
{
  const Due *due = g_queue_peek_head ((GQueue *) &outbox->due);

  return due != NULL ? due->at : 0;
}

gboolean
th_outbox_next (ThOutbox *outbox, ThEvent *event)
{
  ThEvent *next;

  while ((next = g_queue_pop_head (&outbox->events)) != NULL)
    {
      if (next->n == 0 || !next->request->dequeued)
        {
          *event = *next;
          g_free (next);
          return TRUE;
        }
      event_free (next);
    }
  return FALSE;
}

guint
th_outbox_length (const ThOutbox *outbox)
{
  return outbox->events.length;
}
