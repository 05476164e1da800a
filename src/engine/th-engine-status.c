/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-engine-status.h"

#include <unistd.h>

#include "engine/th-engine-private.h"

/* Under the lock. */
static void
count_requests (ThEngine *engine, ThEngineStatus *status)
{
  GHashTableIter iter;
  gpointer value;

  status->requests = g_hash_table_size (engine->requests);
  g_hash_table_iter_init (&iter, engine->requests);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const ThRequest *request = value;

      if (!request->finished)
        status->queued[request->klass] += request->unsettled;
    }
}

/* Under the lock. */
static void
count_running (ThEngine *engine, ThEngineStatus *status)
{
  for (guint i = 0; i < th_lanes_count (&engine->lanes); i++)
    for (guint klass = 0; klass < TH_N_CLASSES; klass++)
      status->running[klass] += th_lanes_nth (&engine->lanes, i)->active[klass];
}

guint64
th_engine_status_memory (pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/statm", (int) pid);
  g_autofree char *text = NULL;
  g_auto (GStrv) fields = NULL;
  guint64 pages = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  fields = g_strsplit (text, " ", 3);
  if (g_strv_length (fields) < 2
      || !g_ascii_string_to_unsigned (fields[1], 10, 0, G_MAXUINT32, &pages, NULL))
    return 0;
  return pages * (guint64) sysconf (_SC_PAGESIZE);
}

void
th_engine_status (ThEngine *engine, ThEngineStatus *status)
{
  gint64 now = g_get_monotonic_time ();

  *status = (ThEngineStatus){ .uptime = (guint64) (now - engine->began_at) };
  g_mutex_lock (&engine->lock);
  count_requests (engine, status);
  count_running (engine, status);
  status->counters = engine->counters;
  g_mutex_unlock (&engine->lock);
  th_counters_recent (&status->counters, now, &status->recent_files, &status->recent_bytes);
  status->budget = engine->options.limits.budget_bytes;
  status->budget_used = th_admission_in_use (engine->admission);
  status->memory = th_engine_status_memory (getpid ());
  status->workers = th_pool_list (engine->pool, status->decodes);
  for (guint i = 0; i < status->workers->len; i++)
    {
      ThPoolWorkerInfo *worker = &g_array_index (status->workers, ThPoolWorkerInfo, i);

      worker->memory = th_engine_status_memory (worker->pid);
    }
  status->trouble = th_engine_trouble (engine);
  status->external_trouble = th_engine_external_trouble (engine);
}

void
th_engine_status_clear (ThEngineStatus *status)
{
  g_clear_pointer (&status->workers, g_array_unref);
  g_clear_pointer (&status->trouble, g_free);
  g_clear_pointer (&status->external_trouble, g_free);
}
