/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-errands.h"

typedef struct
{
  const ThErrandKind *kind;
  gpointer errand;
  gboolean complete;
} Item;

struct _ThErrands
{
  GThreadPool *thread;
  GSource *source;
  gint stop;

  GMutex lock;
  GQueue told; /* Item; what is to be told */
};

typedef struct
{
  GSource source;
  ThErrands *errands;
} ToldSource;

static void
run (gpointer pushed, gpointer data)
{
  ThErrands *errands = data;
  Item *item = pushed;

  if (!g_atomic_int_get (&errands->stop))
    item->kind->run (item->errand, &errands->stop);
  item->complete = !g_atomic_int_get (&errands->stop);
  g_mutex_lock (&errands->lock);
  g_queue_push_tail (&errands->told, item);
  g_source_set_ready_time (errands->source, 0);
  g_mutex_unlock (&errands->lock);
}

static void
tell (Item *item)
{
  item->kind->tell (item->errand, item->complete);
  g_free (item);
}

/* One a turn: all may be gone once it has been told. */
static gboolean
dispatch (GSource *source, GSourceFunc unused, gpointer unused_data)
{
  ThErrands *errands = ((ToldSource *) source)->errands;
  Item *item;

  g_mutex_lock (&errands->lock);
  item = g_queue_pop_head (&errands->told);
  g_source_set_ready_time (source, g_queue_is_empty (&errands->told) ? -1 : 0);
  g_mutex_unlock (&errands->lock);
  if (item != NULL)
    tell (item);
  return G_SOURCE_CONTINUE;
}

static const GSourceFuncs functions = { .dispatch = dispatch };

ThErrands *
th_errands_new (const char *name, GError **error)
{
  ThErrands *errands = g_new0 (ThErrands, 1);
  g_autoptr (GError) local = NULL;

  g_mutex_init (&errands->lock);
  errands->source = g_source_new ((GSourceFuncs *) &functions, sizeof (ToldSource));
  ((ToldSource *) errands->source)->errands = errands;
  g_source_set_name (errands->source, name);
  g_source_attach (errands->source, g_main_context_get_thread_default ());
  errands->thread = g_thread_pool_new (run, errands, 1, TRUE, &local);
  if (local == NULL)
    return errands;
  g_propagate_error (error, g_steal_pointer (&local));
  th_errands_free (errands);
  return NULL;
}

void
th_errands_free (ThErrands *errands)
{
  Item *item;

  g_atomic_int_set (&errands->stop, 1);
  g_thread_pool_free (errands->thread, FALSE, TRUE);
  g_source_destroy (errands->source);
  while ((item = g_queue_pop_head (&errands->told)) != NULL)
    tell (item);
  g_source_unref (errands->source);
  g_mutex_clear (&errands->lock);
  g_free (errands);
}

void
th_errands_push (ThErrands *errands, const ThErrandKind *kind, gpointer errand)
{
  Item *item = g_new0 (Item, 1);

  item->kind = kind;
  item->errand = errand;
  g_thread_pool_push (errands->thread, item, NULL);
}
