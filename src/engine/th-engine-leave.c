/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-engine-private.h"
#include "engine/th-message.h"

gboolean
th_engine_has_left (ThEngine *engine, ThRequest *request, guint32 index, const ThFileKey *key)
{
  const char *uri = request->items[index].uri;
  g_autoptr (GError) error = NULL;
  gboolean left = FALSE;

  for (guint i = 0; request->leaves != NULL && i < request->leaves->len && !left; i++)
    left = th_leave_concerns (request->leaves->pdata[i], uri, key);
  if (!left)
    return FALSE;
  error = g_error_new_literal (TH_ERROR, TH_ERROR_OTHER, "its file system is being unmounted");
  th_engine_settle (engine, request, index, (gint32) th_message_code (error),
                    th_message_text (uri, error));
  return TRUE;
}

/* Requests that come later are served: the unmounting may fail. */
static void
mark_requests (ThEngine *engine, ThLeave *leave)
{
  GHashTableIter iter;
  gpointer request;

  g_hash_table_iter_init (&iter, engine->requests);
  while (g_hash_table_iter_next (&iter, NULL, &request))
    th_request_leave (request, leave);
}

typedef struct
{
  ThEngine *engine;
  const ThLeave *leave;
} Search;

static gboolean
is_concerned (const ThFileKey *key, const ThWaiter *waiter, gpointer data)
{
  const Search *search = data;
  const ThRequest *request =
      g_hash_table_lookup (search->engine->requests, GUINT_TO_POINTER (waiter->handle));

  return request != NULL
         && th_leave_concerns (search->leave, request->items[waiter->index].uri, key);
}

/* They were found to be concerned; their keys are gone with their jobs. */
static void
settle_pulled (ThEngine *engine, const GArray *pulled)
{
  for (guint i = 0; i < pulled->len; i++)
    {
      const ThPulled *one = &g_array_index (pulled, ThPulled, i);
      ThRequest *request =
          g_hash_table_lookup (engine->requests, GUINT_TO_POINTER (one->waiter.handle));

      if (request != NULL)
        th_engine_has_left (engine, request, one->waiter.index, &one->key);
    }
}

void
th_engine_leave (ThEngine *engine, const char *mount_point)
{
  g_autoptr (ThLeave) leave = th_leave_new (engine->mounts, mount_point);
  g_autoptr (GArray) pulled = g_array_new (FALSE, FALSE, sizeof (ThPulled));
  Search search = { engine, leave };

  if (leave->point == NULL)
    return;
  g_mutex_lock (&engine->lock);
  mark_requests (engine, leave);
  th_lanes_pull (&engine->lanes, is_concerned, &search, pulled);
  settle_pulled (engine, pulled);
  th_engine_wake (engine);
  g_mutex_unlock (&engine->lock);
  th_readers_leave (engine->readers, leave->point);
}
