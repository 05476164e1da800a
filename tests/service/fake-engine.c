/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An engine without files: what becomes of a URI is in its last part, so that the service and the
 * command line are tested alone. "cached:…" is ready in the first pass, "ready:…" later,
 * "error-N:…" fails with code N, "wait:…" stays until it is dequeued, "trouble:…" fails and leaves
 * the engine in trouble. */
#include "config.h"

#include "engine/th-config.h"
#include "engine/th-engine-status.h"

#include <string.h>

typedef struct
{
  ThEngine *engine;
  guint32 handle;
  GPtrArray *waiting; /* URIs, in order */
  guint next;
  gboolean started;
  gboolean bad_flavor;
  gboolean dequeued;
  GSource *source;
} Request;

/* An operation on the cache. */
typedef struct
{
  ThEngineDone done;
  gpointer data;
  gboolean waits;
  GSource *source;
} Operation;

struct _ThEngine
{
  GPtrArray *operations;
  ThEngineEvents events;
  gpointer data;
  guint32 last;
  gboolean trouble;
  GHashTable *requests; /* handle → Request */
  ThSpecialists *specialists;
};

static void
request_free (gpointer data)
{
  Request *request = data;

  g_source_destroy (request->source);
  g_source_unref (request->source);
  g_ptr_array_unref (request->waiting);
  g_free (request);
}

static const char *
word_of (const char *uri)
{
  const char *slash = strrchr (uri, '/');

  return slash != NULL ? slash + 1 : uri;
}

static void
start_request (Request *request)
{
  ThEngine *engine = request->engine;
  g_autoptr (GPtrArray) cached = g_ptr_array_new_with_free_func (g_free);

  request->started = TRUE;
  engine->events.started (request->handle, engine->data);
  for (guint i = 0; i < request->waiting->len && !request->bad_flavor && !request->dequeued;)
    if (g_str_has_prefix (word_of (request->waiting->pdata[i]), "cached:"))
      g_ptr_array_add (cached, g_ptr_array_steal_index (request->waiting, i));
    else
      i++;
  if (cached->len == 0)
    return;
  g_ptr_array_add (cached, NULL);
  engine->events.ready (request->handle, (const char *const *) cached->pdata, engine->data);
}

static void
fail_all (Request *request)
{
  ThEngine *engine = request->engine;

  g_ptr_array_add (request->waiting, NULL);
  engine->events.error (request->handle, (const char *const *) request->waiting->pdata,
                        TH_ERROR_UNSUPPORTED_FLAVOR, "no such flavor", engine->data);
}

static void
answer (Request *request, const char *uri)
{
  const char *const uris[] = { uri, NULL };
  const char *word = word_of (uri);
  ThEngine *engine = request->engine;

  if (g_str_has_prefix (word, "ready:"))
    engine->events.ready (request->handle, uris, engine->data);
  else if (g_str_has_prefix (word, "error-"))
    engine->events.error (request->handle, uris,
                          (ThError) g_ascii_strtoull (word + strlen ("error-"), NULL, 10),
                          "no \xff UTF-8", engine->data);
  else
    {
      engine->trouble = engine->trouble || g_str_has_prefix (word, "trouble:");
      engine->events.error (request->handle, uris, TH_ERROR_OTHER, "neither", engine->data);
    }
}

static gboolean
finish (Request *request)
{
  ThEngine *engine = request->engine;

  engine->events.finished (request->handle, engine->data);
  g_hash_table_remove (engine->requests, GUINT_TO_POINTER (request->handle));
  return G_SOURCE_REMOVE;
}

/* One event an iteration, as the real one does. */
static gboolean
on_step (gpointer data)
{
  Request *request = data;
  const char *uri;

  if (!request->started)
    {
      start_request (request);
      return G_SOURCE_CONTINUE;
    }
  if (request->bad_flavor && !request->dequeued && request->waiting->len > 0)
    fail_all (request);
  if (request->bad_flavor || request->dequeued || request->next == request->waiting->len)
    return finish (request);
  uri = request->waiting->pdata[request->next];
  if (g_str_has_prefix (word_of (uri), "wait:"))
    {
      g_source_set_ready_time (request->source, -1);
      return G_SOURCE_CONTINUE;
    }
  request->next++;
  answer (request, uri);
  return G_SOURCE_CONTINUE;
}

