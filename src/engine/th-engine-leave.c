/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-engine-private.h"
#include "engine/th-message.h"

/* Waiters that are looked at in one go. */
#define SLICE 256u

static char *
make_text (const char *name)
{
  g_autoptr (GError) error =
      g_error_new_literal (TH_ERROR, TH_ERROR_OTHER, "its file system is being unmounted");

  return th_message_text (name, error);
}

gboolean
th_engine_has_left (ThEngine *engine, ThRequest *request, guint32 index, const ThFileKey *key)
{
  const char *uri = request->items[index].uri;
  gboolean left = FALSE;

  for (guint i = 0; request->leaves != NULL && i < request->leaves->len && !left; i++)
    left = th_leave_concerns (request->leaves->pdata[i], uri, key);
  if (!left)
    return FALSE;
  th_engine_settle (engine, request, index, TH_ERROR_OTHER, make_text (uri));
  return TRUE;
}

/* What is left to do, in a thread: there may be very many who wait. */
typedef struct
{
  ThEngine *engine;
  ThLeave *leave;
  GArray *handles; /* guint32; requests that were there */
  char *text;
} Errand;

static gboolean
is_concerned (const ThFileKey *key, const ThWaiter *waiter, gpointer data)
{
  const Errand *errand = data;
  const ThRequest *request =
      g_hash_table_lookup (errand->engine->requests, GUINT_TO_POINTER (waiter->handle));

  return request != NULL
         && th_leave_concerns (errand->leave, request->items[waiter->index].uri, key);
}

/* Under the lock. All of them of one request. */
static void
give_up (const Errand *errand, ThRequest *request, const GArray *indexes)
{
  ThEngine *engine = errand->engine;

  for (guint i = 0; i < indexes->len; i++)
    th_motion_forget (engine->motion,
                      &(ThWaiter){ request->handle, g_array_index (indexes, guint32, i), 0 });
  th_outbox_give_up (engine->outbox, request, indexes, TH_ERROR_OTHER, errand->text);
  th_engine_wake (engine);
}

/* Under the lock. */
static ThRequest *
find_request (ThEngine *engine, guint32 handle)
{
  ThRequest *request = g_hash_table_lookup (engine->requests, GUINT_TO_POINTER (handle));

  return request != NULL ? th_request_ref (request) : NULL;
}

/* What is listed of one request; FALSE: nothing. Links may have to be followed, which may take a
 * while: not under the lock. scheduler: that those who wait are taken out of; NULL: they are held.
 */
static gboolean
search (const Errand *errand, ThScheduler *scheduler, ThRequest *request, const GArray *listed)
{
  g_autoptr (GArray) indexes = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) concerned = g_array_new (FALSE, FALSE, sizeof (ThPulled));

  for (guint i = 0; i < listed->len; i++)
    {
      const ThPulled *one = &g_array_index (listed, ThPulled, i);

      if (th_leave_concerns (errand->leave, request->items[one->waiter.index].uri, &one->key))
        g_array_append_val (concerned, *one);
    }
  g_mutex_lock (&errand->engine->lock);
  for (guint i = 0; i < concerned->len; i++)
    {
      const ThPulled *one = &g_array_index (concerned, ThPulled, i);

      /* Whoever runs by now found out himself. */
      if (scheduler == NULL || th_scheduler_pull (scheduler, one))
        g_array_append_val (indexes, one->waiter.index);
    }
  give_up (errand, request, indexes);
  g_mutex_unlock (&errand->engine->lock);
  return listed->len > 0;
}

static void
search_lane (const Errand *errand, ThLane *lane, guint32 handle, const gint *stop)
{
  ThEngine *engine = errand->engine;
  gboolean anew = TRUE;
  gboolean more = TRUE;

  while (more && !g_atomic_int_get (stop))
    {
      g_autoptr (GArray) listed = g_array_new (FALSE, FALSE, sizeof (ThPulled));
      g_autoptr (ThRequest) request = NULL;

      g_mutex_lock (&engine->lock);
      request = find_request (engine, handle);
      th_scheduler_list (lane->scheduler, handle, anew, SLICE, listed);
      g_mutex_unlock (&engine->lock);
      anew = FALSE;
      more = request != NULL && search (errand, lane->scheduler, request, listed);
    }
}

