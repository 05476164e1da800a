/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "service/th-idle.h"

struct _ThIdle
{
  guint seconds;
  gboolean soon;
  guint held;
  GSource *timer; /* runs only while nothing is held */
  ThIdleEvents events;
  gpointer data;
};

static void
stop (ThIdle *idle)
{
  if (idle->timer != NULL)
    g_source_destroy (idle->timer);
  g_clear_pointer (&idle->timer, g_source_unref);
}

static gboolean
on_timer (gpointer data)
{
  ThIdle *idle = data;

  idle->events.expired (idle->data);
  return G_SOURCE_CONTINUE;
}

static void
restart (ThIdle *idle)
{
  stop (idle);
  if (idle->held > 0 || (idle->seconds == 0 && !idle->soon))
    return;
  idle->timer = idle->soon ? g_idle_source_new () : g_timeout_source_new_seconds (idle->seconds);
  g_source_set_callback (idle->timer, on_timer, idle, NULL);
  g_source_attach (idle->timer, g_main_context_get_thread_default ());
}

ThIdle *
th_idle_new (guint seconds, const ThIdleEvents *events, gpointer data)
{
  ThIdle *idle = g_new0 (ThIdle, 1);

  idle->seconds = seconds;
  idle->events = *events;
  idle->data = data;
  restart (idle);
  return idle;
}

void
th_idle_free (ThIdle *idle)
{
  stop (idle);
  g_free (idle);
}

void
th_idle_touch (ThIdle *idle)
{
  restart (idle);
}

void
th_idle_hold (ThIdle *idle)
{
  stop (idle);
  if (idle->held++ == 0)
    idle->events.needed (idle->data);
}

void
th_idle_release (ThIdle *idle)
{
  g_return_if_fail (idle->held > 0);
  idle->held--;
  restart (idle);
}

void
th_idle_expire_soon (ThIdle *idle)
{
  idle->soon = TRUE;
  restart (idle);
}