static gboolean
dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  return callback (data);
}

static GSourceFuncs step_funcs = { .dispatch = dispatch };

void
th_engine_options_init (ThEngineOptions *options)
{
  *options = (ThEngineOptions){ .idle_seconds = 300 };
}

void
th_engine_options_clear (ThEngineOptions *options)
{
  g_clear_pointer (&options->problems, g_ptr_array_unref);
}

gboolean
th_engine_options_load (ThEngineOptions *options, GError **error)
{
  g_autoptr (ThConf) conf = th_config_load ();

  th_config_read_service (conf, &options->idle_seconds);
  options->problems = g_ptr_array_ref (th_conf_problems (conf));
  return th_conf_fault (conf) == NULL;
}

static void
tell (Operation *operation, gboolean complete)
{
  g_source_destroy (operation->source);
  g_source_unref (operation->source);
  operation->done (complete, operation->data);
}

static gboolean
on_operation (gpointer data)
{
  ThEngine *engine = data;
  Operation *operation = engine->operations->pdata[0];

  if (operation->waits)
    return G_SOURCE_CONTINUE;
  g_ptr_array_steal_index (engine->operations, 0);
  tell (operation, TRUE);
  g_free (operation);
  return G_SOURCE_CONTINUE;
}

/* "wait:…" is not done before the engine is freed; all else soon, in order. */
static void
add_operation (ThEngine *engine, const char *const *uris, guint n, ThEngineDone done, gpointer data)
{
  Operation *operation = g_new0 (Operation, 1);

  operation->done = done;
  operation->data = data;
  operation->waits = n > 0 && g_str_has_prefix (word_of (uris[0]), "wait:");
  operation->source = g_timeout_source_new (1);
  g_source_set_callback (operation->source, on_operation, engine, NULL);
  g_source_attach (operation->source, g_main_context_get_thread_default ());
  g_ptr_array_add (engine->operations, operation);
}

void
th_engine_cache_move (ThEngine *engine, const char *const *from, const char *const *to, guint n,
                      ThEngineDone done, gpointer data)
{
  add_operation (engine, from, n, done, data);
}

void
th_engine_cache_copy (ThEngine *engine, const char *const *from, const char *const *to, guint n,
                      ThEngineDone done, gpointer data)
{
  add_operation (engine, from, n, done, data);
}

void
th_engine_cache_delete (ThEngine *engine, const char *const *uris, guint n, ThEngineDone done,
                        gpointer data)
{
  add_operation (engine, uris, n, done, data);
}

/* Of each file there was a normal one, and a memory of failure. */
void
th_engine_cache_forget (ThEngine *engine, const char *const *uris, guint n, guint32 *had,
                        ThEngineDone done, gpointer data)
{
  for (guint i = 0; i < n; i++)
    had[i] = 17;
  add_operation (engine, uris, n, done, data);
}

void
th_engine_cache_cleanup (ThEngine *engine, const char *const *base_uris, guint n, guint32 since,
                         ThEngineDone done, gpointer data)
{
  add_operation (engine, base_uris, n, done, data);
}

ThEngine *
th_engine_new (const ThEngineOptions *options, const ThEngineEvents *events, gpointer data,
               GError **error)
{
  ThEngine *engine = g_new0 (ThEngine, 1);

  engine->events = *events;
  engine->data = data;
  engine->operations = g_ptr_array_new_with_free_func (g_free);
  engine->requests = g_hash_table_new_full (NULL, NULL, NULL, request_free);
  engine->specialists = th_specialists_new (NULL);
  return engine;
}

void
th_engine_free (ThEngine *engine)
{
  for (guint i = 0; i < engine->operations->len; i++)
    tell (engine->operations->pdata[i], FALSE);
  g_ptr_array_unref (engine->operations);
  g_hash_table_unref (engine->requests);
  th_specialists_free (engine->specialists);
  g_free (engine);
}

