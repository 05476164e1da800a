/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-backend.h"

typedef struct
{
  ThBackend base;
  ThEngine *engine;
} Local;

static void
on_started (guint32 handle, gpointer data)
{
}

static void
on_ready (guint32 handle, const char *const *uris, gpointer data)
{
  Local *local = data;

  local->base.events.ready (handle, uris, local->base.data);
}

static void
on_error (guint32 handle, const char *const *uris, ThError code, const char *message, gpointer data)
{
  Local *local = data;

  local->base.events.error (handle, uris, code, message, local->base.data);
}

static void
on_finished (guint32 handle, gpointer data)
{
  Local *local = data;

  local->base.events.finished (handle, local->base.data);
}

static const ThEngineEvents engine_events = {
  .started = on_started,
  .ready = on_ready,
  .error = on_error,
  .finished = on_finished,
};

static guint
local_queue (ThBackend *backend, const char *const *uris, const char *const *mime_types,
             ThFlavor flavor, ThClass klass)
{
  Local *local = (Local *) backend;

  return th_engine_queue (local->engine, uris, mime_types, g_strv_length ((char **) uris),
                          th_flavor_name (flavor), klass);
}

static char *
local_trouble (ThBackend *backend)
{
  return th_engine_trouble (((Local *) backend)->engine);
}

static void
local_free (ThBackend *backend)
{
  Local *local = (Local *) backend;

  g_clear_pointer (&local->engine, th_engine_free);
  g_free (local);
}

static void
tell_problems (const ThEngineOptions *options)
{
  for (guint i = 0; options->problems != NULL && i < options->problems->len; i++)
    g_printerr ("%s\n", (const char *) options->problems->pdata[i]);
}

ThBackend *
th_backend_local_new (const ThBackendEvents *events, gpointer data, guint jobs, GError **error)
{
  Local *local = g_new0 (Local, 1);
  ThEngineOptions options;

  local->base = (ThBackend){
    .who = "this process",
    .events = *events,
    .data = data,
    .queue = local_queue,
    .trouble = local_trouble,
    .free = local_free,
  };
  th_engine_options_init (&options);
  if (th_engine_options_load (&options, error))
    {
      tell_problems (&options);
      options.cores = jobs > 0 ? jobs : options.cores;
      local->engine = th_engine_new (&options, &engine_events, local, error);
    }
  th_engine_options_clear (&options);
  if (local->engine != NULL)
    return &local->base;
  g_free (local);
  return NULL;
}