static void
search_held (const Errand *errand, guint32 handle)
{
  ThEngine *engine = errand->engine;
  g_autoptr (GArray) listed = g_array_new (FALSE, FALSE, sizeof (ThPulled));
  g_autoptr (ThRequest) request = NULL;

  g_mutex_lock (&engine->lock);
  request = find_request (engine, handle);
  th_motion_list (engine->motion, handle, listed);
  g_mutex_unlock (&engine->lock);
  if (request != NULL)
    search (errand, NULL, request, listed);
}

static void
run (gpointer data, const gint *stop)
{
  const Errand *errand = data;
  ThEngine *engine = errand->engine;
  guint lanes;

  g_mutex_lock (&engine->lock);
  lanes = th_lanes_count (&engine->lanes);
  g_mutex_unlock (&engine->lock);
  for (guint i = 0; i < errand->handles->len && !g_atomic_int_get (stop); i++)
    {
      guint32 handle = g_array_index (errand->handles, guint32, i);

      for (guint j = 0; j < lanes; j++)
        search_lane (errand, th_lanes_nth (&engine->lanes, j), handle, stop);
      search_held (errand, handle);
    }
}

static void
forget (gpointer data, gboolean unused)
{
  Errand *errand = data;

  th_leave_unref (errand->leave);
  g_array_unref (errand->handles);
  g_free (errand->text);
  g_free (errand);
}

static Errand *
errand_new (ThEngine *engine, const char *mount_point)
{
  Errand *errand = g_new0 (Errand, 1);

  errand->engine = engine;
  errand->leave = th_leave_new (engine->mounts, mount_point);
  errand->handles = g_array_new (FALSE, FALSE, sizeof (guint32));
  errand->text = make_text (mount_point);
  return errand;
}

/* Under the lock. What comes upon one of their files from now on gives it up: those who take what
 * waits, those who look at what nobody has looked at yet. Requests that come later are served: the
 * unmounting may fail. */
static void
mark_requests (Errand *errand)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, errand->engine->requests);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      ThRequest *request = value;

      if (request->finished)
        continue;
      th_request_leave (request, errand->leave);
      g_array_append_val (errand->handles, request->handle);
    }
}

/* Under the lock. They are few, and have something open. */
static void
stop_running (Errand *errand)
{
  ThEngine *engine = errand->engine;
  g_autoptr (GArray) pulled = g_array_new (FALSE, FALSE, sizeof (ThPulled));

  th_lanes_pull_running (&engine->lanes, is_concerned, errand, pulled);
  for (guint i = 0; i < pulled->len; i++)
    {
      const ThPulled *one = &g_array_index (pulled, ThPulled, i);
      ThRequest *request =
          g_hash_table_lookup (engine->requests, GUINT_TO_POINTER (one->waiter.handle));

      th_engine_settle (engine, request, one->waiter.index, TH_ERROR_OTHER,
                        make_text (request->items[one->waiter.index].uri));
    }
  th_engine_wake (engine);
}

void
th_engine_leave (ThEngine *engine, const char *mount_point)
{
  static const ThErrandKind kind = { run, forget };
  static const gint go_on = 0;
  Errand *errand = errand_new (engine, mount_point);

  if (errand->leave->point == NULL)
    {
      forget (errand, FALSE);
      return;
    }
  g_mutex_lock (&engine->lock);
  mark_requests (errand);
  stop_running (errand);
  g_mutex_unlock (&engine->lock);
  th_readers_leave (engine->readers, errand->leave->point);
  if (engine->leaves == NULL)
    engine->leaves = th_errands_new ("thimble leaves", NULL);
  if (engine->leaves != NULL)
    {
      th_errands_push (engine->leaves, &kind, errand);
      return;
    }
  run (errand, &go_on);
  forget (errand, TRUE);
}
