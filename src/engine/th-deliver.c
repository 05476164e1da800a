/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-deliver.h"

#include "engine/th-hold.h"
#include "engine/th-trim.h"

/* A dispatch ends after so many events, or so much time, so that others get their turn. */
#define DISPATCH_EVENTS 64u
#define DISPATCH_TIME   (4 * 1000)
/* The cheap passes that were parked go on below this. */
#define FEW_EVENTS 512u
/* The memory of a request with so many URIs is given back to the system. */
#define LARGE_REQUEST 1024u

typedef struct
{
  GSource source;
  ThEngine *engine;
} DeliverSource;

/* The URIs of an event as an array that is NULL-terminated. */
static const char **
list_uris (const ThEvent *event)
{
  const ThItem *items = event->request->items;
  const char **uris = g_new (const char *, (gsize) event->n + 1);

  for (guint i = 0; i < event->n; i++)
    uris[i] = items[event->indexes != NULL ? event->indexes[i] : event->first].uri;
  uris[event->n] = NULL;
  return uris;
}

/* A request is no longer pending when its finished is told: whoever is told may ask. */
static void
forget_request (ThEngine *engine, ThRequest *request)
{
  g_mutex_lock (&engine->lock);
  engine->trim |= request->n_items >= LARGE_REQUEST;
  engine->queued -= request->n_items;
  engine->queued_bytes -= request->text_bytes;
  th_engine_drop (engine, request->handle);
  g_hash_table_remove (engine->requests, GUINT_TO_POINTER (request->handle));
  g_mutex_unlock (&engine->lock);
}

/* The engine may be gone afterwards. */
static void
tell (ThEngine *engine, const ThEvent *event)
{
  const ThEngineEvents *events = &engine->events;
  guint32 handle = event->request->handle;
  g_autofree const char **uris = list_uris (event);

  switch (event->kind)
    {
    case TH_EVENT_STARTED:
      events->started (handle, engine->data);
      return;
    case TH_EVENT_READY:
      events->ready (handle, uris, engine->data);
      return;
    case TH_EVENT_ERROR:
      events->error (handle, uris, event->code, event->message, engine->data);
      return;
    case TH_EVENT_FINISHED:
    default:
      forget_request (engine, event->request);
      events->finished (handle, engine->data);
    }
}

/* Under the lock. */
static void
count (ThCounters *counters, const ThEvent *event)
{
  if (event->kind == TH_EVENT_READY)
    counters->ready += event->n;
  else if (event->kind == TH_EVENT_ERROR && (guint) event->code < TH_N_ERRORS)
    counters->errors[event->code] += event->n;
}

static gboolean
next_event (ThEngine *engine, ThEvent *event)
{
  gboolean any;

  g_mutex_lock (&engine->lock);
  any = !engine->held && th_outbox_next (engine->outbox, event);
  if (any)
    count (&engine->counters, event);
  g_mutex_unlock (&engine->lock);
  return any;
}

/* FALSE: the engine is gone. */
static gboolean
deliver (GSource *source, ThEngine *engine)
{
  gint64 end = g_get_monotonic_time () + DISPATCH_TIME;

  for (guint i = 0; i < DISPATCH_EVENTS && g_get_monotonic_time () < end; i++)
    {
      g_auto (ThEvent) event = { 0 };

      if (!next_event (engine, &event))
        return TRUE;
      tell (engine, &event);
      if (g_source_is_destroyed (source))
        return FALSE;
    }
  return TRUE;
}

/* Under the lock. */
static void
unpark (ThEngine *engine)
{
  ThRequest *request;

  if (th_outbox_length (engine->outbox) > FEW_EVENTS)
    return;
  while ((request = g_queue_pop_head (&engine->parked)) != NULL)
    g_thread_pool_push (engine->walkers, request, NULL);
}

/* 0 is never. */
static gint64
sooner (gint64 a, gint64 b)
{
  if (a == 0 || b == 0)
    return MAX (a, b);
  return MIN (a, b);
}

/* Under the lock. TRUE: another version was found to be installed just now. */
static gboolean
tend (ThEngine *engine)
{
  gboolean before = engine->outdated;

  engine->tend_at = sooner (th_pool_tend (engine->pool), th_readers_tend (engine->readers));
  engine->outdated = before || th_pool_is_outdated (engine->pool);
  return engine->outdated && !before;
}

/* TRUE: as above. */
static gboolean
do_what_is_due (ThEngine *engine)
{
  gint64 now = g_get_monotonic_time ();
  gboolean outdated = FALSE;

  g_mutex_lock (&engine->lock);
  th_outbox_flush_due (engine->outbox, now);
  th_hold_release_due (engine, now);
  if (engine->tend_at != 0 && engine->tend_at <= now)
    outdated = tend (engine);
  g_mutex_unlock (&engine->lock);
  return outdated;
}
static gboolean
dispatch (GSource *source, GSourceFunc unused, gpointer unused_data)
{
  ThEngine *engine = ((DeliverSource *) source)->engine;
  gboolean trim;

  if (do_what_is_due (engine) && engine->events.outdated != NULL)
    engine->events.outdated (engine->data);
  if (!deliver (source, engine))
    return G_SOURCE_REMOVE;
  g_mutex_lock (&engine->lock);
  unpark (engine);
  th_engine_wake (engine);
  trim = engine->trim;
  engine->trim = FALSE;
  g_mutex_unlock (&engine->lock);
  if (trim)
    th_trim_heap ();
  return G_SOURCE_CONTINUE;
}

void
th_engine_wake (ThEngine *engine)
{
  gint64 due = sooner (th_outbox_due (engine->outbox), th_motion_due (engine->motion));

  if (engine->closing)
    return;
  if (!engine->held && th_outbox_length (engine->outbox) > 0)
    due = -1;
  else
    due = sooner (due, engine->tend_at);
  /* 0 is at once, -1 never. */
  g_source_set_ready_time (engine->source, due == -1 ? 0 : due == 0 ? -1 : due);
}

static const GSourceFuncs functions = { .dispatch = dispatch };

GSource *
th_deliver_source_new (ThEngine *engine)
{
  GSource *source = g_source_new ((GSourceFuncs *) &functions, sizeof (DeliverSource));

  ((DeliverSource *) source)->engine = engine;
  g_source_set_static_name (source, "thimble engine");
  g_source_attach (source, g_main_context_get_thread_default ());
  return source;
}

void
th_engine_hold_events (ThEngine *engine, gboolean hold)
{
  g_mutex_lock (&engine->lock);
  engine->held = hold;
  th_engine_wake (engine);
  g_mutex_unlock (&engine->lock);
}