guint32
th_engine_queue (ThEngine *engine, const char *const *uris, const char *const *mime_types,
                 guint n_uris, const char *flavor, ThClass klass)
{
  Request *request = g_new0 (Request, 1);
  ThFlavor known;

  request->engine = engine;
  request->handle = ++engine->last;
  request->waiting = g_ptr_array_new_with_free_func (g_free);
  request->bad_flavor = !th_flavor_from_name (flavor, &known);
  /* What the service made of scheduler and missing types can be asked for by name. */
  for (guint i = 0; i < n_uris; i++)
    if (g_str_equal (uris[i], "class:"))
      g_ptr_array_add (request->waiting, g_strdup_printf ("error-%d:class", 100 + (int) klass));
    else if (g_str_equal (uris[i], "type:"))
      g_ptr_array_add (request->waiting,
                       g_strdelimit (g_strconcat ("ready:", mime_types[i], NULL), "/", '-'));
    else
      g_ptr_array_add (request->waiting, g_strdup (uris[i]));
  request->source = g_source_new (&step_funcs, sizeof (GSource));
  g_source_set_callback (request->source, on_step, request, NULL);
  g_source_set_ready_time (request->source, 0);
  g_source_attach (request->source, g_main_context_get_thread_default ());
  g_hash_table_insert (engine->requests, GUINT_TO_POINTER (request->handle), request);
  return request->handle;
}

guint32
th_engine_queue_variants (ThEngine *engine, GVariant *uris, GVariant *mime_types,
                          const char *flavor, ThClass klass)
{
  gsize n_uris, n_types;
  g_autofree const char **urls = g_variant_get_strv (uris, &n_uris);
  g_autofree const char **types = g_variant_get_strv (mime_types, &n_types);

  types = g_renew (const char *, types, MAX (n_uris, n_types));
  for (gsize i = n_types; i < n_uris; i++)
    types[i] = "application/octet-stream";
  return th_engine_queue (engine, urls, types, (guint) n_uris, flavor, klass);
}

void
th_engine_dequeue (ThEngine *engine, guint32 handle)
{
  Request *request = g_hash_table_lookup (engine->requests, GUINT_TO_POINTER (handle));

  if (request == NULL)
    return;
  request->dequeued = TRUE;
  g_source_set_ready_time (request->source, 0);
}

void
th_engine_hold_events (ThEngine *engine, gboolean hold)
{
}

void
th_engine_orphan (ThEngine *engine, guint32 handle)
{
}

void
th_engine_set_specialists (ThEngine *engine, const ThSpecialistCaller *caller)
{
}

ThSpecialists *
th_engine_specialists (ThEngine *engine)
{
  return engine->specialists;
}

void
th_engine_leave (ThEngine *engine, const char *mount_point)
{
}

guint
th_engine_pending (const ThEngine *engine)
{
  return g_hash_table_size (engine->requests);
}

void
th_engine_supported (ThEngine *engine, ThEngineSupported done, gpointer data)
{
  static const char *const some_schemes[] = { "file", "file", NULL };
  static const char *const some_types[] = { "image/jpeg", "image/png", NULL };

  done (some_schemes, some_types, data);
}

char *
th_engine_trouble (const ThEngine *engine)
{
  return engine->trouble ? g_strdup ("no lock-down here") : NULL;
}

char *
th_engine_external_trouble (const ThEngine *engine)
{
  return NULL;
}

/* A number of its own in each place. */
void
th_engine_status (ThEngine *engine, ThEngineStatus *status)
{
  const ThPoolWorkerInfo worker = { "svg", 4711, TRUE, 12, 3 << 20 };

  *status = (ThEngineStatus){
    .uptime = 62000000,
    .requests = g_hash_table_size (engine->requests),
    .queued = { 11, 12 },
    .running = { 1, 2 },
    .budget = 64 << 20,
    .budget_used = 5 << 20,
    .memory = 9 << 20,
    .recent_files = 50,
    .recent_bytes = 20 << 20,
    .counters = { .hits = 31, .misses = 32, .thumbnails = 33, .files = 34, .bytes = 7 << 20 },
    .trouble = th_engine_trouble (engine),
  };
  status->counters.errors[TH_ERROR_INVALID_FORMAT] = 41;
  status->decodes[TH_STATUS_OK] = 42;
  status->decodes[TH_STATUS_TIMEOUT] = 43;
  status->workers = g_array_new (FALSE, FALSE, sizeof (ThPoolWorkerInfo));
  g_array_append_val (status->workers, worker);
}

void
th_engine_status_clear (ThEngineStatus *status)
{
  g_clear_pointer (&status->workers, g_array_unref);
  g_clear_pointer (&status->trouble, g_free);
}
